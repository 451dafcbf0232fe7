/**
 * While the primary is away, a replica answers reads, marked by a header, if it has replayed the newest known change of who may see
 * what. Everything else is answered 503, and nothing that was answered so is kept.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { StoreEvent } from "lectern/db";
import { type Cluster, startCluster } from "../support/harness/cluster.ts";
import { command } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { canReplicate, type ReplicaServer, startReplica } from "../support/harness/replica.ts";
import { browserOf, PASSWORD } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(180_000));
/** Debian's package `postgresql` has pg_basebackup; the embedded binaries have not. */
const onReplica: (title: string, run: () => Promise<void>) => void = canReplicate() ? test : () => {};
const READER = ["access-api", "book-view-all"];
const HIDDEN = { inheriting: false, view: false, create: false, update: false, delete: false };
const STALE = "lectern-stale";
/** So that the second server looks at primary and replica only when the test has it look. */
const NEVER_MS = 24 * 3_600_000;

let primary: Cluster;
let replica: ReplicaServer;
let one: TestRuntime;
/** It looks when it is told, so what it knows beside comes by notifications. */
let two: TestRuntime;
const events: StoreEvent[] = [];
const eventsOfTwo: StoreEvent[] = [];
beforeAll(async () => {
  if (!canReplicate()) return;
  primary = (await startCluster()) as Cluster;
  replica = await startReplica(primary.url);
  // Longer than tests pause the replica.
  const on = { databaseUrl: primary.url, readUrls: [replica.urlOf(primary.url)], readMaxLagMs: NEVER_MS };
  one = await bootTestRuntime({ on: { ...on, onEvent: (event) => void events.push(event) } });
  two = await bootTestRuntime({
    on: { ...on, readCheckMs: NEVER_MS, onEvent: (event) => void eventsOfTwo.push(event) },
  });
  await one.runtime.start();
  await two.runtime.start();
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
  await replica?.stop();
  await primary?.stop();
});

const lagOf = ({ store }: TestRuntime) => store.replicas?.status()[0]?.lagBytes ?? 0;

/** Looks without a change after which no notification is under way: one that came in the moment of the loss would prove nothing. */
const QUIET_LOOKS = 5;
const LOOK_MS = 200;

/** Waits until both servers know all that was committed, as `isWanted` of how far the replica is behind for each. */
async function known(isWanted: (lag: number) => boolean): Promise<void> {
  let quiet = 0;
  let before = "";
  await until(async () => {
    await Bun.sleep(LOOK_MS);
    await Promise.all([one, two].map(({ store }) => store.replicas?.check()));
    const lags = [one, two].map(lagOf);
    quiet = lags.every(isWanted) && `${lags}` === before ? quiet + 1 : 0;
    before = `${lags}`;
    return quiet >= QUIET_LOOKS;
  });
}

/** Waits until the replica has replayed all that there is, and both servers know. */
async function caughtUp(): Promise<void> {
  await known((lag) => lag === 0);
  await until(() => [one, two].every(({ store }) => store.replicas?.status()[0]?.isInUse));
}

/** After the return of a primary, until a replica is known to have replayed it. */
const SETTLED_MS = 9_000;

/** Ends the primary, and waits until both servers know. */
async function losePrimary(): Promise<void> {
  events.length = eventsOfTwo.length = 0;
  await primary.kill();
  await until(() => [events, eventsOfTwo].every((some) => some.some(({ kind }) => kind === "lost")));
}

/** Starts it again, and waits until both servers have looked, which they do twice a second, and write. */
async function regainPrimary(): Promise<void> {
  await primary.restart();
  await until(() => [events, eventsOfTwo].every((some) => some.some(({ kind }) => kind === "found")));
  for (const { ask } of [one, two])
    await until(async () => (await ask("POST", "/api/shelves", { body: { name: "Back" } })).status === 200);
  // Until the replica has replayed what follows the crash no read is proven: lost again before, all are refused (db/README.md).
  const settled = performance.now() + SETTLED_MS;
  await until(() => performance.now() > settled);
}

/** Makes a book, and waits until the replica has it. */
async function makeBook(name: string): Promise<string> {
  const { body } = await one.ask("POST", "/api/books", { body: { name } });
  await caughtUp();
  return `/api/books/${body.id}`;
}

/** The status, the header and the name of what a request answers. */
async function look({ ask }: TestRuntime, path: string, as: string): Promise<unknown[]> {
  const { status, headers, body } = await ask("GET", path, { as });
  return [status, headers.get(STALE), body.name];
}

/** Waits until both servers answer from the replica, which has an item by this name. */
async function answeredByReplica(path: string, token: string, name: string): Promise<void> {
  for (const server of [one, two])
    expect(
      await until(
        () => look(server, path, token),
        ([status]) => status === 200,
      ),
    ).toEqual([200, "replica", name]);
}

onReplica("the API, the search and screens are answered by the replica with a header, and writes 503", async () => {
  const { token } = await one.person("Rea", READER);
  const { body: user } = await one.ask("POST", "/api/users", {
    body: { name: "Sam", email: "sam@example.com", password: PASSWORD, roles: [1] },
  });
  const browser = browserOf(one);
  expect((await browser.signIn("sam@example.com")).status).toBe(303);
  const path = await makeBook("Kept");
  expect(await look(one, path, token)).toEqual([200, null, "Kept"]);
  await losePrimary();
  expect(
    await until(
      () => look(one, path, token),
      ([status]) => status === 200,
    ),
  ).toEqual([200, "replica", "Kept"]);
  for (const listed of ["/api/books", "/api/search?query=Kept", "/api/books?filter[name:like]=Ke%25"]) {
    const { status, body, headers } = await one.ask("GET", listed, { as: token });
    expect([listed, status, body.total, headers.get(STALE)]).toEqual([listed, 200, 1, "replica"]);
  }
  for (const screen of ["/books", "/books/kept", "/search?query=Kept"]) {
    const { status, body, headers } = await browser.go(screen);
    expect([screen, status, headers.get(STALE)]).toEqual([screen, 200, "replica"]);
    expect(body).toContain("Kept");
    expect(body).toContain(user.name);
  }
  expect((await one.ask("HEAD", path, { as: token })).headers.get(STALE)).toBe("replica");
  expect((await one.ask("GET", "/api/books/999999", { as: token })).status).toBe(404);
  expect((await one.ask("GET", "/api/books", { as: "no:token" })).status).toBe(401);
  const written = await one.ask("POST", "/api/books", { body: { name: "Not now" } });
  expect([written.status, written.headers.get(STALE)]).toEqual([503, null]);
  expect((await one.ask("GET", "/ready", { as: null })).status).toBe(503);
  await regainPrimary();
  expect(await look(one, path, token)).toEqual([200, null, "Kept"]);
  expect((await browser.go("/books/kept")).headers.get(STALE)).toBeNull();
});

onReplica("nothing that a replica answered meanwhile is kept: neither a book nor who a token is of", async () => {
  const { token, role } = await one.person("Ann", READER);
  const path = await makeBook("Older");
  await replica.pause();
  expect((await one.ask("PUT", path, { body: { name: "Newer" } })).status).toBe(200);
  await losePrimary();
  await answeredByReplica(path, token, "Older");
  await regainPrimary();
  for (const server of [one, two]) expect(await look(server, path, token)).toEqual([200, null, "Newer"]);
  const body = { display_name: "Ann", permissions: [] };
  expect((await two.ask("PUT", `/api/roles/${role}`, { body })).status).toBe(200);
  await until(
    () => look(one, path, token),
    ([status]) => status === 403,
  );
  await replica.resume();
});

onReplica(
  "no server answers from a replica that lacks a change of access, on whichever server it was made",
  async () => {
    const { token } = await one.person("Eve", READER);
    const path = await makeBook("Plans");
    await replica.pause();
    // Without a change of access a paused replica answers: what follows is not refused for another reason.
    await losePrimary();
    await answeredByReplica(path, token, "Plans");
    await replica.resume();
    await regainPrimary();
    await caughtUp();
    await replica.pause();
    const permissions = path.replace("/api/books", "/api/content-permissions/book");
    expect((await one.ask("PUT", permissions, { body: { fallback_permissions: HIDDEN } })).status).toBe(200);
    // The other server does not look by itself, and answers no request: it has heard of the change.
    await until(() => lagOf(one) > 0 && lagOf(two) > 0);
    await known((lag) => lag > 0);
    await losePrimary();
    for (let round = 0; round < 20; round++)
      for (const server of [one, two]) {
        expect(await look(server, path, token)).toEqual([503, null, undefined]);
        expect((await server.ask("GET", "/api/search?query=Plans", { as: token })).status).toBe(503);
      }
    await replica.resume();
    for (const server of [one, two]) {
      const replayed = async () => {
        await server.store.replicas?.check();
        return look(server, path, token);
      };
      expect(await until(replayed, ([status]) => status !== 503)).toEqual([404, "replica", undefined]);
    }
    await regainPrimary();
    for (const server of [one, two]) expect(await look(server, path, token)).toEqual([404, null, undefined]);
  },
);

onReplica("a server does not start while the primary is away", async () => {
  await losePrimary();
  const env = { DATABASE_URL: primary.url, DATABASE_READ_URLS: replica.urlOf(primary.url), PORT: "0" };
  const { code, err } = await command(["serve"], env);
  expect([code, err]).toEqual([1, expect.stringMatching(/^Cannot (?:start over|reach|open) /)]);
  await regainPrimary();
});
