import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { JsonBytes } from "../std/json_bytes.ts";
import { asConstant, wholeResponse, withContent } from "../std/one_write.ts";
import { compressed } from "./compression.ts";

const TEXT = "A page of a book, as it is told. ".repeat(1_000);
const asked = (accepts: string | null, method = "GET") =>
  new Request("http://localhost/", { method, headers: accepts === null ? {} : { "accept-encoding": accepts } });
const answer = (headers: Record<string, string> = {}, text = TEXT, status = 200) =>
  wholeResponse(text, { status, headers: { "content-type": "text/html; charset=UTF-8", ...headers } });

/** What a client reads of an answer, with its coding. */
async function read(response: Response): Promise<[coding: string | null, text: string]> {
  const coding = response.headers.get("content-encoding");
  const bytes = await response.bytes();
  if (coding === "gzip") return [coding, gunzipSync(bytes).toString()];
  if (coding === "br") return [coding, brotliDecompressSync(bytes).toString()];
  return [coding, coding === "zstd" ? Bun.zstdDecompressSync(bytes).toString() : new TextDecoder().decode(bytes)];
}

test.each<[string | null, string | null]>([
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, deflate, br", "gzip"],
  ["br", "br"],
  ["GZIP;q=0.5", "gzip"],
  ["*", "zstd"],
  ["*, zstd;q=0", "gzip"],
  ["gzip;q=0, identity", null],
  ["identity", null],
  ["deflate", null],
  ["", null],
  ["gzip;q=0.000", null],
  ["gzip;;;,,=;q", "gzip"],
  [null, null],
])("an answer to %p is sent as %p, and reads the same", async (accepts, coding) => {
  const response = await compressed(asked(accepts), answer());
  expect(response.headers.get("vary")).toBe(coding === null ? null : "Accept-Encoding");
  expect(await read(response)).toEqual([coding, TEXT]);
});

test("a long answer, which is compressed in a thread, reads the same, and has the headers of the other", async () => {
  const long = TEXT.repeat(10);
  const response = await compressed(asked("gzip"), answer({ etag: '"1"', "x-request-id": "a" }, long));
  expect(Object.fromEntries(response.headers)).toMatchObject({ etag: 'W/"1"', "x-request-id": "a" });
  expect(response.headers.has("content-length")).toBe(false);
  expect(await read(response)).toEqual(["gzip", long]);
});

test.each<[string, Request, Response]>([
  ["a new token", asked("gzip", "POST"), answer()],
  ["a cookie", asked("gzip"), answer({ "set-cookie": "a=b" })],
  ["a range", asked("gzip"), answer({ "content-range": "bytes 0-1/2" })],
  ["a download", asked("gzip"), answer({ "content-disposition": "attachment" })],
  ["what is compressed already", asked("gzip"), answer({ "content-encoding": "br" })],
  ["what no proxy may change", asked("gzip"), answer({ "cache-control": "no-transform" })],
  ["a picture", asked("gzip"), answer({ "content-type": "image/png" })],
  ["a few words", asked("gzip"), answer({}, "A few words.")],
  ["an error", asked("gzip"), answer({}, TEXT, 404)],
  ["a stream", asked("gzip"), new Response(TEXT, { headers: { "content-type": "text/plain" } })],
])("%s is sent as it is", (_, request, response) => {
  expect(compressed(request, response)).toBe(response);
});

test("JSON that is kept is compressed once for all who read it", async () => {
  const json = new JsonBytes(JSON.stringify({ text: TEXT }));
  const sent = () =>
    compressed(
      asked("zstd"),
      withContent(new Response(json.bytes, { headers: { "content-type": "application/json" } }), json),
    ) as Response;
  expect(await read(sent())).toEqual(["zstd", JSON.stringify({ text: TEXT })]);
  expect(await read(sent())).toEqual(["zstd", JSON.stringify({ text: TEXT })]);
});

test("what browsers keep forever is sent at its smallest, and tells caches of other forms", async () => {
  const immutable = { "cache-control": "public, max-age=31536000, immutable", "content-type": "text/css" };
  const response = await compressed(asked("gzip, br, zstd"), asConstant(answer(immutable)));
  expect(await read(response)).toEqual(["br", TEXT]);
  const plain = await compressed(asked(null), asConstant(answer(immutable)));
  expect([plain.headers.get("vary"), await plain.text()]).toEqual(["Accept-Encoding", TEXT]);
});
