/** How the program ends: on SIGTERM it finishes what it began; killed, it has kept what it acknowledged. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { portable } from "../support/data/sample_zips.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import {
  dataFolder,
  openConnection,
  type Program,
  type RawConnection,
  startProgram,
} from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const PAGES = 200;
const AT_ONCE = 8;

setDefaultTimeout(scaled(60_000));
const folder = dataFolder("ready");
afterAll(folder.remove);

const create = async (program: Program, path: string, body: unknown) =>
  (await program.ask("POST", path, body)).body.id as number;

test("on SIGTERM it answers the request under way, takes no more, and ends in order", async () => {
  const program = await startProgram(folder.path);
  const body = JSON.stringify({ name: "Begun before the end" });
  const line = await openConnection(program.port);
  line.write(
    `POST /api/books HTTP/1.1\r\nhost: x\r\nauthorization: ${program.authorization}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // Answered on another connection, so the one above has been accepted.
  expect((await program.ask("GET", "/api/system")).status).toBe(200);
  program.signal("SIGTERM");
  const isRefused = async () => {
    const open = await openConnection(program.port).catch(() => undefined);
    open?.hangUp();
    return !open;
  };
  expect(await until(isRefused)).toBe(true);
  line.write(body.slice(10));
  const answer = await line.read();
  expect(answer).toStartWith("HTTP/1.1 200");
  expect(answer).toContain("Begun before the end");
  expect(await program.ended).toBe(0);
});

/** A POST as head and body, so that a test can send the body in parts. */
function post(program: Program, path: string, type: string, body: Uint8Array | string) {
  const bytes = Buffer.from(body);
  const head =
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${program.authorization}\r\n` +
    `content-type: ${type}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return { head, bytes };
}

/** A form with one file and a field beside it. */
function form(field: string, content: Uint8Array | string, more: Record<string, string> = {}) {
  const fields = Object.entries(more).map(
    ([name, value]) => `--cut\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--cut\r\ncontent-disposition: form-data; name="${field}"; filename="file.zip"\r\n\r\n`;
  return Buffer.concat([Buffer.from(fields.join("") + head), Buffer.from(content), Buffer.from("\r\n--cut--\r\n")]);
}

test("on SIGTERM amid uploads and imports it answers every request and resets no connection", async () => {
  const program = await startProgram(folder.path, { STOP_TIMEOUT_MS: "50000" });
  const book = await create(program, "/api/books", { name: "Busy" });
  const page = await create(program, "/api/pages", { name: "With files", book_id: book, html: "<p>x</p>" });
  const multipart = "multipart/form-data; boundary=cut";
  const html = "<p>Some <b>words</b> of a page.</p>\n".repeat(2_000);
  const kinds = (at: number) => [
    post(program, "/api/pages", "application/json", JSON.stringify({ name: `Page ${at}`, book_id: book, html })),
    post(
      program,
      "/api/attachments",
      multipart,
      form("file", "x".repeat(400_000), { name: "A", uploaded_to: `${page}` }),
    ),
    post(program, "/api/imports", multipart, form("file", portable({ page: { name: "Packed", html: "<p>x</p>" } }))),
  ];
  const all = Array.from({ length: AT_ONCE }, (_, at) => kinds(at)).flat();
  const lines: RawConnection[] = await Promise.all(all.map(() => openConnection(program.port)));
  const idle = await openConnection(program.port);
  idle.write(`GET /api/system HTTP/1.1\r\nhost: x\r\nauthorization: ${program.authorization}\r\n\r\n`);
  await idle.read();
  for (const [at, { head, bytes }] of all.entries())
    lines[at]?.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, bytes.length / 2)]));
  program.signal("SIGTERM");
  await until(() => program.output().includes('"stopping"'));
  for (const [at, { bytes }] of all.entries()) {
    lines[at]?.write(bytes.subarray(bytes.length / 2));
    await Bun.sleep(20);
  }
  const answers = await Promise.all(lines.map((line) => line.read()));
  expect(answers.map((text) => text.slice(0, 12))).toEqual(all.map(() => "HTTP/1.1 200"));
  expect(answers.filter((text) => !/\r\nconnection: close\r\n/i.test(text))).toEqual([]);
  expect(await program.ended).toBe(0);
  expect(program.output()).not.toContain('"level":"error"');
});

test("connections that come at the moment of the stop are answered as well", async () => {
  const program = await startProgram(folder.path, { STOP_TIMEOUT_MS: "50000" });
  const book = await create(program, "/api/books", { name: "Waiting" });
  const page = await create(program, "/api/pages", { name: "With files", book_id: book, html: "<p>x</p>" });
  const body = form("file", "x".repeat(400_000), { name: "A", uploaded_to: String(page) });
  const { head, bytes } = post(program, "/api/attachments", "multipart/form-data; boundary=cut", body);
  const lines = await Promise.all(Array.from({ length: AT_ONCE * 4 }, () => openConnection(program.port)));
  const answers = lines.map((line) => {
    line.write(Buffer.concat([Buffer.from(head), bytes]));
    return line.read();
  });
  program.signal("SIGTERM");
  expect((await Promise.all(answers)).map((text) => text.slice(0, 12))).toEqual(answers.map(() => "HTTP/1.1 200"));
  expect(await program.ended).toBe(0);
});

test("what takes longer than a stop may take is answered so, and the second signal of a kind ends at once", async () => {
  const half = (program: Program) => {
    const { head, bytes } = post(program, "/api/books", "application/json", '{"name":"Never whole"}');
    return head + bytes.toString().slice(0, 5);
  };
  const patient = await startProgram(folder.path, { STOP_TIMEOUT_MS: "300" });
  const line = await openConnection(patient.port);
  line.write(half(patient));
  expect((await patient.ask("GET", "/api/system")).status).toBe(200);
  patient.signal("SIGTERM");
  const text = await line.read();
  expect(text).toStartWith("HTTP/1.1 503");
  expect(text).toContain(
    '{"error":{"message":"The server is stopping. What was asked for may still be done.","code":503}}',
  );
  expect(await patient.ended).toBe(0);

  const stubborn = await startProgram(folder.path, { STOP_TIMEOUT_MS: "600000" });
  const other = await openConnection(stubborn.port);
  other.write(half(stubborn));
  expect((await stubborn.ask("GET", "/api/system")).status).toBe(200);
  stubborn.signal("SIGTERM");
  await until(() => stubborn.output().includes('"stopping"'));
  stubborn.signal("SIGTERM");
  expect(await stubborn.ended).toBeNull();
});

test("killed amid many saves, it has every page it said it saved", async () => {
  const program = await startProgram(folder.path);
  const book = await create(program, "/api/books", { name: "Amid" });
  const saved: number[] = [];
  let next = 0;
  const save = async () => {
    while (next < PAGES) {
      const name = `Page ${next++}`;
      const answer = await program
        .ask("POST", "/api/pages", { name, book_id: book, html: `<p>Text of ${name}</p>` })
        .catch(() => undefined);
      if (!answer) return;
      expect(answer.status).toBe(200);
      saved.push(answer.body.id as number);
      if (saved.length === PAGES / 2) program.signal("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, save));
  expect(await program.ended).toBeNull();
  expect(saved.length).toBeWithin(PAGES / 2, PAGES);
  const again = await startProgram(folder.path);
  for (const id of saved) {
    const { status, body } = await again.ask("GET", `/api/pages/${id}`);
    expect([status, body.html]).toEqual([200, expect.stringContaining(`Text of ${body.name}</p>`)]);
  }
  expect((await again.ask("GET", `/api/books/${book}`)).status).toBe(200);
  expect(await create(again, "/api/pages", { name: "After", book_id: book, markdown: "x" })).toBeGreaterThan(0);
  again.signal("SIGTERM");
  expect(await again.ended).toBe(0);
});
