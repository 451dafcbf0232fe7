import { expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import postgres from "postgres";
import { until } from "../../test/support/harness/until.ts";
import { Connection } from "./connection.ts";
import { over } from "./server.ts";
import { ConnectionSocket } from "./socket.ts";

/** A server that counts its clients. */
async function counting() {
  const clients = new Set<Socket>();
  const server = createServer((client) => clients.add(client));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { clients, place: { host: ["127.0.0.1"], port: [port] }, stop: () => server.close() };
}

test("a connection that was dropped may connect again, one that was destroyed may not", async () => {
  const { clients, place, stop } = await counting();
  const connection = new ConnectionSocket();
  for (const turn of [1, 2]) {
    const socket = (await connection.open(place)) as Socket;
    await once(socket, "connect");
    const closed = once(socket, "close");
    if (turn === 1) connection.drop();
    else connection.destroy();
    await closed;
  }
  expect(() => connection.open(place)).toThrow("The connection was dropped");
  expect(clients.size).toBe(2);
  for (const client of clients) client.destroy();
  stop();
});

test("a connection without an answer is dropped, and its driver ends and takes no statement", async () => {
  const { clients, place, stop } = await counting();
  const socket = new ConnectionSocket();
  const sql = postgres({ host: "127.0.0.1", port: place.port[0] as number, max: 1, ...over(socket) });
  const ended = spyOn(sql, "end");
  const connection = new Connection({ prepare: true, open: () => ({ sql, destroy: () => socket.destroy() }) });
  const dropped = connection.send("select 1", [], 30);
  await expect(dropped).rejects.toMatchObject({ name: "ConnectionLost", code: "DEADLINE_EXCEEDED" });
  expect(connection.isLost).toBe(true);
  await until(() => ended.mock.calls.length > 0);
  await ended.mock.results[0]?.value;
  await expect(sql`select 1`.execute()).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
  for (const client of clients) client.destroy();
  stop();
});
