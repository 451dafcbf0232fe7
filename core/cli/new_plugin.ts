/**
 * `new plugin NAME`: writes a working plugin with a table, routes, an event and a test, as a starting point. It is written to
 * the current folder, and the commands to test and run it from there are printed. Existing files are never overwritten.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { TableName } from "../../db/mod.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { PACKAGED, programName } from "../runtime/program_name.ts";

/** Valid as the name of a folder, a table, a path and an event, all of which are named after the plugin. */
const NAME = /^[a-z][a-z0-9_]{1,39}$/;

/** Writes the plugin into a folder of its name. Returns the exit code. Refuses names that `plugins` use already. */
export async function newPlugin(
  io: CommandIo,
  args: readonly string[],
  plugins: readonly AnyPlugin[] = [],
  folder = process.cwd(),
): Promise<number> {
  const [what, name = "", ...rest] = args;
  if (what !== "plugin" || !NAME.test(name) || rest.length > 0) {
    io.err('Usage: new plugin NAME, the name in lower-case letters, digits and "_", such as "book_votes"');
    return 2;
  }
  const conflict = conflictOf(name, plugins);
  if (conflict !== undefined) {
    io.err(`Cannot write the plugin "${name}": ${conflict}; choose another name`);
    return 1;
  }
  const target = join(folder, name);
  if (existsSync(target)) {
    io.err(`Cannot write the plugin "${name}": there is a "${name}" already`);
    return 1;
  }
  mkdirSync(target);
  writeFileSync(join(target, "plugin.ts"), pluginText(name));
  writeFileSync(join(target, "plugin_test.ts"), testText(name));
  io.out(`Wrote ${name}/plugin.ts and ${name}/plugin_test.ts`);
  const inside = !relative(INSTALL_ROOT, target).startsWith("..");
  const runtime = (path: string) => (inside ? path : join(INSTALL_ROOT, path));
  const bun = programName() === PACKAGED ? `npx --yes bun@${Bun.version}` : "bun";
  io.out(`Try it:   ${bun} test ${inside ? "" : `--preload ${runtime("core/cli/preload.ts")} `}./${name}`);
  const program = programName() === PACKAGED ? PACKAGED : `bun ${runtime("core/cli.ts")}`;
  io.out(`Run it:   ${program} serve lectern/plugins ./${name}/plugin.ts`);
  return 0;
}

/** The reason why a name is taken: a plugin has it, or one has a table or event that the new plugin would have. */
function conflictOf(name: string, plugins: readonly AnyPlugin[]): string | undefined {
  for (const plugin of plugins) {
    const { read = [], write = [] } = plugin.grants;
    if (plugin.name.replaceAll("-", "_") === name) return "a plugin has that name";
    if ([...read, ...write].includes(name as TableName)) return `"${plugin.name}" uses a table of that name`;
    if (plugin.events.some((event) => event === `${name}_leave`)) return `"${plugin.name}" has an event of that name`;
  }
  return undefined;
}

function pluginText(name: string): string {
  return `/** Notes that readers leave on books. */
import { definePlugin, endpoint, idOf, notFound, rules, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type {} from "lectern/plugins";

declare module "lectern/db" {
  interface Tables {
    ${name}: { book_id: number; user_id: number; note: string };
  }
}

interface Note {
  book_id: number;
  user_id: number;
  note: string;
}

declare module "lectern/core" {
  interface Events {
    ${name}_leave: { draft: Note; result: Note };
  }
}

const saveNote = prepared("${name}.save", (db, p: Note) =>
  db
    .insertInto("${name}")
    .values({ book_id: p.book_id, user_id: p.user_id, note: p.note })
    .onConflict((conflict) => conflict.columns(["book_id", "user_id"]).doUpdateSet({ note: p.note })),
);

const removeNotes = prepared("${name}.removeOfBooks", (db, p: { bookIds: readonly number[] }) =>
  db.deleteFrom("${name}").where("book_id", "=", sql<number>\`any(\${p.bookIds}::integer[])\`),
);

const noteRules = rules({ note: ["required", "string", "max:500"] });

export default definePlugin({
  name: "${name}",
  grants: { write: ["${name}"], read: ["books"] },
  migrations: {
    // A step that has run somewhere must not be changed; add "0002_…" for further changes.
    async "0001_init"(db) {
      await sql\`create table "${name}" (
        book_id integer not null, user_id integer not null, note text not null, primary key (book_id, user_id)
      )\`.execute(db);
    },
  },
  events: ["${name}_leave"],
  setup({ app, contribute, db, perform, validate, visible }) {
    // Deletes the notes of books that are deleted permanently.
    contribute("dependents", {
      kind: "book",
      async destroy(ids, tx) {
        await removeNotes.execute(tx.db, { bookIds: [...ids] });
      },
    });
    app.get(
      "/books/:id/${name}",
      async ({ params, viewer }) => {
        const book = await visible("books", viewer).select("id").where("id", "=", idOf(params.id, "Book")).executeTakeFirst();
        if (!book) throw notFound("Book");
        const data = await db.selectFrom("${name}").selectAll().where("book_id", "=", book.id).execute();
        return { data, total: data.length };
      },
      { permit: "access-api", ...endpoint("${name}", "list", { about: "Lists the notes on a book." }) },
    );
    app.post(
      "/books/:id/${name}",
      async ({ params, viewer, input }) => {
        const book = await visible("books", viewer).select("id").where("id", "=", idOf(params.id, "Book")).executeTakeFirst();
        if (!book) throw notFound("Book");
        const { note } = await validate(noteRules, input, viewer);
        const draft = { book_id: book.id, user_id: viewer.id, note };
        return perform("${name}_leave", viewer, draft, async (final, tx) => {
          await saveNote.execute(tx.db, final);
          return final;
        });
      },
      { permit: "access-api", ...endpoint("${name}", "leave", { about: "Leaves a note on a book.", rules: noteRules }) },
    );
  },
});
`;
}

function testText(name: string): string {
  return `import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "lectern/test";
import plugin from "./plugin.ts";

/** The first boot creates a database server, which may take longer than the default timeout of a test. */
const FIRST_BOOT_MS = 120_000;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [plugin] });
}, FIRST_BOOT_MS);
afterAll(() => runtime.stop(), FIRST_BOOT_MS);

test("a note is left on a book, and listed for those who can view the book", async () => {
  const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "Read me" } });
  const path = \`/api/books/\${book.id}/${name}\`;
  expect((await runtime.ask("POST", path, { body: { note: "Well said" } })).status).toBe(200);
  expect((await runtime.ask("POST", path, { body: {} })).status).toBe(422);
  expect((await runtime.ask("GET", path)).body).toEqual({ data: [{ book_id: book.id, user_id: 1, note: "Well said" }], total: 1 });
  const stranger = await runtime.person("stranger", ["access-api"]);
  expect((await runtime.ask("GET", path, { as: stranger.token })).status).toBe(404);
});
`;
}
