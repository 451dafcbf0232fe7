/** WebSockets of agents: held open, never written to, and closed when the server stops. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { scaled } from "../support/harness/machine_speed.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(60_000));
const folder = dataFolder("ready");
afterAll(folder.remove);

test("an agent's line is held open while it knows its host's credentials, and closed when the server stops", async () => {
  const port = await freePort();
  const program = await startProgram(folder.path, { PORT: String(port), APP_URL: `http://127.0.0.1:${port}/docs` });
  const { body } = await program.ask("POST", "/api/v1/dashboard/hosts", { friendly_name: "line" });
  const headers = { "X-API-ID": String(body.api_id), "X-API-KEY": String(body.api_key) };
  // A proxy in front may take the path of APP_URL off, or leave it on.
  const address = `ws://127.0.0.1:${port}/api/v1/agents/ws`;
  const below = `ws://127.0.0.1:${port}/docs/api/v1/agents/ws`;
  const opened = (given: Record<string, string>, at = address) => {
    const socket = new WebSocket(at, { headers: given });
    return new Promise<WebSocket | undefined>((resolve) => {
      socket.onopen = () => resolve(socket);
      socket.onerror = () => resolve(undefined);
    });
  };
  expect(await opened({ ...headers, "X-API-KEY": "wrong" })).toBeUndefined();
  const socket = await opened(headers);
  expect(socket?.readyState).toBe(WebSocket.OPEN);
  expect((await opened(headers, below))?.readyState).toBe(WebSocket.OPEN);
  const pong = Promise.withResolvers<void>();
  socket?.addEventListener("pong", () => pong.resolve());
  socket?.ping();
  await pong.promise;
  socket?.send("anything");
  const closed = new Promise<number>((resolve) => {
    socket?.addEventListener("close", ({ code }) => resolve(code));
  });
  const plain = await fetch(address.replace("ws:", "http:"), { headers });
  expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);
  program.signal("SIGTERM");
  expect(await closed).toBe(1001);
  expect(await program.ended).toBe(0);
});
