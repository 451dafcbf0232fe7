/** A server that ends during calls of webhooks, killed or by SIGTERM: all of them are made once it is started again. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import postgres from "postgres";
import { openReceiver, type Received } from "../support/fakes/webhook_receiver.ts";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, PROGRAM_ROOT, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";
import { distinctCalls } from "../support/harness/webhook_queue.ts";

const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
const HOOKS = 10;
const BOOKS = 100;
/** Updates of one book that a server of a former version has recorded. */
const UPDATES = 20;

setDefaultTimeout(scaled(120_000));
const folder = dataFolder("ready");
let cluster: Cluster | undefined;
beforeAll(async () => {
  cluster = await startCluster({ fast: true });
});
const receiver = openReceiver();
afterEach(() => {
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver.stop();
  await cluster?.stop();
  folder.remove();
});

test("killed amid a thousand calls and started again, it has made every one of them", async () => {
  const more = { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
  const program = await startProgram(folder.path, more);
  for (let at = 0; at < HOOKS; at++)
    await program.ask("POST", "/api/webhooks", {
      name: `Hook ${at}`,
      endpoint: `${receiver.url}/${at}`,
      events: ["book_create"],
      timeout: 1,
    });
  // Slow enough that many are under way, and quick enough for a test.
  receiver.answer = async () => {
    await Bun.sleep(5);
    return new Response();
  };
  for (let at = 0; at < BOOKS; at++) await program.ask("POST", "/api/books", { name: `Book ${at}` });
  await receiver.until((HOOKS * BOOKS) / 4, 60_000);
  program.signal("SIGKILL");
  await program.ended;
  expect(receiver.received.length).toBeLessThan(HOOKS * BOOKS);
  const again = await startProgram(folder.path, more);
  const made = () => new Set(receiver.received.map(({ path, json }) => `${path} ${json.related_item.name}`));
  expect(
    await until(
      () => made().size,
      (count) => count >= HOOKS * BOOKS,
      60_000,
    ),
  ).toBe(HOOKS * BOOKS);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});

test("on SIGTERM it waits for no receiver that hangs, and calls it again after the next start", async () => {
  const more = { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
  const program = await startProgram(folder.path, more);
  const endpoint = `${receiver.url}/hanging`;
  // Calls of the test before may be repeated meanwhile: those that a busy machine answered too late.
  const isHanging = ({ path }: Received) => path === "/hanging";
  await program.ask("POST", "/api/webhooks", { name: "Hanging", endpoint, events: ["bookshelf_create"], timeout: 600 });
  receiver.answer = () => new Promise(() => {});
  await program.ask("POST", "/api/shelves", { name: "Shelf" });
  await receiver.until((received) => received.some(isHanging));
  const started = performance.now();
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(scaled(10_000));
  receiver.answer = () => new Response();
  const again = await startProgram(folder.path, more);
  await receiver.until((received) => received.filter(isHanging).length === 2, 20_000);
  const ids = receiver.received.filter(isHanging).map(({ headers }) => headers.get("webhook-id"));
  expect(new Set(ids).size).toBe(1);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});

onServer(
  "killed between a commit and its hand-out, its events are handed out by another server within half a minute",
  async () => {
    const own = dataFolder();
    const DATABASE_URL = await createDatabase((cluster as Cluster).url);
    const more = { DATABASE_URL, ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
    receiver.answer = () => new Response();
    const program = await startProgram(own.path, more);
    const second = await startProgram(own.path, more);
    const endpoint = `${receiver.url}/left`;
    await program.ask("POST", "/api/webhooks", { name: "Left", endpoint, events: ["book_create"], timeout: 5 });
    await program.ask("POST", "/api/books", { name: "Left" });
    program.signal("SIGKILL");
    await receiver.until(1, 30_000);
    await program.ended;
    second.signal("SIGTERM");
    expect(await second.ended).toBe(0);
    own.remove();
  },
);

onServer("killed again and again amid its first start after an upgrade, it makes every call, in order", async () => {
  const DATABASE_URL = await createDatabase((cluster as Cluster).url);
  const more = { DATABASE_URL, ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };
  const own = dataFolder();
  const begun = await startProgram(own.path, more);
  for (let at = 0; at < 3; at++)
    await begun.ask("POST", "/api/webhooks", {
      name: `Hook ${at}`,
      endpoint: `${receiver.url}/${at}`,
      events: ["book_update"],
      timeout: 1,
    });
  begun.signal("SIGTERM");
  await begun.ended;
  await asBefore(DATABASE_URL);
  receiver.answer = async () => {
    await Bun.sleep(20);
    return new Response();
  };
  for (const ms of [500, 1_000, 2_000, 3_000]) await killAfter(ms, { ...more, DATA_DIR: own.path });
  const program = await startProgram(own.path, more);
  const calls = () => distinctCalls(receiver.received).map(({ path, json }) => ({ path, n: json.n }));
  await until(calls, (made) => made.length >= 3 * UPDATES, 60_000);
  for (let at = 0; at < 3; at++)
    expect(
      calls()
        .filter(({ path }) => path === `/${at}`)
        .map(({ n }) => n),
    ).toEqual(Array.from({ length: UPDATES }, (_, n) => n));
  program.signal("SIGTERM");
  await program.ended;
  own.remove();
});

/** Makes the store that of a version without jobs for deliveries: one call begun, some waiting, the rest not handed out, all of one book. */
async function asBefore(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  await sql.unsafe(`
    drop index webhook_deliveries_free, webhook_deliveries_begun;
    delete from lectern_ledger.webhooks where name >= '0004';
    insert into webhook_events (type, subject, payload, listeners, dispatched)
      select 'book_update', 'book 7', jsonb_build_object('event', 'book_update', 'n', n), (select array_agg(id) from webhooks), n < 10
      from generate_series(0, ${UPDATES - 1}) as n order by n;
    insert into webhook_deliveries (webhook_id, event_id, type, subject, leased_until)
      select webhooks.id, event.id, event.type, event.subject,
        case when event.payload ->> 'n' = '0' then now() + interval '10 seconds' end
      from webhook_events as event, webhooks where event.dispatched order by event.id`);
  await sql.end();
}

/** Starts the program and kills it after a time. */
async function killAfter(ms: number, env: Record<string, string>): Promise<void> {
  const more = { ...process.env, PORT: "0", HOST: "127.0.0.1", ...env };
  const child = spawn(process.execPath, ["core/cli.ts", "serve", "plugins/mod.ts"], {
    cwd: PROGRAM_ROOT,
    env: more,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await Bun.sleep(ms);
  child.kill("SIGKILL");
  await ended;
}
