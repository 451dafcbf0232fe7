import { expect, test } from "bun:test";
import type { BookEntry } from "lectern/contracts";
import { nestContents } from "./contents.ts";

const chapter = (id: number, priority: number): BookEntry => ({
  id,
  name: `c${id}`,
  slug: `c${id}`,
  book_id: 1,
  priority,
  url: "",
  type: "chapter",
});
const page = (id: number, priority: number, more: Partial<BookEntry> = {}): BookEntry => ({
  id,
  name: `p${id}`,
  slug: `p${id}`,
  book_id: 1,
  chapter_id: null,
  draft: false,
  priority,
  url: "",
  type: "page",
  ...more,
});
const order = (entries: readonly Record<string, unknown>[]) =>
  entries.map(({ type, id }) => `${String(type ?? "")}${String(id)}`);

test("nestContents() sorts by draft, priority, kind and id", () => {
  const entries = [page(9, 1), page(2, 3), chapter(7, 3), chapter(5, 3), page(1, 3), page(4, 8, { draft: true })];
  expect(order(nestContents(entries))).toEqual(["page4", "page9", "chapter5", "chapter7", "page1", "page2"]);
});

test("nestContents() puts pages into their chapter without a type", () => {
  const [first] = nestContents([page(3, 2, { chapter_id: 7 }), chapter(7, 1), page(2, 1, { chapter_id: 7 })]);
  expect(first?.pages).toEqual([
    { id: 2, name: "p2", slug: "p2", book_id: 1, chapter_id: 7, draft: false, priority: 1, url: "" },
    { id: 3, name: "p3", slug: "p3", book_id: 1, chapter_id: 7, draft: false, priority: 2, url: "" },
  ]);
});

test("nestContents() leaves a page whose chapter is not visible at the top level, with its chapter_id", () => {
  expect(nestContents([page(3, 2, { chapter_id: 7 })])).toEqual([{ ...page(3, 2), chapter_id: 7 }]);
});

test("nestContents() gives a chapter without pages an empty list", () => {
  expect(nestContents([chapter(7, 1)])).toEqual([{ ...chapter(7, 1), pages: [] }]);
});
