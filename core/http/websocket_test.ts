import { expect, test } from "bun:test";
import { acceptWebSocket, type WebSocketHandlers, WebSocketListener } from "./websocket.ts";

test("a route that accepts a WebSocket gets its messages; other clients read 426", async () => {
  const listener = new WebSocketListener();
  const closed = Promise.withResolvers<number>();
  const handlers: WebSocketHandlers = {
    message: (socket, data) => void socket.send(`you said ${data}`),
    close: (_socket, code) => closed.resolve(code),
  };
  using server = Bun.serve<WebSocketHandlers>({
    port: 0,
    websocket: listener.handler,
    fetch(request, bun) {
      const response = acceptWebSocket(handlers);
      return listener.upgrade(request, response, bun) ? undefined : response;
    },
  });
  const plain = await fetch(`http://localhost:${server.port}/`);
  expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);

  const socket = new WebSocket(`ws://localhost:${server.port}/`);
  const answer = Promise.withResolvers<unknown>();
  socket.onmessage = ({ data }) => answer.resolve(data);
  socket.onopen = () => socket.send("hello");
  expect(await answer.promise).toBe("you said hello");
  listener.close();
  expect(await closed.promise).toBe(1001);
});
