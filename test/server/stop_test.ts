/** How the program ends: told to, it finishes what it began; killed, it has kept whatever it said it had. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { dataFolder, openLine, type Program, startProgram } from "../support/program.ts";

const PAGES = 200;
const AT_ONCE = 8;

setDefaultTimeout(60_000);
const folder = dataFolder();
afterAll(folder.remove);

const create = async (program: Program, path: string, body: unknown) =>
  (await program.ask("POST", path, body)).body.id as number;

test("told to stop, it answers the request under way, takes no more, and ends in order", async () => {
  const program = await startProgram(folder.path);
  const body = JSON.stringify({ name: "Begun before the end" });
  const line = await openLine(program.port);
  line.write(
    `POST /api/books HTTP/1.1\r\nhost: x\r\nauthorization: ${program.authorization}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // Answered on another connection, so the one above has been taken on.
  expect((await program.ask("GET", "/api/system")).status).toBe(200);
  program.signal("SIGTERM");
  const refused = async () => {
    for (;;) {
      const open = await openLine(program.port).catch(() => undefined);
      if (!open) return true;
      open.hangUp();
      await Bun.sleep(10);
    }
  };
  expect(await refused()).toBe(true);
  line.write(body.slice(10));
  const answer = await line.read();
  expect(answer).toStartWith("HTTP/1.1 200");
  expect(answer).toContain("Begun before the end");
  expect(await program.ended).toBe(0);
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
