/** A listening program among slow, malformed, many or confusing clients: each gets its own answer. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { scaled } from "../support/harness/machine_speed.ts";
import {
  answersIn,
  dataFolder,
  openConnection,
  type Program,
  type RawConnection,
  startProgram,
} from "../support/harness/program.ts";

const MAX_BODY = 50_000_000;
const TOO_LARGE = {
  error: {
    message: "The server cannot receive the provided amount of data. Try again with less data or a smaller file.",
    code: 413,
  },
};

setDefaultTimeout(scaled(60_000));
const folder = dataFolder("ready");
let program: Program;
beforeAll(async () => {
  program = await startProgram(folder.path, { MAX_BODY_BYTES: String(MAX_BODY), LOG_LEVEL: "debug" });
});
afterAll(async () => {
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  folder.remove();
});

/** The head of a request, without the empty line that ends it. */
function head(start: string, headers: Record<string, string | number> = {}): string {
  const all = { host: "localhost", authorization: program.authorization, ...headers };
  return `${start} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}`;
}

const create = (name: string) => {
  const body = JSON.stringify({ name });
  const headers = { "content-type": "application/json", "content-length": body.length };
  return { body, text: `${head("POST /api/books", headers)}\r\n` };
};

async function answerTo(start: string, headers: Record<string, string | number> = {}): Promise<string> {
  const line = await openConnection(program.port);
  line.write(`${head(start, headers)}\r\n`);
  // The answer to a HEAD tells the length of a body that does not come.
  const text = await line.read(start.startsWith("HEAD ") ? (read) => read.includes("\r\n\r\n") : undefined);
  line.hangUp();
  return text;
}

const booksNamed = async (name: string) =>
  (await program.ask("GET", `/api/books?filter[name]=${encodeURIComponent(name)}`)).body.total as number;

test("a client that sends its body byte by byte is waited for, and holds up nobody", async () => {
  const line = await openConnection(program.port);
  const { text, body } = create("Slow book");
  line.write(text);
  for (const letter of body) {
    line.write(letter);
    expect((await program.ask("GET", "/api/system")).status).toBe(200);
  }
  expect(await line.read()).toStartWith("HTTP/1.1 200");
  line.hangUp();
  expect(await booksNamed("Slow book")).toBe(1);
});

test("clients that hang up halfway through change nothing", async () => {
  const { text, body } = create("Half a book");
  for (let at = 0; at < 20; at++) {
    const line = await openConnection(program.port);
    line.write(text + body.slice(0, at));
    line.hangUp();
  }
  expect(await booksNamed("Half a book")).toBe(0);
});

test("a body of 60 MB is refused in the one error shape, announced or in chunks", async () => {
  const part = "x".repeat(6_000_000);
  const url = `http://127.0.0.1:${program.port}/api/books`;
  const headers = { authorization: program.authorization, "content-type": "application/json" };
  const announced = await fetch(url, { method: "POST", headers, body: part.repeat(10) });
  expect([announced.status, await announced.json()]).toEqual([413, TOO_LARGE]);
  const line = await openConnection(program.port);
  line.write(`${head("POST /api/books", { "content-type": "application/json", "transfer-encoding": "chunked" })}\r\n`);
  for (let at = 0; at < 10; at++) line.write(`${part.length.toString(16)}\r\n${part}\r\n`);
  line.write("0\r\n\r\n");
  const text = await line.read();
  expect([text.slice(0, 12), text.includes(JSON.stringify(TOO_LARGE))]).toEqual(["HTTP/1.1 413", true]);
  line.hangUp();
  const far = await answerTo("POST /api/books", { "content-type": "application/json", "content-length": 10 ** 14 });
  expect(far).toContain(JSON.stringify(TOO_LARGE));
});

test("requests sent ahead of the answer are answered in their order or not at all", async () => {
  // Bun ends a connection on which a request arrives before the answer to the one ahead of it.
  const line = await openConnection(program.port);
  line.write(["/api/books?count=1", "/api/system", "/api/xyz"].map((path) => `${head(`GET ${path}`)}\r\n`).join(""));
  const text = await line.read((read) => answersIn(read) === 3);
  line.hangUp();
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
  expect(["200", "200", "404"].slice(0, statuses.length)).toEqual(statuses as string[]);
  expect((await program.ask("GET", "/api/system")).status).toBe(200);
});

test("two hundred connections at once are all answered", async () => {
  const lines: RawConnection[] = await Promise.all(Array.from({ length: 200 }, () => openConnection(program.port)));
  for (const [at, line] of lines.entries())
    line.write(`${head(at % 2 ? "GET /api/books" : "GET /api/books/99999")}\r\n`);
  const answers = await Promise.all(lines.map((line) => line.read()));
  expect(answers.filter((text) => text.startsWith("HTTP/1.1 200"))).toHaveLength(100);
  expect(answers.filter((text) => text.startsWith("HTTP/1.1 404"))).toHaveLength(100);
  for (const line of lines) line.hangUp();
});

test("a header line of 100 KB is refused, and garbage is no request", async () => {
  expect(await answerTo("GET /api/books", { "x-long": "x".repeat(100_000) })).toStartWith("HTTP/1.1 431");
  expect(await answerTo(`GET /api/books?q=${"x".repeat(100_000)}`)).toStartWith("HTTP/1.1 431");
  for (const headers of [{ "content-length": "-5" }, { "content-length": "4", "transfer-encoding": "chunked" }])
    expect(await answerTo("POST /api/books", headers)).toStartWith("HTTP/1.1 400");
  const line = await openConnection(program.port);
  line.write("\x16\x03\x01\x02 hello\r\n\r\n");
  expect(await line.read()).toStartWith("HTTP/1.1 400");
  expect((await program.ask("GET", "/api/system")).status).toBe(200);
});

test("a body whose length is said twice or in two ways is refused, so that no second request hides in it", async () => {
  const hidden = "DELETE /api/books/1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const lengths of [
    { "content-length": 5, "transfer-encoding": "chunked" },
    { "content-length": "5\r\ncontent-length: 6" },
    { "transfer-encoding": "chunked\r\ntransfer-encoding: identity", "content-length": 5 },
  ]) {
    const line = await openConnection(program.port);
    line.write(`${head("POST /api/books", lengths)}\r\n0\r\n\r\n${hidden}`);
    const text = await line.read();
    expect(answersIn(text)).toBeLessThanOrEqual(1);
    expect(text).toStartWith("HTTP/1.1 400");
    line.hangUp();
  }
});

test("TRACE is served nowhere, and echoes nothing", async () => {
  for (const path of ["/", "/api/books", "/health"]) {
    const text = await answerTo(`TRACE ${path}`, { "x-echo": "not-to-be-seen" });
    expect(text).toMatch(/^HTTP\/1\.1 40[345]/);
    expect(text).not.toContain("not-to-be-seen");
  }
});

test("whatever stands as Host, the path alone decides", async () => {
  for (const host of ["a b", "[::::", "x/api/docs?", "user@x", "x:99999", "", "é", "%2f", "http://x"]) {
    expect(await answerTo("GET /api/books?count=1", { host })).toStartWith("HTTP/1.1 200");
    const disguised = { host, "x-http-method-override": "DELETE", "content-length": 0 };
    const text = await answerTo("POST /api/books/99999", disguised);
    expect([host, text.slice(0, 12), text.includes("Book not found")]).toEqual([host, "HTTP/1.1 404", true]);
    expect(text).not.toContain("location");
  }
});

test("a path that is none of the encodings, or leads out, is found by nobody", async () => {
  for (const path of ["%FF", "%00", ".", "..", "..%2f", "%2e%2e", "%C0%AF", "é", "a".repeat(9_000)])
    for (const method of ["GET", "HEAD", "POST"]) {
      const text = await answerTo(`${method} /settings/users/${path}`, { "content-length": 0 });
      expect([method, path, /^HTTP\/1.1 [2-4]\d\d/.test(text)]).toEqual([method, path, true]);
    }
});

test("nothing of a path becomes a header", async () => {
  for (const path of ["/api/%0d%0aset-cookie:%20a=b", "/api/books%0D%0Aset-cookie:a=b", "/api/\u0085set-cookie:a=b"]) {
    const text = await answerTo(`GET ${path}`);
    expect(text).toStartWith("HTTP/1.1 404");
    expect(text.split("\r\n\r\n")[0]?.toLowerCase()).not.toContain("set-cookie");
  }
});

test("through all of it the program has met nothing it did not expect", () => {
  expect(
    program
      .output()
      .split("\n")
      .filter((line) => line.includes('"level":"error"')),
  ).toEqual([]);
});
