/** Commands that only read change nothing: no store, no administrator, and help before anything else. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";
import plugins from "../../plugins/mod.ts";
import { startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { type CommandResult, command, PROGRAM_NAME, quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));
const folder = dataFolder();
afterAll(() => folder.remove());
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};

const LOOKS = [
  ["plan"],
  ["check"],
  ["grants"],
  ["user", "list"],
  ["user", "invites"],
  ["token", "list"],
  ["role", "list"],
];
const MORE_LOOKS = [["stores"], ["verify"], ["images", "cleanup", "--dry-run"], ["files", "sweep", "--dry-run"]];

test("commands that look make neither a store nor an administrator in an empty folder", async () => {
  const looks = [...LOOKS, ...MORE_LOOKS];
  const env = { DATA_DIR: join(folder.path, "data") };
  for (const look of looks) {
    const { code, out, err } = await quickCommand(look, env, folder.path);
    expect([look, code, readdirSync(folder.path)]).toEqual([look, 0, []]);
    expect(out + err).not.toContain("with the password");
  }
  const { err } = await quickCommand(["user", "list"], {}, folder.path);
  expect(err).toBe("There is no store yet, so there is nothing to show; the first start makes it");
  expect(readdirSync(folder.path)).toEqual([]);
});

onServer("nor in an empty database of a server", async () => {
  const server = await startCluster({ fast: true });
  if (!server) throw new Error("Cannot start a throw-away cluster");
  try {
    const admin = await openStore({ databaseUrl: server.url, dataDir: folder.path, poolSize: 2 });
    await admin.sql.unsafe("create role tenant login nosuperuser nocreatedb password 'fixture'");
    await admin.sql.unsafe("create database tenancy owner tenant");
    const tenancy = new URL(server.url);
    [tenancy.username, tenancy.password, tenancy.pathname] = ["tenant", "fixture", "/tenancy"];
    for (const url of [server.url, tenancy.href]) {
      for (const args of [["plan"], ["check"], ["user", "list"]])
        expect([args, (await quickCommand(args, { DATABASE_URL: url, DATA_DIR: folder.path })).code]).toEqual([
          args,
          0,
        ]);
      const store = await openStore({ databaseUrl: url, dataDir: folder.path, poolSize: 2 });
      const [found] = await store.sql`select count(*)::integer as n from pg_class c
        join pg_namespace s on s.oid = c.relnamespace where s.nspname !~ '^pg_|^information_schema$'`;
      await store.close();
      expect([url, found?.n]).toEqual([url, 0]);
    }
    const names = await admin.sql`select datname as name from pg_database where datname not in ('postgres', 'tenancy')
      and not datistemplate union all select rolname from pg_roles where rolname ~ '^(lectern|owner)'`;
    await admin.close();
    expect([...names]).toEqual([]);
  } finally {
    await server.stop();
  }
});

test("every command and subcommand prints its help before anything boots", async () => {
  const brought = plugins.flatMap(({ commands }) => Object.entries(commands));
  const names = [
    ...["serve", "dev", "migrate", "plan", "check", "files", "grants", "new", "stores"],
    ...brought.map(([name]) => name),
  ];
  // A folder that nobody can use: a boot would fail.
  const nowhere = { DATA_DIR: "/dev/null/x", PORT: "none" };
  const verbs = brought.flatMap(([name, { usage }]) =>
    [...usage.matchAll(/(?:^|\| )([a-z]+)/g)].map(([, verb = ""]) => [name, verb]),
  );
  expect(verbs).toContainEqual(["user", "create"]);
  const forms = [...verbs, ["files", "sweep"], ["new", "plugin"]];
  const usages = [["--help"], ["-h"], ["help"], []];
  const results = await Promise.all(
    [
      ...names.flatMap((name) => [
        [name, "--help"],
        [name, "-h"],
      ]),
      ...forms.map((words) => [...words, "--help"]),
      ...usages,
      ["bogus", "--help"],
    ].map((args) => quickCommand(args, nowhere)),
  );
  const next = () => results.shift() as CommandResult;
  for (const name of names) {
    const [long, short] = [next(), next()];
    expect([name, long.code, long.err, short]).toEqual([name, 0, "", long]);
    expect(long.out).toContain(`\n  ${PROGRAM_NAME} ${name} `);
  }
  for (const words of forms) {
    const { code, out, err } = next();
    expect([words, code, err]).toEqual([words, 0, ""]);
    expect(out.split("\n").filter((line) => line.startsWith(`  ${PROGRAM_NAME}`))).toEqual([
      expect.stringContaining(` ${words.join(" ")}`),
    ]);
  }
  for (const args of usages) {
    const { code, out } = next();
    expect([args, code, out]).toEqual([args, 0, expect.stringContaining(`Usage: ${PROGRAM_NAME} COMMAND`)]);
  }
  const wrong = next();
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('There is no command "bogus"')]);
  // The same in a process of its own: a built-in command, and one of a plugin.
  for (const args of [["serve"], ["user"]]) {
    const { code, out } = await command([...args, "--help"], nowhere);
    expect([args, code, out]).toEqual([args, 0, expect.stringContaining(`\n  ${PROGRAM_NAME} ${args[0]} `)]);
  }
});
