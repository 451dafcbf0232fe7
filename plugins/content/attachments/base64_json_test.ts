import { expect, test } from "bun:test";
import { jsonWithFile } from "./base64_json.ts";

test("jsonWithFile() says the base64 of any bytes, and how long the answer is, however the chunks fall", async () => {
  for (const length of [0, 1, 2, 3, 4, 5, 100, 300_001]) {
    const bytes = new Uint8Array(length).map((_, index) => (index * 31) % 256);
    for (const step of [1, 2, 3, 7, 100_000]) {
      if (length / step > 1000) continue;
      const chunks = Array.from({ length: Math.ceil(length / step) }, (_, at) =>
        bytes.subarray(at * step, (at + 1) * step),
      );
      const file = { size: length, stream: () => streamOf(chunks) };
      const response = jsonWithFile({ name: 'ü"\\' }, "content", file);
      const text = await response.text();
      expect(JSON.parse(text)).toEqual({ name: 'ü"\\', content: Buffer.from(bytes).toString("base64") });
      expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    }
  }
});

test("jsonWithFile() gives the event loop its turn while a file is read and sent at once", async () => {
  const bytes = new Uint8Array(30_000_000);
  const response = jsonWithFile({}, "content", { size: bytes.length, stream: () => streamOf([bytes]) });
  let turns = 0;
  let isRead = false;
  const counting = (async () => {
    for (; !isRead; turns++) await new Promise(setImmediate);
  })();
  for await (const _ of response.body ?? []);
  isRead = true;
  await counting;
  expect(turns).toBeGreaterThan(2);
});

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk.slice());
      controller.close();
    },
  });
}
