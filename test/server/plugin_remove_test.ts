/**
 * `plugin list` and `plugin remove` in an operator's folder: who still needs a plugin, what package.json looks like afterwards, what
 * is left and what a purge deletes. The tests depend on each other's order over one data folder.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "lectern/db";
import { quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder } from "../support/harness/program.ts";

setDefaultTimeout(scaled(180_000));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-remove-")));
const data = dataFolder("ready");
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

const GLOSSARY = `import { definePlugin, sql } from "lectern/core";
export default definePlugin({
  name: "glossary",
  version: "1.2.0",
  provides: ["glossary"],
  grants: { write: ["terms", "term_notes", "tags"], files: true },
  permissions: ["term-edit"],
  migrations: {
    "0001_init": async (db) => {
      await sql\`create table terms (id integer primary key, name text not null, slug text not null default '',
        created_at timestamptz default now(), updated_at timestamptz default now(), created_by integer, updated_by integer, owned_by integer, deleted_at timestamptz);
        create table term_notes (term_id integer references terms(id))\`.execute(db);
    },
  },
  setup({ provide, jobs, on, contribute, files }) {
    provide("glossary", {});
    contribute("content", { kind: "term", table: "terms", segment: "terms", parents: [], columns: ["id", "name"], path: sql.lit("") });
    jobs.handle("term_count", async () => {});
    jobs.every("sweep", 60_000, async () => {});
    on("app_boot", {
      async inTransaction(_, tx) {
        await sql\`insert into terms (id, name) values (1, 'Runbook') on conflict do nothing\`.execute(tx.db);
        await sql\`insert into tags (kind, item_id, name, value, position) values ('term', 1, 'Rare', '', 0) on conflict do nothing\`.execute(tx.db);
        await tx.enqueue("term_count", {}, { key: "one", delayMs: 86_400_000 });
        await files.put("terms.txt", new TextEncoder().encode("Runbook"));
      },
    });
  },
});
`;
const READER = `import { definePlugin } from "lectern/core";
export default definePlugin({ name: "glossary_reader", requires: ["glossary"], setup() {} });
`;
const PACKAGE = `{
    "private": true,
    "lectern": {
        "settings": { "pages": { "revisionLimit": 5 }, "glossary": {} },
        "plugins": ["lectern/plugins", "./both.ts"],
        "denied": { "glossary": ["net"] }
    }
}
`;

const cli = (...args: string[]) =>
  quickCommand(args, { DATABASE_URL: "", DATA_DIR: data.path, LOG_LEVEL: "warn" }, home);

async function query(text: string): Promise<unknown[]> {
  const store = await openStore({ dataDir: data.path, poolSize: 2 });
  try {
    return [...(await store.sql.unsafe(text))];
  } finally {
    await store.close();
  }
}

beforeAll(async () => {
  mkdirSync(join(home, "one"));
  writeFileSync(join(home, "one/glossary.ts"), GLOSSARY);
  writeFileSync(join(home, "one/reader.ts"), READER);
  writeFileSync(
    join(home, "both.ts"),
    'import glossary from "./one/glossary.ts";\nimport reader from "./one/reader.ts";\nexport default [glossary, reader];\n',
  );
  writeFileSync(join(home, "package.json"), PACKAGE);
  expect((await cli("migrate")).code).toBe(0);
  // A command that boots the plugins: `check` does not boot them over this store.
  expect((await cli("user", "list")).err).toBe("");
});

test("`plugin list` shows what is installed", async () => {
  const { out } = await cli("plugin", "list");
  expect(out).toMatch(/^glossary +1\.2\.0 +installed$/m);
  expect(out).toMatch(/^books +- +ships with Lectern$/m);
});

test.each([
  [
    ["remove", "glossary"],
    'Cannot remove "glossary": The plugin "glossary_reader" requires "glossary", which no plugin provides',
  ],
  [
    ["remove", "glosary"],
    'Cannot remove "glosary": no such plugin is installed or has left data; did you mean "glossary"?',
  ],
  [
    ["remove", "comments", "--purge", "--yes"],
    'Cannot purge "comments": it ships with Lectern, whose data is never dropped',
  ],
])("`plugin %p` is refused, and package.json stays", async (args, message) => {
  const { code, err } = await cli("plugin", ...args);
  expect([code, err.trim()]).toEqual([1, message]);
  expect(readFileSync(join(home, "package.json"), "utf8")).toBe(PACKAGE);
});

test("a plugin is taken out of package.json, whose other lines stay; its data stays too", async () => {
  await cli("plugin", "remove", "glossary_reader");
  const between = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { lectern: { plugins: unknown } };
  expect(between.lectern.plugins).toEqual(["lectern/plugins", { from: "./both.ts", without: ["glossary_reader"] }]);
  const { code, out } = await cli("plugin", "remove", "glossary");
  expect(code).toBe(0);
  expect(out).toContain(
    "It leaves tables term_notes, terms; items of the kinds term; jobs term_count; permissions in roles term-edit; its ledger; its files.",
  );
  const text = readFileSync(join(home, "package.json"), "utf8");
  expect(JSON.parse(text)).toEqual({
    private: true,
    lectern: {
      settings: { pages: { revisionLimit: 5 } },
      plugins: ["lectern/plugins"],
      denied: {},
    },
  });
  expect(text).toStartWith('{\n    "private": true,\n    "lectern": {\n');
  expect((await cli("plugin", "list")).out).toMatch(/^glossary +1\.2\.0 +left over: tables term_notes, terms;/m);
  expect(await query("select name from terms")).toEqual([{ name: "Runbook" }]);
});

test("a purge stops at foreign keys of others, and without a confirmation", async () => {
  const unconfirmed = await cli("plugin", "remove", "glossary", "--purge");
  expect([unconfirmed.code, unconfirmed.err.trim()]).toEqual([
    1,
    'Nothing is removed: type the name "glossary", or add --yes',
  ]);
  await query("create table foreign_notes (term_id integer references terms(id))");
  const refused = await cli("plugin", "remove", "glossary", "--purge", "--yes");
  expect([refused.code, refused.err.trim()]).toEqual([
    1,
    'Cannot purge "glossary": foreign keys of the table foreign_notes (of terms) refer to it',
  ]);
  await query("drop table foreign_notes");
});

test("a purge deletes all that it left, and finishes one that was interrupted", async () => {
  const held = () =>
    query(`select (select count(*)::integer from role_permissions where name = 'term-edit') as roles,
      (select count(*)::integer from jobs where name = 'term_count') as jobs,
      (select count(*)::integer from tags where kind = 'term') as tags,
      (select count(*)::integer from pg_tables where tablename in ('terms', 'term_notes', 'glossary')) as tables,
      (select count(*)::integer from pg_roles where rolname ~ '^owner of .*:glossary$') as owners,
      (select count(*)::integer from installed_plugins where name = 'glossary') as records`);
  expect(await held()).toEqual([{ roles: 1, jobs: 1, tags: 1, tables: 3, owners: 1, records: 1 }]);
  const { code, err, out } = await cli("plugin", "remove", "glossary", "--purge", "--yes");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("Deleted: tables term_notes, terms;");
  expect(await held()).toEqual([{ roles: 0, jobs: 0, tags: 0, tables: 0, owners: 0, records: 0 }]);
  expect(await Array.fromAsync(new Bun.Glob("glossary/**").scan(join(data.path, "files")))).toEqual([]);
  // As if it had been interrupted after the store and before the files: the record is still there.
  await query("insert into installed_plugins (name) values ('glossary')");
  expect((await cli("plugin", "remove", "glossary", "--purge", "--yes")).code).toBe(0);
  expect(await held()).toEqual([{ roles: 0, jobs: 0, tags: 0, tables: 0, owners: 0, records: 0 }]);
  expect((await cli("plugin", "remove", "glossary")).err).toContain("no such plugin is installed");
});

test("a shipped plugin is left out by name, and the command says how to have it again", async () => {
  const { code, err, out } = await cli("plugin", "remove", "tokens");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain('Take "tokens" out of "without" in package.json to have it again');
  expect(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).lectern.plugins).toContainEqual({
    from: "lectern/plugins",
    without: ["tokens"],
  });
});
