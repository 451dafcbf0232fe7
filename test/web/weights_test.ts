/**
 * What screens weigh: the bytes of a first view, with all that its document loads beside pictures, as a browser gets them, and of a further one,
 * for which the browser has the styles and scripts. The screens are those of a book of 1,000 pages, one of which has 12 KB of text.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

const FIRST_BYTES = 60 * 1_024;
const FURTHER_BYTES = 15 * 1_024;
const PAGES = 1_000;
const LONG = 500;
/** What browsers of today accept, and what all do. */
const ACCEPTED = ["gzip, deflate, br, zstd", "gzip"];
const SCREENS = [
  ...["/", "/home", "/books", "/shelves", "/tags", "/search?query=early", "/login"],
  ...["/books/long", "/books/long/sort", `/books/long/page/early-${LONG}`],
  ...["/my-account/profile", "/settings/users", "/settings/roles/1", "/settings/audit", "/settings/recycle-bin"],
];
/** Words in no order that compresses well. */
const WORDS = "ask board call disk early fail gate host index join key lease merge node order page query restore".split(
  " ",
);

let server: TestRuntime;
let cookie = "";
beforeAll(async () => {
  server = await bootTestRuntime();
  await server.runtime.start();
  const { id } = (await server.ask("POST", "/api/books", { body: { name: "Long" } })).body;
  let state = 7;
  const word = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `${WORDS[state % WORDS.length]}${(state >>> 8) % 90}`;
  };
  const text = Array.from({ length: 30 }, () => `<p>${Array.from({ length: 60 }, word).join(" ")}</p>`).join("");
  await rows(
    server.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, owned_by)
      select ${id}::integer, 'A page of no. ' || n, 'early-' || n, case n when ${LONG}::integer then ${text}::text else '<p>x</p>' end, '', 'x', n, 'wysiwyg', 1
      from generate_series(1, ${PAGES}::integer) n`,
  );
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await server.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
}, 120_000);
afterAll(() => server.stop());

/** An answer: its bytes with those of its headers, and its text. */
async function sent(path: string, accepted: string) {
  const headers = { accept: "text/html", "accept-encoding": accepted, ...(path === "/login" ? {} : { cookie }) };
  const answer = await server.runtime.http.handle(new Request(server.baseUrl + path, { headers }), "127.0.0.1");
  expect([path, answer.status]).toEqual([path, 200]);
  const content = new Uint8Array(await answer.arrayBuffer());
  const coding = answer.headers.get("content-encoding");
  const decoded =
    coding === "zstd"
      ? Bun.zstdDecompressSync(content)
      : coding === "gzip"
        ? gunzipSync(content)
        : Buffer.from(content);
  let bytes = content.length;
  for (const [name, value] of answer.headers) bytes += name.length + value.length + ": \r\n".length;
  return { bytes, text: decoded.toString(), cache: answer.headers.get("cache-control") };
}

/** The files that a document loads before anybody does something, beside pictures. */
const filesOf = (document: string) => [
  ...[...document.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = ""]) => href),
  ...[...document.matchAll(/<script src="([^"]+)"/g)].map(([, src = ""]) => src),
];

test.each(ACCEPTED)(
  "a first view takes less than 60 KB, and a further one less than 15 KB, by %s",
  async (accepted) => {
    const files = new Map<string, number>();
    const weights: Record<string, { first: number; further: number }> = {};
    for (const path of SCREENS) {
      const document = await sent(path, accepted);
      // Sent again from what is kept, compressed as before.
      expect((await sent(path, accepted)).text.length).toBe(document.text.length);
      let first = document.bytes;
      for (const file of filesOf(document.text)) {
        const known = files.get(file);
        const { bytes, cache } = known === undefined ? await sent(file, accepted) : { bytes: known, cache: undefined };
        if (cache !== undefined) expect([file, cache]).toEqual([file, "public, max-age=31536000, immutable"]);
        files.set(file, bytes);
        first += bytes;
      }
      weights[path] = { first, further: document.bytes };
    }
    const heavy = Object.entries(weights).filter(
      ([, { first, further }]) => first > FIRST_BYTES || further > FURTHER_BYTES,
    );
    expect(heavy).toEqual([]);
  },
);
