/**
 * Three servers behind nginx over one database: sessions, limits and files hold at all of them; the jobs and schedules of one that
 * is killed go on at the others, and readers notice nothing.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { form } from "../support/harness/attachments.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { type Nginx, startNginx } from "../support/harness/nginx.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const ROOT = join(import.meta.dir, "../..");
const SERVERS = 3;
const ATTEMPTS = 3;
const JOBS = 9;
const TICK_MS = 500;
const LEASE_MS = scaled(4_000);
const PASSWORD = "a long password";
const data = dataFolder();
const folder = mkdtempSync(join(tmpdir(), "lectern-three-"));
chmodSync(folder, 0o755);

/** Says which process answers; its jobs take until they are released, and both jobs and ticks note their process. */
const PLUGIN = `import { definePlugin, sql } from "lectern/core";
const note = (db, what, n = 0) => db.insertInto("shift").values({ what, n, pid: process.pid }).execute();
export default definePlugin({
  name: "shift",
  grants: { write: ["shift"] },
  migrations: {
    "0001_init": async (db) => void (await sql\`create table shift (id serial primary key, what text not null, n integer not null,
      pid integer not null, at timestamptz not null default now())\`.execute(db)),
  },
  setup({ app, db, jobs }) {
    jobs.handle("shift-work", async ({ n }) => {
      await note(db, "begun", n);
      const released = () => db.selectFrom("shift").select("id").where("what", "=", "released").executeTakeFirst();
      while (!(await released())) await Bun.sleep(50);
      await note(db, "done", n);
    }, { leaseMs: ${LEASE_MS} });
    jobs.every("shift-tick", ${TICK_MS}, async () => void (await note(db, "tick")));
    app.get("/shift", () => ({ pid: process.pid }), { permit: "public" });
    app.get("/shift/rows", () => db.selectFrom("shift").select(["what", "n", "pid", "at"]).orderBy("id").execute(),
      { permit: "access-api" });
    app.put("/shift", async () => void (await note(db, "released")), { permit: "access-api" });
    app.post("/shift", async () => {
      for (let n = 0; n < ${JOBS}; n++) await jobs.enqueue("shift-work", { n });
      return {};
    }, { permit: "access-api" });
  },
});
`;

interface Row {
  readonly what: "begun" | "done" | "released" | "tick";
  readonly n: number;
  readonly pid: number;
  readonly at: string;
}

const programs: Program[] = [];
let nginx: Nginx | undefined;
beforeAll(async () => {
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const file = join(folder, "shift.ts");
  writeFileSync(file, PLUGIN);
  const env = { APP_PROXIES: "127.0.0.1", LOG_LEVEL: "warn", SIGN_IN_ATTEMPTS: String(ATTEMPTS) };
  for (let at = 0; at < SERVERS; at++)
    programs.push(await startProgram(data.path, env, { args: ["serve", "plugins/mod.ts", file] }));
  nginx = await startNginx(
    folder,
    programs.map(({ port }) => port),
  );
});
afterAll(async () => {
  await nginx?.stop();
  for (const program of programs) program.signal("SIGTERM");
  await Promise.all(programs.map(({ ended }) => ended));
  data.remove();
  rmSync(folder, { recursive: true, force: true });
});

const request = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${nginx?.port}${path}`, init);
const asAdmin = () => ({ authorization: programs[0]?.authorization ?? "" });

async function ask<Body>(method: string, path: string, body?: object): Promise<Body> {
  const isForm = body instanceof FormData;
  const headers = { ...asAdmin(), ...(isForm ? {} : { "content-type": "application/json" }) };
  const answer = await request(path, { method, headers, ...(body && { body: isForm ? body : JSON.stringify(body) }) });
  expect(`${method} ${path}: ${answer.status}`).toBe(`${method} ${path}: 200`);
  return answer.json() as Promise<Body>;
}

const signIn = (email: string, password: string) =>
  request("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });

/** The statuses of as many answers as reach every server. */
const everywhere = async (path: string, headers: Record<string, string>) =>
  new Set(
    await Promise.all(Array.from({ length: 2 * SERVERS }, async () => (await request(path, { headers })).status)),
  );

async function person(name: string): Promise<string> {
  const email = `${name}@example.com`;
  await ask("POST", "/api/users", { name, email, password: PASSWORD, roles: [1] });
  return email;
}

test("each server answers a share of the requests", async () => {
  if (!nginx) return;
  const answering = new Set<number>();
  for (let at = 0; at < 3 * SERVERS; at++) answering.add((await ask<{ pid: number }>("GET", "/api/shift")).pid);
  expect([...answering].sort()).toEqual(programs.map(({ pid }) => pid).sort());
});

test("a session is one at every server and ends at all; attempts to sign in are counted over all", async () => {
  if (!nginx) return;
  const email = await person("ann");
  const cookie = (await signIn(email, PASSWORD)).headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(await everywhere("/api/users/me", { cookie })).toEqual(new Set([200]));
  expect((await request("/api/session", { method: "DELETE", headers: { cookie } })).ok).toBe(true);
  const ended = await until(
    () => everywhere("/api/users/me", { cookie }),
    (statuses) => !statuses.has(200),
  );
  expect(ended).toEqual(new Set([403]));
  const other = await person("ben");
  const seen: number[] = [];
  for (let at = 0; at < ATTEMPTS + 1; at++) seen.push((await signIn(other, "a wrong password")).status);
  expect(seen).toEqual([401, 401, 401, 429]);
});

test("a file and a draft that one server took are served by all", async () => {
  if (!nginx) return;
  const book = await ask<{ id: number }>("POST", "/api/books", { name: "Shared" });
  const page = await ask<{ id: number }>("POST", "/api/pages", { book_id: book.id, name: "Page", html: "<p>x</p>" });
  const file = new File(["a,b\n"], "list.csv", { type: "text/csv" });
  const parts = form({ name: "List", uploaded_to: String(page.id), file });
  const { id } = await ask<{ id: number }>("POST", "/api/attachments", parts);
  expect(await everywhere(`/api/attachments/${id}`, asAdmin())).toEqual(new Set([200]));
  await ask("PUT", `/api/drafts/page/${page.id}`, { name: "Page", markdown: "# Mine", base_revision: 1 });
  for (let at = 0; at < SERVERS; at++) {
    const { draft } = await ask<{ draft: { markdown: string } }>("GET", `/api/drafts/page/${page.id}`);
    expect(draft.markdown).toBe("# Mine");
  }
});

test("a server is killed: its jobs are done by the others, schedules go on, and no read fails", async () => {
  if (!nginx) return;
  const rows = () => ask<Row[]>("GET", "/api/shift/rows");
  await ask("POST", "/api/shift");
  const begun = await until(
    async () => (await rows()).filter(({ what }) => what === "begun"),
    (found) => new Set(found.map(({ pid }) => pid)).size > 1,
  );
  const victim = programs.find(({ pid }) => pid === begun[0]?.pid) as Program;
  victim.signal("SIGKILL");
  await victim.ended;
  programs.splice(programs.indexOf(victim), 1);
  const killed = new Date().toISOString();
  expect((await request("/api/shift", { method: "PUT", headers: asAdmin() })).ok).toBe(true);
  const numbers = (some: Row[]) => [...new Set(some.filter(({ what }) => what === "done").map(({ n }) => n))].sort();
  const all = await until(rows, (found) => numbers(found).length === JOBS, 60_000);
  expect(numbers(all)).toEqual(Array.from({ length: JOBS }, (_, n) => n));
  // Those that were under way at the killed server were begun again.
  const cut = all.filter(({ what, n, pid }) => what === "begun" && pid === victim.pid && !isDoneBy(all, n, pid));
  expect(cut.length).toBeGreaterThan(0);
  for (const { n } of cut)
    expect(all.some((row) => row.what === "done" && row.n === n && row.pid !== victim.pid)).toBe(true);
  // One that the killed server was amid is taken over when its lease has ended, within half a minute.
  const later = (found: Row[]) =>
    found.filter(({ what, at }) => what === "tick" && new Date(at).toISOString() > killed);
  const ticks = later(await until(rows, (found) => later(found).length > 2, 60_000));
  expect(ticks.map(({ pid }) => pid)).not.toContain(victim.pid);
});

const isDoneBy = (all: readonly Row[], n: number, pid: number): boolean =>
  all.some((row) => row.what === "done" && row.n === n && row.pid === pid);
