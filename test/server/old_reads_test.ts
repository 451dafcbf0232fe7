/**
 * While the primary is away, a replica answers reads, marked by a header, if it has replayed the newest known change of who may see
 * what; everything else is answered 503.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { StoreEvent } from "lectern/db";
import { type Cluster, startCluster } from "../support/harness/cluster.ts";
import { canReplicate, type ReplicaServer, startReplica } from "../support/harness/replica.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(180_000);
const isHere = canReplicate();
const onReplica = isHere ? test : test.skip;
const skipped = isHere ? "" : " (skipped: no PostgreSQL is installed here)";
const READER = ["access-api", "book-view-all"];
const HIDDEN = { inheriting: false, view: false, create: false, update: false, delete: false };

let primary: Cluster;
let replica: ReplicaServer;
let server: TestRuntime;
const events: StoreEvent[] = [];
beforeAll(async () => {
  if (!isHere) return;
  primary = (await startCluster()) as Cluster;
  replica = await startReplica(primary.url);
  const readUrls = [replica.urlOf(primary.url)];
  const onEvent = (event: StoreEvent) => void events.push(event);
  server = await bootTestRuntime({ on: { databaseUrl: primary.url, readUrls, onEvent } });
  await server.runtime.start();
});
afterAll(async () => {
  await server?.stop();
  await replica?.stop();
  await primary?.stop();
});

/** Ends the primary, and waits until the server knows. */
async function losePrimary(): Promise<void> {
  events.length = 0;
  await primary.kill();
  await until(() => events.some(({ kind }) => kind === "lost"));
}

/** Starts it again, and waits until the server writes. */
async function regainPrimary(): Promise<void> {
  await primary.restart();
  await until(async () => (await server.ask("POST", "/api/books", { body: { name: "Back" } })).status === 200);
  await until(() => server.store.replicas?.status()[0]?.isInUse);
}

const OLD = "x-old-read";

onReplica(
  `reads are answered by the replica with a header while the primary is away, and writes 503${skipped}`,
  async () => {
    const reader = await server.person("Rea", READER);
    const { body: book } = await server.ask("POST", "/api/books", { body: { name: "Kept" } });
    const read = () => server.ask("GET", `/api/books/${book.id}`, { as: reader.token });
    await until(async () => (await replica.run(`select from books where id = ${book.id}`)).length === 1);
    const before = await read();
    expect([before.status, before.headers.get(OLD)]).toEqual([200, null]);
    await until(() => (server.store.replicas?.status()[0]?.lagBytes ?? 1) === 0);
    await losePrimary();
    const old = await until(read, ({ status }) => status === 200);
    expect([old.body.name, old.headers.get(OLD)]).toEqual(["Kept", "replica"]);
    for (const path of ["/api/books", "/api/search?query=Kept", "/api/books?filter[name:like]=Ke%25"]) {
      const { status, body, headers } = await server.ask("GET", path, { as: reader.token });
      expect([path, status, body.total, headers.get(OLD)]).toEqual([path, 200, 1, "replica"]);
    }
    const written = await server.ask("POST", "/api/books", { body: { name: "Not now" } });
    expect([written.status, written.headers.get(OLD)]).toEqual([503, null]);
    expect((await server.ask("GET", "/ready", { as: null })).status).toBe(503);
    await regainPrimary();
    const after = await until(read, ({ headers }) => headers.get(OLD) === null);
    expect(after.status).toBe(200);
  },
);

onReplica(`reads are answered 503 as long as the replica lacks a change of who may see what${skipped}`, async () => {
  const reader = await server.person("Eve", READER);
  const { body: book } = await server.ask("POST", "/api/books", { body: { name: "Plans" } });
  const read = () => server.ask("GET", `/api/books/${book.id}`, { as: reader.token });
  await until(async () => (await replica.run(`select from books where id = ${book.id}`)).length === 1);
  await replica.pause();
  const path = `/api/content-permissions/book/${book.id}`;
  expect((await server.ask("PUT", path, { body: { fallback_permissions: HIDDEN } })).status).toBe(200);
  expect((await read()).status).toBe(404);
  await losePrimary();
  for (let n = 0; n < 20; n++) expect((await read()).status).toBe(503);
  await replica.resume();
  const hidden = await until(read, ({ status }) => status !== 503);
  expect([hidden.status, hidden.headers.get(OLD)]).toEqual([404, "replica"]);
  await regainPrimary();
  expect((await read()).status).toBe(404);
});
