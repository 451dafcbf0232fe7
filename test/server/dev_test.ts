/** Development mode: a plugin in a folder of its own is changed, broken and mended while it is served. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-dev-")));
const data = dataFolder("ready");
let program: Program | undefined;
afterAll(async () => {
  program?.signal("SIGTERM");
  await program?.ended;
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
}
const plugin = (answer: string) => `import { definePlugin } from "lectern/core";
import { words } from "./words/words.ts";
export default definePlugin({
  name: "parrot",
  setup({ app }) {
    app.get("/parrot", () => ({ says: ${answer} + words }), { permit: "public" });
  },
});
`;
/** A plugin that is added while the server runs. */
const added = (answer: string) => `import { definePlugin } from "lectern/core";
export default definePlugin({
  name: "extra",
  setup({ app }) {
    app.get("/extra", () => ({ says: ${answer} }), { permit: "public" });
  },
});
`;

test("a change of a plugin is served soon, a broken one says why and waits to be mended, one that is added later is watched too, and all of it stops in order", async () => {
  write("package.json", JSON.stringify({ lectern: { plugins: ["lectern/plugins", "./parrot"] } }));
  write("parrot/plugin.ts", plugin('"one"'));
  write("parrot/words/words.ts", 'export const words = "!";\n');
  const dev = await startProgram(data.path, {}, { cwd: home, args: ["dev"] });
  program = dev;

  /** Each server listens on a port of its own, which its log line has. */
  const says = async (route = "parrot"): Promise<unknown> => {
    const port = dev
      .output()
      .match(/(?<=answers at http:\/\/[^/]+:)\d+/g)
      ?.at(-1);
    try {
      return (await (await fetch(`http://127.0.0.1:${port}/api/${route}`)).json()) as unknown;
    } catch (error) {
      // Nothing listens between two servers.
      return String(error);
    }
  };
  // An error shows what the program wrote.
  const become = (seen: () => unknown, wanted: unknown) =>
    until(
      async () => [await seen(), dev.output()] as const,
      ([found]) => Bun.deepEquals(found, wanted),
    );
  const servers = () => dev.output().split("answers at").length - 1;

  await become(() => says(), { says: "one!" });
  write("parrot/plugin.ts", plugin('"two"'));
  await become(() => says(), { says: "two!" });
  write("parrot/words/words.ts", 'export const words = "?";\n');
  await become(() => says(), { says: "two?" });

  write("parrot/plugin.ts", plugin("]"));
  await become(() => dev.output().includes("the next change starts it again"), true);
  expect(dev.output()).toContain(
    `Cannot load the plugins of "./parrot": Unexpected ] (${join(home, "parrot/plugin.ts")}:6)`,
  );
  write("parrot/plugin.ts", plugin('"four"'));
  await become(() => says(), { says: "four?" });

  const before = servers();
  write("parrot/notes.txt", "Not a source.");
  write("node_modules/other/index.ts", "export {};");
  write("parrot/words/more.ts", "export {};");
  await become(servers, before + 1);
  await become(() => says(), { says: "four?" });
  expect(servers()).toBe(before + 1);

  write("extra/plugin.ts", added('"A"'));
  write("package.json", JSON.stringify({ lectern: { plugins: ["lectern/plugins", "./parrot", "./extra"] } }));
  await become(() => says("extra"), { says: "A" });
  write("extra/plugin.ts", added('"B"'));
  await become(() => says("extra"), { says: "B" });

  expect(existsSync(join(data.path, "postgres/cluster/postmaster.pid"))).toBe(true);
  dev.signal("SIGTERM");
  expect(await dev.ended).toBe(0);
  expect(existsSync(join(data.path, "postgres/cluster/postmaster.pid"))).toBe(false);
  expect(await says()).toContain("Unable to connect");
});
