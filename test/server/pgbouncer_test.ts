/**
 * Two servers behind pgbouncer in transaction mode, with every plugin restricted to its grants by PostgreSQL: they boot with their
 * migrations, and API and screens answer under parallel load. What the store itself does there: `db/connection/pooler_test.ts`.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { command } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "../support/harness/pgbouncer.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const isHere = hasPgbouncer && systemBinaries() !== undefined;
const onPooler = isHere ? test : test.skip;
const skipped = isHere ? "" : " (skipped: no pgbouncer and PostgreSQL are installed here)";
const CLIENTS = 12;
const ROUNDS = 4;
const folder = dataFolder();
let cluster: Cluster;
let pooler: Pgbouncer;
let env: Record<string, string>;
const servers: Program[] = [];

beforeAll(async () => {
  if (!isHere) return;
  cluster = (await startCluster({ fast: true })) as Cluster;
  pooler = await startPgbouncer(cluster.url, { sessions: 8 });
  const url = await createDatabase(cluster.url);
  const listen = { DATABASE_LISTEN_URL: url, DATABASE_PREPARE: "false" };
  env = { DATABASE_URL: pooler.over(url), PLUGIN_ROLES: "all", ADMIN_PASSWORD: "correct horse battery", ...listen };
  servers.push(await startProgram(folder.path, env));
  servers.push(await startProgram(folder.path, env));
});
afterAll(async () => {
  for (const server of servers) server.signal("SIGTERM");
  const codes = await Promise.all(servers.map(({ ended }) => ended));
  await pooler?.stop();
  await cluster?.stop();
  folder.remove();
  expect(codes).toEqual(servers.map(() => 0));
});

async function cookieOf({ port }: Program): Promise<string> {
  const form = new URLSearchParams({ email: "admin@example.com", password: "correct horse battery" });
  const answer = await fetch(`http://127.0.0.1:${port}/login`, { method: "POST", body: form, redirect: "manual" });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

onPooler(`API and screens of servers behind a pooler answer under parallel load${skipped}`, async () => {
  const [first, second] = servers as [Program, Program];
  const book = (await first.ask("POST", "/api/books", { name: "Runbooks" })).body.id as number;
  const cookie = await cookieOf(second);
  const screen = async (path: string) =>
    (await fetch(`http://127.0.0.1:${second.port}${path}`, { headers: { cookie, accept: "text/html" } })).status;
  const statuses = new Map<string, number>();
  const count = (what: string, status: number) => {
    const key = `${what} ${status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
  };
  const client = async (at: number) => {
    const server = servers[at % 2] as Program;
    for (let round = 0; round < ROUNDS; round++) {
      const page = { book_id: book, name: `Page ${at} ${round}`, markdown: "Call the **DBA**" };
      const made = await server.ask("POST", "/api/pages", page);
      count("write", made.status);
      count("change", (await server.ask("PUT", `/api/pages/${made.body.id}`, { name: `Changed ${at}` })).status);
      count("listing", (await server.ask("GET", "/api/pages?filter[name:like]=%25Page%25&sort=-name")).status);
      count("search", (await server.ask("GET", "/api/search?query=DBA")).status);
      count("screen", await screen("/books"));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
  const each = CLIENTS * ROUNDS;
  expect(Object.fromEntries(statuses)).toEqual({
    "write 200": each,
    "change 200": each,
    "listing 200": each,
    "search 200": each,
    "screen 200": each,
  });
  const listed = await second.ask("GET", "/api/pages?filter[name:like]=Changed%25");
  expect(listed.body.total).toBe(each);
});

onPooler(`a server behind a pooler hears of what the other one changed${skipped}`, async () => {
  const [first, second] = servers as [Program, Program];
  const role = (await first.ask("POST", "/api/roles", { display_name: "Readers" })).body.id as number;
  expect((await second.ask("GET", `/api/roles/${role}`)).body.display_name).toBe("Readers");
  await first.ask("PUT", `/api/roles/${role}`, { display_name: "Writers" });
  await until(async () => (await second.ask("GET", `/api/roles/${role}`)).body.display_name === "Writers");
  expect((await fetch(`http://127.0.0.1:${second.port}/ready`)).status).toBe(200);
});

onPooler(`a server that hears no notifications shows what others changed a second later${skipped}`, async () => {
  const [first] = servers as [Program, Program];
  const deaf = await startProgram(folder.path, { ...env, DATABASE_LISTEN_URL: "" });
  const book = (await first.ask("POST", "/api/books", { name: "Heard of" })).body.id as number;
  const name = async () => (await deaf.ask("GET", `/api/books/${book}`)).body.name;
  expect([await name(), await name()]).toEqual(["Heard of", "Heard of"]);
  await first.ask("PUT", `/api/books/${book}`, { name: "Changed elsewhere" });
  await until(async () => (await name()) === "Changed elsewhere");
  expect(deaf.output()).toContain("No notifications arrive over the pooler of DATABASE_URL");
  deaf.signal("SIGTERM");
  expect(await deaf.ended).toBe(0);
});

onPooler(`a command behind a pooler says which setting is missing${skipped}`, async () => {
  const refused = await command(["user", "list"], { ...env, DATABASE_PREPARE: "true", DATA_DIR: folder.path });
  expect([refused.code, refused.err.split("\n").length]).toEqual([1, 1]);
  expect(refused.err).toContain("set DATABASE_PREPARE=false, and DATABASE_LISTEN_URL");
});
