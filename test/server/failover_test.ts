/**
 * The leader of a PostgreSQL cluster under Patroni is killed while two servers write. One knows all hosts, the other one HAProxy.
 * Requests are answered 503 meanwhile, the servers recover by themselves, and every acknowledged write is there afterwards.
 * `test/bench/ha.ts` does this ten times and measures.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { WriteLoad } from "../support/harness/failover.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { missingForPatroni, type PatroniCluster, startPatroni } from "../support/harness/patroni.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(300_000));
const isHere = missingForPatroni.length === 0;
const onPatroni = isHere ? test : test.skip;
const skipped = isHere ? "" : ` (skipped: ${missingForPatroni.join(", ")} is missing here)`;
/** Less than Patroni documents, since this waits for it. */
const TIMES = { ttl: 6, loopWait: 1 };
const PAGES = 10;
const folder = dataFolder();
const servers: Program[] = [];
let cluster: PatroniCluster | undefined;

beforeAll(async () => {
  if (!isHere) return;
  cluster = await startPatroni(TIMES);
  for (const url of [cluster.url, cluster.proxyUrl])
    servers.push(await startProgram(folder.path, { DATABASE_URL: url, LOG_LEVEL: "error" }));
});
afterAll(async () => {
  for (const server of servers) server.signal("SIGTERM");
  await Promise.all(servers.map(({ ended }) => ended));
  await cluster?.stop();
  folder.remove();
});

onPatroni(`no acknowledged write is lost when the leader is killed, and the servers recover${skipped}`, async () => {
  const [first] = servers as [Program];
  const book = (await first.ask("POST", "/api/books", { name: "Runbooks" })).body.id as number;
  const load = new WriteLoad(servers, book);
  load.start(2);
  while (load.counts.acknowledged < PAGES) await Bun.sleep(20);
  const { killed } = await load.kill(cluster as PatroniCluster);
  await load.stop();
  expect(await (cluster as PatroniCluster).leader()).not.toBe(killed);
  // Nothing but 200, and 503 in the one error shape.
  expect(load.defects).toEqual([]);
  expect(load.counts.unavailable).toBeGreaterThan(0);
  const stored = new Set<unknown>();
  for (let offset = 0, total = 1; offset < total; offset += 500) {
    const { body } = await first.ask("GET", `/api/pages?count=500&offset=${offset}`);
    total = body.total as number;
    for (const { name } of body.data as { name: string }[]) stored.add(name);
  }
  expect(load.names.filter((name) => !stored.has(name))).toEqual([]);
  for (const server of servers)
    for (let at = 0; at < PAGES; at++) {
      expect((await server.ask("GET", "/api/search?query=DBA")).status).toBe(200);
      expect((await server.ask("POST", "/api/books", { name: `Back ${at}` })).status).toBe(200);
    }
});
