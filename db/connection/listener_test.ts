import { expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { scaled } from "../../test/support/harness/machine_speed.ts";
import { Listener } from "./listener.ts";
import { serverBy } from "./server.ts";

const CHECK_MS = scaled(200);

/** A link to a server that can stop passing anything, while its connections stay open. */
async function freezableLink(to: number) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
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
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const isHere = systemBinaries() !== undefined;
const onServer = isHere ? test : test.skip;
const skipped = isHere ? "" : " (skipped: no PostgreSQL is installed here)";
onServer(`a connection that the network drops silently is reported and replaced${skipped}`, async () => {
  const cluster = await startCluster({ fast: true });
  if (!cluster) throw new Error("Cannot start a cluster: no PostgreSQL is installed here");
  const link = await freezableLink(Number(new URL(cluster.url).port));
  const url = cluster.url.replace(/:\d+\//, `:${link.port}/`);
  const server = serverBy("a link", (extra) => postgres(url, extra));
  const listener = new Listener({ server, retryMs: 50, checkMs: CHECK_MS });
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
  const direct = postgres(cluster.url);
  await direct.notify("news", "one");
  expect(await heard.promise).toBe("one");
  await direct.end();
  await listener.end();
  link.stop();
  await cluster.stop();
});
