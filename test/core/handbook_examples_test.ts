/** The plugins of plugins/README.md boot as they are written there: what they register is what they declare. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyPlugin } from "lectern/core";
import { blocksOf } from "../support/harness/code_examples.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-handbook-")));
mkdirSync(join(home, "node_modules"));
symlinkSync(join(import.meta.dir, "../.."), join(home, "node_modules/lectern"));
// A file that an example serves.
writeFileSync(join(home, "lending.js"), "");
afterAll(() => rmSync(home, { recursive: true, force: true }));

const blocks = blocksOf("plugins/README.md", "ts").filter((block) => block.includes("export default definePlugin"));

async function loaded(code: string, at: number): Promise<AnyPlugin> {
  const path = join(home, `example_${at}.ts`);
  writeFileSync(path, code);
  return ((await import(path)) as { default: AnyPlugin }).default;
}

test("the plugins of the handbook boot", async () => {
  const plugins = await Promise.all(blocks.map(loaded));
  expect(plugins.length).toBeGreaterThanOrEqual(5);
  // Two examples are about the same plugin.
  const first = plugins.filter(({ name }, at) => plugins.findIndex((each) => each.name === name) === at);
  for (const extra of [first, plugins.filter((plugin) => !first.includes(plugin))]) {
    const runtime = await bootTestRuntime({ extra });
    expect([...runtime.contexts.keys()]).toEqual(expect.arrayContaining(extra.map(({ name }) => name)));
    await runtime.stop();
  }
});
