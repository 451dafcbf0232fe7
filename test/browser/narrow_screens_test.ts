/** Names that are hard to lay out, very long or with bidirectional text, on the narrowest phones. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const LONG = "Donaudampfschifffahrt".repeat(10);
const TURNING = "كتاب \u202eevil";

let screens: ScreenRuntime;
const paths: Record<string, string> = {};
beforeAll(async () => {
  screens = await openScreens();
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const book = await make("/api/books", { name: LONG });
  const turning = await make("/api/books", { name: TURNING });
  const chapter = await make("/api/chapters", { name: LONG, book_id: book.id });
  const page = await make("/api/pages", { name: LONG, chapter_id: chapter.id, markdown: `# ${LONG}` });
  const shelf = await make("/api/shelves", { name: LONG, books: [book.id, turning.id] });
  const at = `/books/${book.slug}/page/${page.slug}`;
  Object.assign(paths, {
    ...{
      books: "/books",
      "new-shelf": "/create-shelf",
      shelf: `/shelves/${shelf.slug}`,
      page: at,
      "new-book": "/create-book",
    },
    ...{ "edit-shelf": `/shelves/${shelf.slug}/edit`, copy: `${at}/copy`, move: `${at}/move`, edit: `${at}/edit` },
    ...{
      audit: `/settings/audit/item/page/${page.id}`,
      book: `/books/${book.slug}`,
      order: `/books/${book.slug}/sort`,
      home: "/",
      log: "/settings/audit",
    },
    ...{ chapter: `/books/${book.slug}/chapter/${chapter.slug}`, permissions: `/books/${book.slug}/permissions` },
    ...{ revisions: `${at}/revisions`, delete: `${at}/delete`, find: "/search?query=donau" },
    ...{
      turning: `/books/${turning.slug}`,
      "turning-edit": `/books/${turning.slug}/edit`,
      "turning-delete": `/books/${turning.slug}/delete`,
    },
  });
});
afterAll(() => screens.stop());

async function visit(width: number): Promise<Page> {
  const page = await screens.visit(undefined, { size: "phone" });
  await page.setViewportSize({ width, height: 740 });
  return page;
}

test("no screen is wider than a narrow phone, however long a name is", async () => {
  const page = await visit(360);
  const wrong: unknown[] = [];
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(path);
    await picture(page, `narrow-${name}`);
    const errors = await errorsOf(page);
    if (errors.length > 0) wrong.push([name, errors]);
  }
  expect(wrong).toEqual([]);
});

/** The horizontal position of a word in the only text of an element. */
const leftOf = (page: Page, selector: string, word: string) =>
  page.evaluate(`(() => {
    const text = document.querySelector(${JSON.stringify(selector)}).firstChild;
    const start = text.data.indexOf(${JSON.stringify(word)});
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, start + 1);
    return range.getBoundingClientRect().left;
  })()`) as Promise<number>;

test("marks of direction in a name turn nothing round it", async () => {
  const page = await screens.visit();
  for (const path of ["books", "new-shelf", "turning", "turning-edit", "turning-delete"]) {
    await page.goto(paths[path] ?? "");
    await picture(page, `turning-${path}`);
    expect([path, await errorsOf(page)]).toEqual([path, []]);
  }
  // The confirmation's question ends where it ends in any other language.
  expect(await leftOf(page, "main h1", "Delete")).toBeLessThan(await leftOf(page, "main h1", "”?"));
  expect(await page.title()).toContain("\u2069 · ");
});
