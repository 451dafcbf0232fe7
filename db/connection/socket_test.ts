import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
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
