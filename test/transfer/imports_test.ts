/**
 * Imports over the API: what is created from an archive, all of it or nothing, in which order. Refused archives are in
 * hostile_zips_test.ts, our own exports in round_trip_test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "lectern/core";
import { picture, png } from "../support/data/sample_pictures.ts";
import { portable, upload } from "../support/data/sample_zips.ts";
import { isDerivedEvent } from "../support/harness/derived_events.ts";
import { longestDelay } from "../support/harness/event_loop_delay.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PREFIX = "ZIP upload failed with the following validation errors: \n";

let runtime: TestRuntime;
let book: number;
const seen: string[] = [];
/** Resolves when the second run of an import that runs has been refused. */
let isRefused: Promise<unknown> = Promise.resolve();

const observing = definePlugin({
  name: "observing",
  setup: ({ on }) =>
    on.any({
      inTransaction: async ({ name, result }) => {
        if (!isDerivedEvent(name)) seen.push(name);
        if (name === "page_create" && (result as { name: string }).name === "Slow") await isRefused;
        if (name === "page_create" && (result as { name: string }).name === "Broken")
          throw new Error("Broken on purpose");
      },
    }),
});

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [observing] });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Target" } })).body.id;
}, 120_000);
afterAll(() => runtime.stop());

const files = () => {
  const root = join(runtime.dataDir, "files");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
};
const pending = async (data: unknown, more: Readonly<Record<string, Uint8Array | string>> = {}) => {
  const { status, body } = await upload(runtime, portable(data, more));
  expect([status, body.message]).toEqual([200, undefined]);
  return body.id as number;
};
const run = (id: number, body: unknown = {}, as = runtime.token) =>
  runtime.ask("POST", `/api/imports/${id}`, { body, as });
const intoBook = () => ({ parent_type: "book", parent_id: book });

test("a book comes with its chapters, pages, pictures, files and cover, and what they say of each other", async () => {
  const id = await pending(
    {
      book: {
        id: 7,
        name: "Whole",
        description_html: '<p>Start at <a href="[[bsexport:page:5]]">the page</a></p>',
        cover: "c",
        tags: [{ name: "a", value: null }],
        chapters: [
          {
            id: 3,
            name: "Second",
            priority: 2,
            pages: [{ id: 6, name: "Deep", markdown: "[up]([[bsexport:book:7]])" }],
          },
        ],
        pages: [
          {
            id: 5,
            name: "First",
            priority: 1,
            html: '<p><img src="[[bsexport:image:8]]"> <a href="[[bsexport:attachment:9]]?open=true">f</a> <a href="[[bsexport:chapter:3]]">c</a></p><div drawio-diagram="4"><img src="[[bsexport:image:4]]"></div>',
            images: [
              { id: 8, name: "Photo", file: "p", type: "gallery" },
              { id: 4, name: "Drawing.png", file: "d", type: "drawio" },
            ],
            attachments: [
              { id: 9, name: "Text", file: "t.TXT", link: "https://example.com" },
              { id: 10, name: "Site", link: "https://example.com/x" },
            ],
          },
        ],
      },
    },
    { c: await picture("jpeg"), p: await picture("webp"), d: png(), "t.TXT": "hello" },
  );
  const { status, body } = await run(id);
  expect([status, body.name, body.slug, body.created_by]).toEqual([200, "Whole", "whole", 1]);
  const read = (await runtime.ask("GET", `/api/books/${body.id}`)).body;
  expect(read.cover.url).toEndWith(".jpg");
  expect(read.description_html).toBe('<p>Start at <a href="http://localhost/books/whole/page/first">the page</a></p>');
  expect(read.contents.map(({ name }: { name: string }) => name)).toEqual(["First", "Second"]);
  const first = (await runtime.ask("GET", `/api/pages/${read.contents[0].id}`)).body;
  expect(first.raw_html).toMatch(
    /src="http:\/\/localhost\/uploads\/images\/gallery\/[\d-]+\/scaled-1680-\/photo\.webp".*href="http:\/\/localhost\/attachments\/\d+\?open=true".*href="http:\/\/localhost\/books\/whole\/chapter\/second"/,
  );
  const drawing = (await runtime.ask("GET", `/api/image-gallery?filter[type]=drawio`)).body.data[0];
  expect(first.raw_html).toContain(`drawio-diagram="${drawing.id}"`);
  expect(first.revision_count).toBe(1);
  const deep = (await runtime.ask("GET", `/api/pages/${read.contents[1].pages[0].id}`)).body;
  expect([deep.markdown, deep.html]).toEqual([
    "[up](http://localhost/books/whole)",
    '<p id="bkmrk-up"><a href="http://localhost/books/whole">up</a></p>\n',
  ]);
  const kept = (await runtime.ask("GET", `/api/attachments?filter[uploaded_to]=${first.id}&sort=name`)).body.data;
  expect(kept.map(({ name, extension, external }: Record<string, unknown>) => [name, extension, external])).toEqual([
    ["Site", "", true],
    ["Text", "txt", false],
  ]);
  // Links of imported content are recorded, so that they are rewritten with their target.
  await runtime.ask("PUT", `/api/books/${body.id}`, { body: { name: "Renamed" } });
  expect((await runtime.ask("GET", `/api/pages/${deep.id}`)).body.markdown).toBe(
    "[up](http://localhost/books/renamed)",
  );
  const [revision] = await runtime.store.sql`select html from page_revisions where page_id = ${first.id}`;
  expect(revision?.html).not.toContain("bsexport");
});

test("what a run answers is what is stored, references in descriptions as well", async () => {
  const about = (kind: string) => `<p>Read [[bsexport:${kind}:7]]/page/x</p>`;
  const whole = await pending({ book: { id: 7, name: "Spoken", description_html: about("book") } });
  const made = (await run(whole)).body;
  expect(made.description).toBe("Read http://localhost/books/spoken/page/x");
  const part = await pending({ chapter: { id: 7, name: "Said", description_html: about("chapter") } });
  const chapter = (await run(part, { parent_type: "book", parent_id: made.id })).body;
  expect(chapter.description).toBe("Read http://localhost/books/spoken/chapter/said/page/x");
  for (const [path, { id, description }] of [
    ["books", made],
    ["chapters", chapter],
  ])
    expect((await runtime.ask("GET", `/api/${path}/${id}`)).body.description).toBe(description);
});

test("events come in the order of the audit log, and the import is gone after", async () => {
  seen.length = 0;
  const id = await pending({ page: { name: "Told", html: "<p>x</p>" } });
  expect((await run(id, intoBook())).body).toMatchObject({
    name: "Told",
    book_id: book,
    chapter_id: null,
    draft: false,
  });
  expect(seen.filter((name) => name !== "app_boot")).toEqual([
    "import_create",
    "page_create",
    "import_delete",
    "import_run",
  ]);
  expect((await run(id, intoBook())).status).toBe(404);
  expect(files().filter((name) => name.startsWith("imports/"))).toEqual([]);
});

describe("a run that fails", () => {
  const rowsNow = async () =>
    JSON.stringify(
      await runtime.store.sql`select (select count(*) from pages) as pages, (select count(*) from chapters) as chapters,
        (select count(*) from attachments) as attachments, (select count(*) from images) as images, (select count(*) from tags) as tags`,
    );
  // An image with a valid header is kept, also where the rest is damaged; this one has none.
  const damaged = async () => (await picture("png", { width: 60, height: 60 })).slice(0, 20);

  test("leaves nothing but the import, which can be run again", async () => {
    const id = await pending(
      {
        chapter: {
          name: "Half",
          pages: [
            { name: "Fine", html: "x", tags: [{ name: "t" }], attachments: [{ name: "A", file: "a" }] },
            { name: "Bad", html: "x", images: [{ name: "I", file: "i", type: "gallery" }] },
          ],
        },
      },
      { a: "text", i: await damaged() },
    );
    const before = [await rowsNow(), files()];
    const { status, body } = await run(id, intoBook());
    expect([status, body]).toEqual([
      500,
      {
        error: {
          code: 500,
          message: expect.stringMatching(/^ZIP import failed with the following errors: \nThe image is/),
        },
        message: expect.any(String),
        status: "error",
      },
    ]);
    expect([await rowsNow(), files()]).toEqual(before);
    expect((await run(id, intoBook())).status).toBe(500);
    expect((await runtime.ask("DELETE", `/api/imports/${id}`)).status).toBe(204);
  });

  test("for an internal reason answers no more than that", async () => {
    const id = await pending({ page: { name: "Broken", html: "x" } });
    const before = [await rowsNow(), files()];
    expect((await run(id, intoBook())).body.error).toEqual({ message: "An error occurred", code: 500 });
    expect([await rowsNow(), files()]).toEqual(before);
    await runtime.ask("DELETE", `/api/imports/${id}`);
  });

  test("because another one runs already says so, and the content is there once", async () => {
    const id = await pending({ chapter: { name: "Once", pages: [{ name: "Slow", html: "x" }] } });
    const runs = [run(id, intoBook()), run(id, intoBook())];
    isRefused = Promise.race([...runs, Bun.sleep(scaled(5_000))]);
    const answers = await Promise.all(runs);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await runtime.ask("GET", "/api/chapters?filter[name]=Once")).body.total).toBe(1);
  });
});

test("others are answered while an archive of thousands of pages is judged", async () => {
  const html = "<p>All work and no play.</p>".repeat(100);
  const pages = Array.from({ length: 10_000 }, (_, at) => ({ id: at + 1, name: `Page ${at}`, html }));
  const bytes = portable({ book: { name: "Long", pages } });
  const gap = await longestDelay(async () => expect((await upload(runtime, bytes)).status).toBe(200));
  expect(gap).toBeLessThan(0.5);
}, 120_000);

test("names and texts that no store holds are mended, long ones refused", async () => {
  const id = await pending(
    '{"page":{"name":"A\\u0000\\ud800B","html":"<p>x\\u0000</p>","tags":[{"name":"t\\u0000"}]}}',
  );
  expect((await run(id, intoBook())).body.name).toBe("A\ufffdB");
  const long = await upload(runtime, portable({ page: { name: "x".repeat(256) } }));
  expect(long.body.message).toBe(`${PREFIX}[page.name] The name may not be greater than 255 characters.`);
});
