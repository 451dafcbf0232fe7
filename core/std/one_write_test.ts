import { afterAll, expect, test } from "bun:test";
import { isCollected, wholeResponse } from "./one_write.ts";

const SIZES = [0, 100, 15 * 1024 - 1, 15 * 1024, 40_000, 1024 * 1024, 1024 * 1024 + 1];
const textOf = (size: number) => "é\u2028x".repeat(Math.ceil(size / 3)).slice(0, size);
const respond = (size: number) =>
  wholeResponse(textOf(size), { status: 201, headers: { "content-type": "application/json", "x-more": "1" } });

const server = Bun.serve({
  port: 0,
  async fetch({ url }) {
    // Bun collects the headers of what is answered within the event of the request.
    await Bun.sleep(1);
    return respond(Number(new URL(url).searchParams.get("size")));
  },
});
afterAll(() => server.stop(true));

/** A whole answer as it is sent, read in pieces with pauses between them if `isSlow`. */
function sent(size: number, isSlow = false): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  void Bun.connect({
    hostname: "127.0.0.1",
    port: server.port ?? 0,
    socket: {
      open(socket) {
        socket.write(`GET /?size=${size} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      },
      data(socket, chunk) {
        chunks.push(Buffer.from(chunk));
        if (!isSlow) return;
        socket.pause();
        setTimeout(() => socket.resume(), 5);
      },
      close: () => resolve(Buffer.concat(chunks)),
      error: (_, error) => reject(error),
    },
  });
  return promise;
}

test.each(SIZES)("wholeResponse() sends %d characters with their length", async (size) => {
  const answer = await sent(size);
  const end = answer.indexOf("\r\n\r\n");
  const [head, body] = [answer.toString("latin1", 0, end), answer.subarray(end + 4)];
  expect(head).toStartWith("HTTP/1.1 201 ");
  expect(head.match(/^content-length: .*/gim)).toEqual([`Content-Length: ${Buffer.byteLength(textOf(size))}`]);
  expect(head).not.toMatch(/transfer-encoding/i);
  expect(head).toMatch(/^content-type: application\/json/im);
  expect(head).toMatch(/^x-more: 1/im);
  expect(body.toString()).toBe(textOf(size));
});

test("wholeResponse() sends all to a client that reads slowly", async () => {
  const answer = await sent(1024 * 1024, true);
  expect(answer.subarray(answer.indexOf("\r\n\r\n") + 4).toString()).toBe(textOf(1024 * 1024));
});

test.each(SIZES)("an answer of %d characters is read within the process, too", async (size) => {
  expect(await respond(size).text()).toBe(textOf(size));
  expect(await respond(size).clone().text()).toBe(textOf(size));
  await respond(size).body?.cancel();
});

test("texts are measured by their bytes, of which Chinese has three for each character", () => {
  const least = 15 * 1024;
  for (const [sign, bytes] of [
    ["x", 1],
    ["é", 2],
    ["漢", 3],
  ] as const)
    expect([sign, isCollected(sign.repeat(least / bytes - 1)), isCollected(sign.repeat(least / bytes))]).toEqual([
      sign,
      true,
      false,
    ]);
});

test("wholeResponse() sends bytes as it sends text", async () => {
  for (const size of SIZES) {
    const bytes = new TextEncoder().encode(textOf(size));
    const answer = wholeResponse(bytes, { status: 200, headers: { "content-type": "application/json" } });
    expect([answer.headers.get("content-length") ?? String(bytes.length), await answer.text()]).toEqual([
      String(bytes.length),
      textOf(size),
    ]);
  }
});
