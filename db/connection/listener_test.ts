import { expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { scaled } from "../../test/support/harness/machine_speed.ts";
import { until } from "../../test/support/harness/until.ts";
import { Listener } from "./listener.ts";
import { serverBy } from "./server.ts";

const CHECK_MS = scaled(200);
const RETRY_MS = 50;
/** Longer than a test takes: what is listened to again is not what a check found. */
const CHECKS_NEVER_MS = 600_000;

/** A link to a server that can stop passing anything while its connections stay open, or end them all and refuse new ones. */
async function faultyLink(to: number) {
  const open = new Set<Socket>();
  let refused: number | undefined;
  const server = createServer((client) => {
    if (refused !== undefined) {
      refused += 1;
      client.destroy();
      return;
    }
    const service = connect(to, "127.0.0.1");
    for (const [from, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(from.on("error", () => other.destroy()).on("close", () => other.destroy()));
      from.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    freeze() {
      for (const socket of open) socket.unpipe().pause();
    },
    refuse() {
      refused = 0;
      for (const socket of open) socket.destroy();
    },
    /** How many connections were refused. */
    refused: () => refused ?? 0,
    accept() {
      refused = undefined;
    },
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const isHere = systemBinaries() !== undefined;
const onServer = isHere ? test : test.skip;
const skipped = isHere ? "" : " (skipped: no PostgreSQL is installed here)";
/** A listener at a cluster over such a link, and a direct connection to it. */
async function open(checkMs: number) {
  const cluster = await startCluster({ fast: true });
  if (!cluster) throw new Error("Cannot start a cluster: no PostgreSQL is installed here");
  const link = await faultyLink(Number(new URL(cluster.url).port));
  const url = cluster.url.replace(/:\d+\//, `:${link.port}/`);
  const server = serverBy("a link", (extra) => postgres(url, { backoff: () => 0.05, ...extra }));
  const listener = new Listener({ server, retryMs: RETRY_MS, checkMs, silenceMs: checkMs });
  const direct = postgres(cluster.url);
  return {
    link,
    listener,
    direct,
    async close() {
      await direct.end();
      await listener.end();
      link.stop();
      await cluster.stop();
    },
  };
}

onServer(`a connection that the network drops silently is reported and replaced${skipped}`, async () => {
  const { link, listener, direct, close } = await open(CHECK_MS);
  const [lost, back, heard] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<string>(),
  ];
  await listener.listen("news", { onNotify: heard.resolve, onLoss: lost.resolve, onReturn: back.resolve });
  await Bun.sleep(3 * CHECK_MS);
  link.freeze();
  await lost.promise;
  await back.promise;
  await direct.notify("news", "one");
  expect(await heard.promise).toBe("one");
  await close();
});

onServer(`after LISTEN has failed several times all channels are heard again${skipped}`, async () => {
  const { link, listener, direct, close } = await open(CHECKS_NEVER_MS);
  const channels = ["news", "weather", 'an "odd" one'];
  const heard: string[] = [];
  const told: string[] = [];
  for (const channel of channels)
    await listener.listen(channel, {
      onNotify: (payload) => heard.push(`${channel}: ${payload}`),
      onLoss: () => told.push(`${channel} lost`),
      onReturn: () => told.push(`${channel} back`),
    });
  link.refuse();
  await until(link.refused, (refused) => refused > 3);
  const toldByThen = [...told];
  link.accept();
  await until(() => told.some((one) => one.endsWith("back")));
  for (const channel of channels) await direct.notify(channel, "again");
  await until(() => heard.length === channels.length);
  expect(heard).toEqual(channels.map((channel) => `${channel}: again`));
  expect([...new Set(toldByThen)]).toEqual(channels.map((channel) => `${channel} lost`));
  expect(told.filter((one) => one.endsWith("back"))).toEqual(channels.map((channel) => `${channel} back`));
  await close();
});
