import { expect, test } from "bun:test";
import { joinedOutlines, outlineEntries, outlineLine } from "./outlines.ts";

const entry = { book_id: 1, url: "http://localhost/notes/1" };
const line = (type: string, id: number, priority: number, more: object = {}) =>
  outlineLine({ ...entry, type, id, priority, name: `${type} ${id}`, slug: `${type}-${id}`, ...more });
const shown = (outline: string) => {
  const names = (entries: ReturnType<typeof outlineEntries>): string =>
    entries.map(({ name, pages }) => (pages ? `${name}[${names(pages)}]` : name)).join(", ");
  return names(outlineEntries({ outline }));
};

test("entries are in the order of contents: drafts, then by priority, chapters before pages, by id", () => {
  const pages = [line("page", 3, 1), line("page", 2, 1), line("page", 9, 5, { draft: true })];
  expect(shown(joinedOutlines([...pages, "", line("chapter", 4, 1), line("note", 1, 0)]))).toBe(
    "page 9, note 1, chapter 4[], page 2, page 3",
  );
});

test("entries of a chapter are in it, those of an absent one in the book", () => {
  const inside = [line("page", 2, 2, { chapter_id: 4 }), line("note", 1, 1, { chapter_id: 4 })];
  expect(shown(joinedOutlines([...inside, line("chapter", 4, 1)]))).toBe("chapter 4[note 1, page 2]");
  expect(shown(joinedOutlines(inside))).toBe("note 1, page 2");
});

test("names keep all but what separates lines, and an empty outline has no entries", () => {
  expect(shown(line("page", 1, 1, { name: "a\tb\nc “d” <e>" }))).toBe("a b c “d” <e>");
  expect(outlineEntries({ outline: "" })).toEqual([]);
});
