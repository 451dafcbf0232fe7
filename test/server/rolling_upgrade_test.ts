/**
 * Servers behind nginx are upgraded one after the other, without a request that fails: the newer version, a copy of the sources
 * with another number and a plugin with a further step and further rights, runs beside the older one over one database.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { type Nginx, startNginx } from "../support/harness/nginx.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(240_000));
const ROOT = join(import.meta.dir, "../..");
const NEWER = "0.9.0";
const data = dataFolder();
const folder = mkdtempSync(join(tmpdir(), "lectern-rolling-"));
chmodSync(folder, 0o755);

/** A plugin of the older or the newer version. */
const plugin = (isNewer: boolean) => `import { definePlugin, sql } from "lectern/core";
export default definePlugin({
  name: "rolling",
  grants: { read: ["books"${isNewer ? ', "bookshelves"' : ""}], write: ["rolling"] },
  migrations: {
    "0001_init": async (db) => void (await sql\`create table rolling (id serial primary key, name text not null)\`.execute(db)),
    ${isNewer ? "\"0002_color\": async (db) => void (await sql`alter table rolling add column color text not null default 'red'`.execute(db))," : ""}
  },
  setup({ app, db }) {
    app.get("/rolling", async () => {
      await db.insertInto("rolling").values({ name: "x" }).execute();
      await db.selectFrom("${isNewer ? "bookshelves" : "books"}").select("id").execute();
      return { version: "${isNewer ? "newer" : "older"}" };
    }, { permit: "public" });
  },
});
`;

/** A copy of the sources, as another version would be installed. */
function otherVersion(): string {
  const root = join(folder, "newer");
  for (const part of ["core", "db", "plugins", "themes", "tsconfig.json", "bunfig.toml"])
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  const packaged = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(root, "package.json"), JSON.stringify({ ...packaged, version: NEWER }));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "rolling.ts"), plugin(true));
  return root;
}

const roots = { older: ROOT, newer: "" };
const lists = { older: join(folder, "rolling.ts"), newer: "" };
let ports: number[];
let nginx: Nginx | undefined;
const running = new Set<Program>();

async function start(version: "older" | "newer", at: number): Promise<Program> {
  const env = { PORT: String(ports[at]), APP_PROXIES: "127.0.0.1", LOG_LEVEL: "warn" };
  const args = ["serve", "plugins/mod.ts", lists[version]];
  const program = await startProgram(data.path, env, { root: roots[version], args });
  running.add(program);
  return program;
}

async function stop(program: Program): Promise<void> {
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  running.delete(program);
}

beforeAll(async () => {
  roots.newer = otherVersion();
  lists.newer = join(roots.newer, "rolling.ts");
  // Beside the sources, whose package its imports name.
  lists.older = join(folder, "older/rolling.ts");
  cpSync(join(ROOT, "package.json"), join(folder, "older/package.json"));
  writeFileSync(lists.older, plugin(false));
  ports = [await freePort(), await freePort(), await freePort()];
  nginx = await startNginx(folder, ports);
});
afterAll(async () => {
  await nginx?.stop();
  for (const program of running) program.signal("SIGTERM");
  await Promise.all([...running].map(({ ended }) => ended));
  data.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("servers are replaced by a newer version one after the other, and no request fails", async () => {
  if (!nginx) return;
  const base = `http://127.0.0.1:${nginx.port}`;
  let [one, two] = [await start("older", 0), await start("older", 1)];
  const headers = { authorization: one.authorization, "content-type": "application/json" };
  const book = Number((await one.ask("POST", "/api/books", { name: "Rolling" })).body.id);
  const page = Number((await one.ask("POST", "/api/pages", { book_id: book, name: "Read", html: "<p>x</p>" })).body.id);

  const failed: string[] = [];
  const versions = new Set<string>();
  let [isWriting, isReading, sent] = [true, true, 0];
  const send = async (method: string, path: string, body?: object) => {
    sent++;
    const answer = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
      (error: unknown) => new Response(String(error), { status: 599 }),
    );
    const text = await answer.text();
    if (!answer.ok) failed.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text;
  };
  const reader = async () => {
    while (isReading) {
      await send("GET", `/api/pages/${page}`);
      const found = /"version":\s*"(\w+)"/.exec(await send("GET", "/api/rolling"))?.[1];
      if (found !== undefined) versions.add(found);
    }
  };
  const writer = async () => {
    while (isWriting) await send("POST", "/api/pages", { book_id: book, name: "Written", html: "<p>y</p>" });
  };
  const loops = [reader(), reader(), writer()];

  const three = await start("newer", 2);
  await until(() => versions.has("newer") && versions.has("older"));
  // One of the older version that is restarted meanwhile works on, too.
  await stop(one);
  one = await start("older", 0);
  await stop(one);
  one = await start("newer", 0);
  await stop(two);
  two = await start("newer", 1);
  versions.clear();
  await until(() => versions.size > 0);
  expect(failed).toEqual([]);
  expect([...versions]).toEqual(["newer"]);

  // A write whose server is killed may have been done, so only reads go to another server.
  isWriting = false;
  await loops[2];
  one.signal("SIGKILL");
  await one.ended;
  running.delete(one);
  const before = sent;
  await until(() => sent > before + 50);
  isReading = false;
  await Promise.all(loops);
  expect(failed).toEqual([]);
  expect(three.output()).not.toContain('"level":"error"');
});
