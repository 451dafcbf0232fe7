import { expect, test } from "bun:test";
import plugins from "../../plugins/mod.ts";
import { pluginAt } from "./_hooks.ts";
import { differences, landed, steps, stepsIn } from "./_migrations.ts";
import { readSource } from "./_source.ts";

test("no step of a migration that has landed is changed or gone, and every step is in the list", () => {
  expect(differences(landed(), steps())).toEqual([]);
});

test("the list holds every step of every plugin", () => {
  const listed = landed();
  const placesOf = (name: string) => Object.keys(listed).filter((path) => pluginAt(path) === name);
  const missing = plugins.flatMap(({ name, migrations }) =>
    Object.keys(migrations).filter((step) => !placesOf(name).some((path) => listed[path]?.[step] !== undefined)),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(listed).filter((path) => path.startsWith("core/")).length).toBeGreaterThan(0);
});

const TEXT = `import { sql } from "kysely";
/** Names. */
const NAMES = ["a", "b"];

/** Tables. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    // A comment.
    await sql\`create table a (b text)\`.execute(db);
  },
  async "0002_more"(db) {
    await fill(db, NAMES);
  },
};
`;
const read = (text: string) => ({ "plugins/x/migrations.ts": stepsIn(readSource("plugins/x/migrations.ts", text)) });

test("formatting and comments change nothing, words do, and so does what a step is made with", () => {
  const was = read(TEXT);
  expect(Object.keys(was["plugins/x/migrations.ts"])).toEqual(["NAMES", "0001_init", "0002_more"]);
  const told = (text: string) => differences(was, read(text));
  expect(
    told(TEXT.replace("    // A comment.\n", "").replace("fill(db, NAMES)", "fill(\n      db,\n      NAMES,\n    )")),
  ).toEqual([]);
  expect(told(TEXT.replace("b text", "b integer"))).toEqual([
    expect.stringContaining('"0001_init" has landed and was changed'),
  ]);
  expect(told(TEXT.replace('"b"]', '"b", "c"]'))).toEqual([
    expect.stringContaining('"NAMES" has landed and was changed'),
  ]);
  expect(told(TEXT.replace('"0002_more"', '"0003_more"'))).toEqual([
    expect.stringContaining('"0002_more" has landed and is gone'),
    expect.stringContaining('"0003_more" is not in the list'),
  ]);
});
