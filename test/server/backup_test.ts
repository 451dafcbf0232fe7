import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "lectern/core";
import { migrate, openStore } from "lectern/db";
import { fill, send } from "../support/data/sample_instance.ts";
import { createDatabase, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { CLI, command, quickCommand } from "../support/harness/command.ts";
import { filesOf, type InstancePlace, rowsOf } from "../support/harness/instance_contents.ts";
import { dataFolder, PROGRAM_ROOT, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const LONG = 180_000;
const root = dataFolder();
const archive = join(root.path, "full.tar.zst");

/** A data folder below the one of this file. */
function folder(name: string): InstancePlace & { readonly env: Record<string, string> } {
  const dataDir = join(root.path, name);
  mkdirSync(dataDir);
  return { dataDir, env: { DATA_DIR: dataDir } };
}

const source = folder("source");

/** What a plugin that is no longer installed left: objects of the kinds that a schema may have. */
const ODDS = String.raw`
  create type mood as enum ('calm', 'it''s "loud"');
  create sequence florist_numbers start 5 increment 5;
  create function bouquet_key(name text) returns text language sql immutable as $$ select lower(name) $$;
  create table "Bouquets" (id serial primary key, name text not null check (name <> ''), feeling mood default 'calm',
    number bigint default nextval('florist_numbers'), price numeric(10, 2), parts jsonb, made timestamptz default now(),
    "Key" text collate "C" generated always as (bouquet_key(name)) stored, bytes bytea, ratio double precision,
    book_id integer references books (id) on delete set null, unique (name, number)) with (fillfactor = 80);
  create index on "Bouquets" (lower(name)) where price > 1;
  create view dear as select name from "Bouquets" where price > 10;
  create function count_bouquet() returns trigger language plpgsql as $$ begin new.ratio := 1 / 3.0; return new; end $$;
  create trigger counted before insert on "Bouquets" for each row execute function count_bouquet();
  comment on table "Bouquets" is 'What''s left';
  insert into "Bouquets" (name, price, parts, bytes, book_id) select E'Tab\t, line\n, \\N and \\', 12.5, '{"a": [1, null]}', '\x00ff0a', min(id) from books;
  insert into "Bouquets" (name, feeling) values ('Ærø – 花', 'it''s "loud"');
  alter table "Bouquets" disable trigger counted`;

async function leaveOdds(place: InstancePlace): Promise<void> {
  const store = await openStore(place);
  await migrate(store.db, "florist", { "0001_init": async (db) => void (await sql.raw(ODDS).execute(db)) });
  await store.close();
}

beforeAll(async () => {
  const program = await startProgram(source.dataDir);
  await fill(program, `http://127.0.0.1:${program.port}`);
  program.signal("SIGTERM");
  await program.ended;
  await leaveOdds(source);
  expect(await command(["backup", archive], source.env)).toMatchObject({ code: 0, err: "" });
}, LONG);
afterAll(root.remove);

/** Starts a command whose end a test decides. */
function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: PROGRAM_ROOT,
    env: { ...process.env, DATABASE_URL: "", LOG_LEVEL: "silent", ...env },
    stdio: "ignore",
  });
  return { kill: () => child.kill("SIGKILL"), ended: once(child, "exit"), isRunning: () => child.exitCode === null };
}

describe("a backup", () => {
  test(
    "is restored with every row and every file, also those of a plugin that is not installed",
    async () => {
      expect(statSync(archive).mode & 0o777).toBe(0o600);
      const target = folder("target");
      const restored = await command(["restore", archive], target.env);
      expect(restored).toMatchObject({ code: 0, err: "" });
      expect(restored.out).toContain('The plugin "florist" is not installed');
      expect(await rowsOf(target)).toEqual(await rowsOf(source));
      expect(filesOf(target.dataDir)).toEqual(filesOf(source.dataDir));
      expect((await quickCommand(["check"], target.env)).code).toBe(0);
    },
    LONG,
  );

  test(
    "moves from the embedded store to a server, and back",
    async () => {
      if (!systemBinaries()) return;
      const cluster = await startCluster();
      try {
        const server = { ...folder("server"), databaseUrl: await createDatabase(cluster?.url ?? "") };
        const env = { ...server.env, DATABASE_URL: server.databaseUrl };
        expect(await quickCommand(["restore", archive], env)).toMatchObject({ code: 0, err: "" });
        expect(await rowsOf(server)).toEqual(await rowsOf(source));
        expect((await quickCommand(["check"], env)).code).toBe(0);
        const again = join(root.path, "again.tar.zst");
        expect(await quickCommand(["backup", again], env)).toMatchObject({ code: 0, err: "" });
        const back = folder("back");
        expect(await quickCommand(["restore", again], back.env)).toMatchObject({ code: 0, err: "" });
        expect(await rowsOf(back)).toEqual(await rowsOf(server));
        expect(filesOf(back.dataDir)).toEqual(filesOf(source.dataDir));
      } finally {
        await cluster?.stop();
      }
    },
    LONG,
  );

  test(
    "is verified by restoring it into a temporary store",
    async () => {
      const verified = await quickCommand(["backup", "--verify", archive], source.env);
      expect(verified).toMatchObject({ code: 0, err: "" });
      expect(verified.out).toContain("The backup is complete");
    },
    LONG,
  );

  test(
    "that is truncated or altered is refused before anything changes",
    async () => {
      const bytes = readFileSync(archive);
      const bad = join(root.path, "bad.tar.zst");
      const target = folder("untouched");
      const altered = Buffer.from(bytes);
      const at = Math.floor(bytes.length / 2);
      altered[at] = (altered[at] ?? 0) ^ 1;
      for (const damaged of [
        bytes.subarray(0, bytes.length - 1000),
        altered,
        Buffer.from("no backup"),
        Buffer.alloc(0),
      ]) {
        writeFileSync(bad, damaged);
        const refused = await command(["restore", bad], target.env);
        expect(refused.code).toBe(1);
        expect(refused.err).toStartWith(`Cannot use the backup "${bad}": it is `);
      }
      expect(readdirSync(target.dataDir)).not.toContain("files");
      const store = await openStore(target);
      expect(await store.sql`select 1 from pg_tables where schemaname = current_schema()`).toHaveLength(0);
      await store.close();
    },
    LONG,
  );

  test(
    "is consistent while others write and delete",
    async () => {
      const program = await startProgram(source.dataDir);
      let isWriting = true;
      let written = 0;
      const book = (await send(program, "POST", "/api/books", { name: "Busy" })) as { id: number };
      const write = async () => {
        for (let n = 0; isWriting; n++) {
          const page = await send(program, "POST", "/api/pages", {
            book_id: book.id,
            name: `Page ${n}`,
            html: "<p>x</p>",
          });
          const form = new FormData();
          form.set("name", "File");
          form.set("uploaded_to", String(page.id));
          form.set("file", new File([`content ${n}`], "a.txt"));
          const url = `http://127.0.0.1:${program.port}/api/attachments`;
          const { authorization } = program;
          const sent = await fetch(url, { method: "POST", headers: { authorization }, body: form });
          const { id } = (await sent.json()) as { id: number };
          written += 1;
          if (n % 2 === 1) await send(program, "DELETE", `/api/attachments/${id}`);
        }
      };
      const writers = [write(), write()];
      const busy = join(root.path, "busy.tar.zst");
      await until(() => written > 4);
      expect(await quickCommand(["backup", busy], source.env)).toMatchObject({ code: 0, err: "" });
      isWriting = false;
      await Promise.all(writers);
      const refused = await quickCommand(["restore", busy, "--replace"], source.env);
      expect(refused.err).toContain("a server or a command uses the store");
      program.signal("SIGTERM");
      await program.ended;
      const target = folder("busy");
      expect(await quickCommand(["restore", busy], target.env)).toMatchObject({ code: 0, err: "" });
      const store = await openStore(target);
      const torn = await store.sql`select id from pages p where not draft
      and (not exists (select from page_revisions r where r.page_id = p.id) or not exists (select from search_index s where s.item_id = p.id and s.kind = 'page'))`;
      const attached = await store.sql<
        { file_key: string }[]
      >`select file_key from attachments where file_key is not null`;
      const pages = await store.sql`select id from pages where book_id = ${book.id}`;
      await store.close();
      expect([...torn]).toEqual([]);
      expect(pages.length).toBeGreaterThan(2);
      const files = filesOf(target.dataDir);
      expect(attached.filter(({ file_key }) => files[`attachments/${file_key}`] === undefined)).toEqual([]);
    },
    LONG,
  );
});

describe("kill -9", () => {
  test(
    "during a backup leaves the former file",
    async () => {
      const file = join(root.path, "killed.tar.zst");
      writeFileSync(file, readFileSync(archive));
      const running = start(["backup", file], source.env);
      while (running.isRunning() && !readdirSync(root.path).some((name) => name.startsWith("killed.tar.zst.partial")))
        await Bun.sleep(1);
      running.kill();
      await running.ended;
      expect(readFileSync(file).equals(readFileSync(archive))).toBe(true);
      expect(await quickCommand(["backup", "--verify", file], source.env)).toMatchObject({ code: 0 });
    },
    LONG,
  );

  test(
    "during a restore leaves what was, and it can be run again",
    async () => {
      const target = folder("killed");
      expect(await quickCommand(["restore", archive], target.env)).toMatchObject({ code: 0 });
      const store = await openStore({ ...target, poolSize: 2 });
      try {
        await store.sql`insert into tags (kind, item_id, position, name) values ('book', 1, 99, 'only here')`;
        const [before, files] = [await rowsOf(target), filesOf(target.dataDir)];
        const running = start(["restore", archive, "--replace"], target.env);
        // The lock that a restore holds from its first change to its commit.
        while (
          running.isRunning() &&
          (await store.sql`select 1 from pg_locks where locktype = 'advisory' and objid = 7206415`).length === 0
        )
          await Bun.sleep(1);
        await Bun.sleep(50);
        running.kill();
        await running.ended;
        while ((await store.sql`select 1 from pg_locks where locktype = 'advisory' and objid = 7206415`).length > 0)
          await Bun.sleep(10);
        expect(await rowsOf(target)).toEqual(before);
        expect(filesOf(target.dataDir)).toEqual(files);
      } finally {
        await store.close();
      }
      expect(await quickCommand(["restore", archive], target.env)).toMatchObject({ code: 1 });
      expect(await quickCommand(["restore", archive, "--replace"], target.env)).toMatchObject({ code: 0, err: "" });
      expect(await rowsOf(target)).toMatchObject({ "public.tags": (await rowsOf(source))["public.tags"] as string[] });
    },
    LONG,
  );
});
