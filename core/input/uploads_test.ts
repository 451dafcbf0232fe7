import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStore } from "../files/file_store.ts";
import { uploadOf } from "./uploads.ts";

test("an upload of a plugin is stored with its own bytes, whatever path it names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lectern-uploads-"));
  try {
    const secret = join(folder, "secret.txt");
    writeFileSync(secret, "of the operator");
    const facts = { name: "a.txt", type: "text/plain", spooled: secret };
    const upload = uploadOf(new Blob(["own"]), facts);
    expect([upload.name, upload.type, upload.spooled]).toEqual(["a.txt", "text/plain", undefined]);
    const store = folderStore(join(folder, "files"));
    await store.put("loot.txt", upload);
    expect(new TextDecoder().decode(await (await store.get("loot.txt"))?.bytes())).toBe("own");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
