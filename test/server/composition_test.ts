/** Lists of plugins in an operator's package.json, by the program's commands in a folder of its own. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";

setDefaultTimeout(scaled(120_000));
const home = mkdtempSync(join(tmpdir(), "lectern-composition-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const POSTBOX = `import { definePlugin } from "lectern/core";
export default definePlugin({
  name: "postbox",
  provides: ["mail"],
  setup: ({ provide }) => provide("mail", { isConfigured: true, send: async () => {} }),
});
`;

writeFileSync(join(home, "postbox.ts"), POSTBOX);

function choose(...plugins: readonly unknown[]): void {
  writeFileSync(join(home, "package.json"), JSON.stringify({ lectern: { plugins } }));
}

const cli = (...args: string[]) => quickCommand(args, { DATABASE_URL: "", DATA_DIR: join(home, "data") }, home);

test("an entry with `without` leaves out shipped plugins, and one of the operator takes their place", async () => {
  choose({ from: "lectern/plugins", without: ["mail"] }, "./postbox.ts");
  const { code, out } = await cli("grants");
  expect(code).toBe(0);
  expect(out).toMatch(/^postbox /m);
  expect(out).not.toMatch(/^mail /m);
});

test.each<[readonly unknown[], string]>([
  [["lectern/plugins", "./postbox.ts"], '{"from":"lectern/plugins","without":["mail"]} instead of "lectern/plugins"'],
  [
    [{ from: "lectern/plugins", without: ["mial"] }],
    'Cannot leave out "mial" of "lectern/plugins": it has no plugin of that name; did you mean "mail"?',
  ],
  [
    [{ from: "lectern/plugins", withot: ["mail"] }],
    'found the key "withot" in "plugins"; wanted a path, a package, or {"from"',
  ],
  [[{ without: ["mail"] }], 'found an entry without a text "from" in "plugins"'],
  [[{ from: "lectern/plugins", without: "mail" }], 'found a "without" that is no list of names in "plugins"'],
  [[7], 'found 7 in "plugins"'],
])("%j is refused with what is wrong", async (plugins, message) => {
  choose(...plugins);
  const { code, err } = await cli("grants");
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});

test("a package has the version of its package.json, which `grants` shows; a file in the operator's folder has none", async () => {
  const folder = join(home, "node_modules/lectern-box");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"name": "lectern-box", "version": "1.4.0", "exports": "./plugin.ts"}');
  writeFileSync(
    join(folder, "plugin.ts"),
    POSTBOX.replace('provides: ["mail"]', 'lectern: ">=0.1"')
      .replaceAll("postbox", "box")
      .replace(/setup: .*/, "setup() {},"),
  );
  choose({ from: "lectern/plugins", without: ["mail"] }, "./postbox.ts", "lectern-box");
  const { out, err } = await cli("grants");
  expect(err).toBe("");
  expect(out).toEndWith("\nVersions\n  box              1.4.0  requires Lectern >=0.1");
});
