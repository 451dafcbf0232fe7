/**
 * Clients that never finish: half a head, half a body, a byte now and then, an answer that is not read. Each is answered where
 * HTTP allows it, its connection is closed in time, and others are served meanwhile.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { scaled } from "../support/harness/machine_speed.ts";
import {
  dataFolder,
  openConnection,
  type Program,
  type RawConnection,
  startProgram,
} from "../support/harness/program.ts";

const MANY = 300;
const TOO_SLOW = {
  error: { message: "The request body took too long to arrive. Try again with a better connection.", code: 408 },
};

setDefaultTimeout(scaled(60_000));
const folder = dataFolder("ready");
let program: Program;
beforeAll(async () => {
  const constants = { bodyTimeoutMs: 1_000, bodyMinRate: 1_000 };
  program = await startProgram(folder.path, { IDLE_TIMEOUT_SECONDS: "4", LOG_LEVEL: "debug" }, { constants });
});
afterAll(async () => {
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  folder.remove();
});

function head(start: string, headers: Record<string, string | number> = {}): string {
  const all = { host: "localhost", authorization: program.authorization, ...headers };
  return `${start} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}`;
}

const JSON_BODY = { "content-type": "application/json", "content-length": 5_000 };
const FORM = { "content-type": "multipart/form-data; boundary=cut", "content-length": 10_000_000 };
const START = '--cut\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';

/** What came back until the other side closed the connection. */
async function ended(line: RawConnection): Promise<string> {
  const text = await line.read(() => false);
  expect(line.isClosed()).toBe(true);
  return text;
}

/** Writes a piece every so often until the other side has closed the connection. */
async function drip(line: RawConnection, piece: string, everyMs: number): Promise<string> {
  const timer = setInterval(() => line.write(piece), everyMs);
  try {
    return await ended(line);
  } finally {
    clearInterval(timer);
  }
}

const LONG_TEXT = "word ".repeat(2_000_000);
const spooled = () => readdirSync(`${folder.path}/spool`);

test("three hundred half-sent requests are answered and closed in time, and others are answered meanwhile", async () => {
  const lines = await Promise.all(Array.from({ length: MANY }, () => openConnection(program.port)));
  for (const line of lines) line.write(`${head("POST /api/books", JSON_BODY)}\r\n{"name": "Half`);
  const texts = Promise.all(lines.map(ended));
  let isOver = false;
  void texts.then(() => {
    isOver = true;
  });
  let asked = 0;
  for (; !isOver; asked++) expect((await program.ask("GET", "/api/books")).status).toBe(200);
  expect(asked).toBeGreaterThan(5);
  for (const text of await texts) {
    expect(text).toStartWith("HTTP/1.1 408");
    expect(text).toEndWith(JSON.stringify(TOO_SLOW));
  }
  expect((await program.ask("GET", "/api/books")).body.total).toBe(0);
});

test("a body that drips is not waited for, one that comes at the least rate is", async () => {
  const slow = await openConnection(program.port);
  slow.write(`${head("POST /api/books", JSON_BODY)}\r\n{"name": "`);
  expect(await drip(slow, "x", 100)).toStartWith("HTTP/1.1 408");
  const steady = await openConnection(program.port);
  const text = JSON.stringify({ name: "Steady", description: "x".repeat(5_950) });
  const perSecond = 2_400;
  const headers = { "content-type": "application/json", "content-length": text.length };
  steady.write(`${head("POST /api/books", headers)}\r\n`);
  // By the clock, since a busy machine sleeps longer than it was told to.
  for (let at = 0, begun = performance.now(); at < text.length; await Bun.sleep(250)) {
    const due = 600 + Math.floor(((performance.now() - begun) * perSecond) / 1_000);
    steady.write(text.slice(at, due));
    at = due;
  }
  expect(await steady.read()).toMatch(/^HTTP\/1\.1 (?:200|422)/);
  steady.hangUp();
});

test("an upload that stops halfway leaves no file, in one piece or in chunks", async () => {
  const parts = "x".repeat(300_000);
  const whole = await openConnection(program.port);
  whole.write(`${head("POST /api/imports", FORM)}\r\n${START}${parts}`);
  const chunked = await openConnection(program.port);
  const { "content-length": _, ...type } = FORM;
  chunked.write(`${head("POST /api/imports", { ...type, "transfer-encoding": "chunked" })}\r\n`);
  chunked.write(`${START.length.toString(16)}\r\n${START}\r\n${parts.length.toString(16)}\r\n${parts}\r\n`);
  for (const text of await Promise.all([whole, chunked].map(ended))) expect(text).toStartWith("HTTP/1.1 408");
  expect(spooled()).toEqual([]);
});

test("who is refused before the body is read is refused at once, and not waited for", async () => {
  const stranger = await openConnection(program.port);
  stranger.write(`${head("POST /api/books", { ...JSON_BODY, authorization: "Token no:body" })}\r\n{"name`);
  expect(await stranger.read()).toStartWith("HTTP/1.1 401");
  const agent = await openConnection(program.port);
  agent.write(`${head("POST /api/v1/hosts/update", { ...JSON_BODY, authorization: "" })}\r\n{"name`);
  expect(await agent.read()).toStartWith("HTTP/1.1 401");
  await Promise.all([ended(stranger), drip(agent, "x", 200)]);
});

test("an agent whose report does not arrive is answered in the agents' error shape", async () => {
  const { body: host } = await program.ask("POST", "/api/v1/dashboard/hosts", { friendly_name: "Slow" });
  const line = await openConnection(program.port);
  const credentials = { "x-api-id": String(host.api_id), "x-api-key": String(host.api_key) };
  line.write(`${head("POST /api/v1/hosts/update", { ...JSON_BODY, ...credentials })}\r\n{"name`);
  const text = await ended(line);
  expect(text).toStartWith("HTTP/1.1 408");
  expect(text).toContain('{"error":"The request body took too long');
});

test("heads that stop halfway or drip are closed, on the first request of a connection and on later ones", async () => {
  const first = await openConnection(program.port);
  first.write("GET /api/books HTTP/1.1\r\nhost: x\r\n");
  const dripping = await openConnection(program.port);
  dripping.write("GET /api/books HTTP/1.1\r\nhost: x\r\nx: ");
  const second = await openConnection(program.port);
  second.write(`${head("GET /api/system")}\r\n`);
  expect(await second.read()).toStartWith("HTTP/1.1 200");
  second.write("GET /api/books HTTP/1.1\r\nhost: x\r\nx: ");
  const silent = await openConnection(program.port);
  const texts = await Promise.all([ended(first), drip(dripping, "a", 500), drip(second, "a", 500), ended(silent)]);
  expect(texts.map((text) => text.slice(0, 12))).toEqual(["", "", "HTTP/1.1 200", ""]);
});

test("an answer that nobody reads does not keep its connection", async () => {
  const { body: book } = await program.ask("POST", "/api/books", { name: "Long" });
  const page = await program.ask("POST", "/api/pages", { name: "Long", book_id: book.id, html: "<p>x</p>" });
  const form = new FormData();
  form.set("name", "Long");
  form.set("uploaded_to", String(page.body.id));
  form.set("file", new File([LONG_TEXT], "long.txt"));
  const url = `http://127.0.0.1:${program.port}/api/attachments`;
  const made = await fetch(url, { method: "POST", headers: { authorization: program.authorization }, body: form });
  const { id } = (await made.json()) as { id: number };
  const socket = connect(program.port, "127.0.0.1");
  socket.pause();
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  socket.write(`${head(`GET /attachments/${id}`)}\r\n`);
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 9_000);
  await passed;
  // What had arrived by then is read, and then the end of the connection: much less than all of it.
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  await closed;
  expect(bytes).toBeWithin(1, LONG_TEXT.length);
  expect((await program.ask("GET", "/api/system")).status).toBe(200);
});

test("through all of it the program has met nothing it did not expect", () => {
  const errors = program.output().split("\n");
  expect(errors.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
