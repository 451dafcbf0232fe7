import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../support/harness/command.ts";
import { startProgram } from "../support/harness/program.ts";

const LONG = 120_000;
const folder = mkdtempSync(join(tmpdir(), "lectern-bare-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pluginFile(name: string, body: string): string {
  const file = join(folder, `${name}.ts`);
  writeFileSync(
    file,
    `import { definePlugin } from "lectern/core";\nexport default definePlugin({ name: "${name}", ${body} });\n`,
  );
  return file;
}

test(
  "a start whose plugins need nothing that ships imports none of it, and errors still name what is left out",
  async () => {
    const loaded = `app.get("/loaded", () => Object.keys(require.cache).filter((file) => /\\/plugins\\/.*\\/plugin\\.ts$/.test(file)), { permit: "public" })`;
    const own = pluginFile("own", `slots: { own_words: {} }, events: ["own_done"], setup({ app }) { ${loaded}; }`);
    const small = pluginFile("small", `setup({ app }) { ${loaded}; }`);
    const program = await startProgram(join(folder, "data"), {}, { args: ["serve", small] });
    expect(await program.ask("GET", "/api/loaded")).toMatchObject({ status: 200, body: [] });
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
    // What declares slots and events is compared with those that ship.
    const other = await startProgram(join(folder, "data"), {}, { args: ["serve", own] });
    expect((await other.ask("GET", "/api/loaded")).status).toBe(200);
    other.signal("SIGTERM");
    expect(await other.ended).toBe(0);
    const needing = pluginFile("needing", `requires: ["mail"], setup() {}`);
    const { code, err } = await command(["plan", needing], { DATA_DIR: join(folder, "data") });
    expect([code, err]).toEqual([1, expect.stringContaining('the shipped plugin "mail" does, which is left out')]);
    const taken = pluginFile("taken", `slots: { screen_part: {} }, setup() {}`);
    const refused = await command(["plan", taken], { DATA_DIR: join(folder, "data") });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('declares the slot "screen_part"')]);
  },
  LONG,
);
