/** The file store that a plugin which does not ship declares: opened before the boot, and by commands that do not boot. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, SHIPPED } from "../support/harness/command.ts";
import { dataFolder } from "../support/harness/program.ts";

const folder = dataFolder("ready");
afterAll(() => folder.remove());
const place = join(folder.path, "share");
const entry = join(folder.path, "share.ts");
const marker = join(place, "lectern-instance.json");

const PLUGIN = `import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkedKey, definePlugin, t } from "lectern/core";

export default definePlugin({
  name: "share",
  settings: t.Object({ folder: t.String({ default: "", env: "SHARE_FOLDER", description: "Folder of the files" }) }),
  fileStore: {
    name: "share",
    check: "SHARE_FOLDER",
    place: ({ folder }) => basename(folder),
    describe: ({ folder }) => \`the share "\${folder}"\`,
    open: ({ folder }) => storeIn(folder),
    openOther: (place, { folder }) => storeIn(join(folder, "..", place)),
  },
  setup() {},
});

function storeIn(root) {
  const pathOf = (key) => join(root, checkedKey(key));
  return {
    async put(key, content) {
      mkdirSync(dirname(pathOf(key)), { recursive: true });
      await Bun.write(pathOf(key), await new Response(content).bytes());
      return statSync(pathOf(key)).size;
    },
    async get(key) {
      const file = Bun.file(pathOf(key));
      if (!(await file.exists())) return undefined;
      const body = (range) => file.slice(range?.start, range?.end);
      return { size: file.size, modified: new Date(), body, stream: (range) => body(range).stream(), bytes: () => file.bytes() };
    },
    async remove(key) { rmSync(pathOf(key), { force: true }); },
    async *list(prefix = "") {
      for (const one of readdirSync(root, { recursive: true, withFileTypes: true })) {
        const key = join(one.parentPath, one.name).slice(root.length + 1);
        if (one.isFile() && key.startsWith(prefix)) yield { key, size: statSync(join(root, key)).size, modified: new Date() };
      }
    },
  };
}
`;
const env = { DATA_DIR: folder.path, SHARE_FOLDER: place };
const run = (args: readonly string[], more: Record<string, string> = {}) =>
  command([...args, SHIPPED, entry], { ...env, ...more });

test("files are moved to it, backed up from it and into another place of it, and restored, without a boot", async () => {
  writeFileSync(entry, PLUGIN);
  expect((await run(["jobs", "list"], { SHARE_FOLDER: "" })).code).toBe(0);
  const usage = await run(["move-files", "--to", "elsewhere"]);
  expect([usage.code, usage.err]).toEqual([2, "Usage: move-files --to share|s3|disk [--parallel COUNT]"]);
  const moved = await run(["move-files", "--to", "share"], { FILES_STORE: "disk" });
  expect([moved.code, moved.out.includes("Set FILES_STORE=share")]).toEqual([0, true]);
  expect(existsSync(marker)).toBe(true);

  const former = await run(["jobs", "list"], { FILES_STORE: "disk" });
  expect([former.code, former.err.includes('moved to "share"')]).toEqual([1, true]);
  expect((await run(["jobs", "list"])).code).toBe(0);

  const among = await run(["backup", "share://share/one.tar.zst"]);
  expect([among.code, among.err.includes("the files of the instance are there")]).toEqual([1, true]);
  const backup = await run(["backup", "share://copies/one.tar.zst"]);
  expect([backup.code, backup.err]).toEqual([0, ""]);
  expect(existsSync(join(folder.path, "copies/one.tar.zst"))).toBe(true);
  const restored = await run(["restore", "share://copies/one.tar.zst", "--replace"]);
  expect([restored.code, restored.out.includes("Restored")]).toEqual([0, true]);
  const unknown = await run(["backup", "vault://copies/one.tar.zst"]);
  expect([unknown.code, unknown.err]).toEqual([1, 'Cannot use "vault://copies": no plugin opens such addresses']);
}, 120_000);

test("a start compares its marker before any migration, and an operator who denied the slot has none", async () => {
  writeFileSync(marker, '{"instance":"00000000-0000-0000-0000-000000000000"}');
  const refused = await run(["jobs", "list"]);
  expect([refused.code, refused.err.includes(`the share "${place}"`)]).toEqual([1, true]);
  const lectern = { plugins: [SHIPPED, entry], denied: { share: ["slots"] } };
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ private: true, lectern }));
  const denied = await command(["check"], { ...env, DATA_DIR: join(folder.path, "new") }, folder.path);
  expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('"denied" in package.json names "slots"')]);
}, 60_000);
