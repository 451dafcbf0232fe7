/** Files that a plugin serves to browsers: also those of plugins that it adds lie in its folder. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyPlugin, definePlugin } from "lectern/core";
import type {} from "lectern/plugins";
import { WITH_SCREENS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const folder = mkdtempSync(join(tmpdir(), "lectern-assets-"));
writeFileSync(join(folder, "notes.js"), "notes");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A plugin in the folder that adds another one, which serves a file. */
function adding(path: string): AnyPlugin {
  const inner = definePlugin({
    name: "inner",
    requires: ["web"],
    setup: ({ contracts }) => void contracts.web.asset("notes.js", path),
  });
  return { ...definePlugin({ name: "outer", extend: () => [inner], setup() {} }), listFile: join(folder, "plugin.ts") };
}

/** Boots with the plugin; resolves with the file as a guest gets it. */
async function served(path: string): Promise<unknown> {
  const runtime = await bootTestRuntime({ only: WITH_SCREENS, extra: [adding(path)] });
  try {
    return (await runtime.ask("GET", "/web/assets/notes.js", { as: null })).body;
  } finally {
    await runtime.stop();
  }
}

test("a plugin that another one adds serves a file of the folder of that one, and no other", async () => {
  expect(await served(join(folder, "notes.js"))).toBe("notes");
  await expect(served(import.meta.path)).rejects.toThrow(`wanted one below "${folder}"`);
});
