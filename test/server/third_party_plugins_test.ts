/**
 * Third-party plugins in an operator's own folder, outside Lectern: one plugin is a folder there, the other, which requires it,
 * an npm package. Installed, used, denied grants, upgraded, and removed with their data kept. The tests depend on each other's
 * order over one data folder.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLI, PROGRAM_NAME, quickCommand } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(120_000));
const ROOT = join(import.meta.dir, "../..");
const FIXTURES = join(ROOT, "test/fixtures/plugins");
const PATIENCE_MS = 15_000;
const home = realpathSync(mkdtempSync(join(tmpdir(), "lectern-operator-")));
const data = dataFolder("ready");
afterAll(() => {
  data.remove();
  rmSync(home, { recursive: true, force: true });
});

const ALL = ["lectern/plugins", "./applause", "lectern-podium"];

/** Writes the operator's choices; the packages are those already there. */
function choose(plugins: readonly string[], more: object = {}): void {
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, lectern: { plugins, ...more } }));
}

async function run(...args: readonly string[]) {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: home,
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: data.path, LOG_LEVEL: "warn" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}
const cli = (...args: string[]) => run(CLI, ...args);
/** The same where no file of a plugin has changed before, without the end of the last line. */
const quick = (...args: string[]) => quickCommand(args, { DATA_DIR: data.path, LOG_LEVEL: "warn" }, home);

/** Starts the server in the operator's folder, and stops it when the work with it is done. */
async function serving(work: (server: Program) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const server = await startProgram(data.path, env, { cwd: home, args: ["serve"] });
  try {
    await work(server);
  } finally {
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
  }
}

/** Who clapped for the first book, once every row is as wanted or the time is over. */
async function applause(server: Program, wanted: (row: Record<string, unknown>) => boolean) {
  for (const start = Date.now(); ; await Bun.sleep(20)) {
    const { body } = await server.ask("GET", "/api/books/1/applause");
    const rows = body.data as Record<string, unknown>[];
    if (rows.every(wanted) || Date.now() - start > PATIENCE_MS) return rows;
  }
}

test("a folder and a package are installed by one file, and all they bring along works", async () => {
  cpSync(join(FIXTURES, "applause"), join(home, "applause"), { recursive: true });
  cpSync(join(FIXTURES, "lectern-podium"), join(home, "node_modules/lectern-podium"), { recursive: true });
  choose(ALL, { settings: { applause: { most: 20 } } });
  expect((await cli("grants")).out).toMatch(
    /applause +read=books write=applause env=\w+\n +handlers=applause_give\n(?: +\w+=.*\n)+ +not accepted in package.json\npodium +read=books\n/,
  );
  await serving(async (server) => {
    const granted = server.output().match(/(?<=what it may touch: ).*/g);
    expect(granted).toEqual([
      expect.stringMatching(/^applause +read=books/),
      expect.stringMatching(/^podium +read=books/),
    ]);
    for (const name of ["Quiet", "Loud"]) await server.ask("POST", "/api/books", { name });
    const clap = (book: number, hands: unknown) => server.ask("POST", `/api/books/${book}/applause`, { hands });
    expect((await clap(1, 12)).body).toEqual({ book_id: 1, user_id: 1, hands: 12 });
    expect((await clap(2, 20)).status).toBe(200);
    expect((await clap(2, "loud")).status).toBe(422);
    expect((await clap(9, 1)).status).toBe(404);
    expect([(await clap(2, 21)).status, (await clap(2, 21)).body]).toEqual([
      403,
      { error: { code: 403, message: "At most 20 hands may clap at once" } },
    ]);
    expect(await applause(server, ({ thanked }) => thanked === true)).toEqual([
      { book_id: 1, user_id: 1, hands: 12, thanked: true },
    ]);
    expect((await server.ask("GET", "/api/podium")).body).toEqual({
      data: [
        { id: 2, name: "Loud", hands: 20 },
        { id: 1, name: "Quiet", hands: 12 },
      ],
      total: 2,
      of: 2,
    });
    const key = (await server.ask("POST", "/api/v1/dashboard/keys", { token_name: "Board" })).body;
    const metrics = await fetch(`http://127.0.0.1:${server.port}/api/v1/dashboard/metrics`, {
      headers: { authorization: `Basic ${key.basic}` },
    });
    expect(await metrics.text()).toContain("lectern_applause_total 32");
  });
});

test("a permission they add is asked for, can be given to roles, and a variable sets what a setting says", async () => {
  const clapping = async (server: Program, role: number): Promise<number> => {
    const email = `c${role}@example.com`;
    await server.ask("POST", "/api/users", { name: "C", email, roles: [role] });
    const token = (await quick("token", "create", "--user", email, "--name", "t")).out.split("\n").at(-1);
    const response = await fetch(`http://127.0.0.1:${server.port}/api/books/1/applause`, {
      method: "POST",
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      body: '{"hands":3}',
    });
    return response.status;
  };
  await serving(
    async (server) => {
      const roleOf = async (permissions: readonly string[]) =>
        (await server.ask("POST", "/api/roles", { display_name: permissions.join(" "), permissions })).body
          .id as number;
      const reads = ["access-api", "book-view-all"];
      expect(await clapping(server, await roleOf(reads))).toBe(403);
      expect(await clapping(server, await roleOf([...reads, "applause-give"]))).toBe(200);
      expect((await server.ask("POST", "/api/books/1/applause", { hands: 4 })).body).toMatchObject({
        error: { message: "At most 3 hands may clap at once" },
      });
    },
    { APPLAUSE_MOST: "3" },
  );
});

test("what the operator denies is refused while the server runs, and nobody else suffers", async () => {
  choose(ALL, { denied: { podium: ["read"] } });
  expect((await quick("grants")).out).toContain("read=books (denied)");
  expect((await quick("plan")).out).toMatch(/podium +read=books \(denied\)/);
  await serving(async (server) => {
    expect((await server.ask("GET", "/api/podium")).status).toBe(500);
    expect(server.output()).toContain('Plugin \\"podium\\" cannot read table \\"books\\"');
    expect((await server.ask("GET", "/api/books/1/applause")).status).toBe(200);
  });
  choose(ALL);
});

test("grants that were accepted are kept by an upgrade that wants less, and one that wants more stops with what it wants", async () => {
  const accepted = await cli("grants", "accept");
  expect([accepted.code, accepted.out]).toEqual([
    0,
    expect.stringContaining("Accepted in package.json: applause, podium\n"),
  ]);
  const file = join(home, "applause/plugin.ts");
  const source = readFileSync(file, "utf8");
  writeFileSync(file, source.replace('read: ["books"],', 'read: ["books", "users"], system: true,'));
  const refused = await cli("check");
  expect([refused.code, refused.err]).toEqual([
    1,
    `The plugin "applause" wants more than "grants" of package.json accepts:\n  + read: users\n  + system\nTo accept it: ${PROGRAM_NAME} grants accept applause\n`,
  ]);
  expect((await cli("grants", "applause")).out).toContain(
    "  more than accepted in package.json:\n    + read: users\n    + system\n",
  );
  expect((await cli("grants", "accept", "aplause")).err).toBe(
    'There is no plugin "aplause"; did you mean "applause"?\n',
  );
  expect((await cli("grants", "accept", "applause")).code).toBe(0);
  writeFileSync(file, source);
  const shown = JSON.parse((await cli("grants", "--json")).out);
  expect(shown.applause).toMatchObject({
    ships: false,
    grants: { read: ["books"] },
    accepted: { system: true },
    beyond: [],
  });
  expect((await cli("check")).code).toBe(0);
  choose(["lectern/plugins", "./applause"], {
    grants: JSON.parse(readFileSync(join(home, "package.json"), "utf8")).lectern.grants,
  });
  expect((await cli("grants")).out).toContain(
    'The grants of "podium" are accepted in package.json, and no such plugin is loaded\n',
  );
  choose(ALL);
});

test("the next version runs its new step once and finds the data of the one before", async () => {
  const file = join(home, "applause/migrations.ts");
  const step = `  async "0002_encores"(db) {
    await sql\`alter table applause add column encores integer not null default 1\`.execute(db);
  },
};`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/};\s*$/, step));
  const migrated = await cli("migrate");
  expect([migrated.code, migrated.out]).toEqual([0, "applause 0002_encores\n"]);
  await serving(async (server) => {
    const rows = await applause(server, () => true);
    expect(rows).toContainEqual({ book_id: 1, user_id: 1, hands: 12, thanked: true, encores: 1 });
  });
});

test("the one that others need cannot leave first; boot names who needs what", async () => {
  choose(["lectern/plugins", "lectern-podium"]);
  const refused = await cli("serve");
  expect([refused.code, refused.err.trim()]).toEqual([
    1,
    'The plugin "podium" requires "applause", which no plugin provides',
  ]);
});

test("once both are taken out their routes are gone and their rows stay, and are found when they come back", async () => {
  choose(["lectern/plugins"]);
  await serving(async (server) => {
    expect((await server.ask("GET", "/api/podium")).status).toBe(404);
    expect((await server.ask("GET", "/api/books/1/applause")).status).toBe(404);
    expect((await server.ask("GET", "/api/books/1")).status).toBe(200);
  });
  choose(ALL);
  await serving(async (server) => {
    expect((await server.ask("GET", "/api/podium")).body).toMatchObject({ total: 2 });
    const rows = await applause(server, () => true);
    expect(rows).toContainEqual({ book_id: 1, user_id: 1, hands: 12, thanked: true, encores: 1 });
  });
});

test("a package that is not there is named, not fetched", async () => {
  choose(["lectern/plugins", "lectern-absent"]);
  const absent = await quick("check");
  expect([absent.code, absent.err]).toEqual([
    1,
    expect.stringContaining('Cannot load the plugins of "lectern-absent": wanted a file, a folder'),
  ]);
  choose(ALL);
});

test("away from Lectern, too, a new plugin's own test passes", async () => {
  const written = await quick("new", "plugin", "margin_notes");
  const command = /Try it: +(?:bun|npx --yes bun@\S+) (.*)/.exec(written.out)?.[1] ?? "";
  const tested = await run(...command.split(" "), "--timeout", "60000");
  expect([tested.code, tested.err]).toEqual([0, expect.stringContaining("1 pass")]);
});
