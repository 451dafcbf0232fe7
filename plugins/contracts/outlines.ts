/**
 * Outlines: the contents of a book as one text, with what lists of links need of each entry. A book may have tens of thousands of entries:
 * as objects, a cached answer with them is frozen one by one, which holds up the process for 40 ms at 20,000 entries, while a text is one
 * value. The lines are made by the store (`selectOutline` of the slot `content`) or by `outlineLine`, and read by `outlineEntries`.
 */
import { type RawBuilder, sql } from "kysely";
import type { BookEntry } from "./content.ts";

/** An entry of a book's outline. Chapters have `pages`, entries of other plugins the absolute `url` of their screen. */
export interface OutlineEntry {
  readonly type: string;
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly draft: boolean;
  readonly url: string;
  readonly pages?: readonly OutlineEntry[];
}

/** A book with its outline. */
export interface Outlined {
  /** Its entries that the reader sees, in the form that `outlineEntries` reads. */
  readonly outline: string;
}

/** Between the fields of a line, and between lines; names have a space for each. */
const [FIELD, LINE] = ["\t", "\n"];
const SEPARATORS = /[\t\n]/g;

/** The kind of entry that has others. */
const CONTAINER = "chapter";

/**
 * The line of an entry in an outline.
 * @example
 * outlineLine({ type: "note", id: 1, book_id: 2, name: "Milk", slug: "milk", priority: 3, url: "http://localhost/notes/1" });
 */
export function outlineLine(entry: BookEntry): string {
  const { type, id, chapter_id, priority, draft, name, slug, url } = entry;
  return [type, id, chapter_id ?? 0, priority, draft ? 1 : 0, ...[name, slug, url].map(withoutSeparators)].join(FIELD);
}

/**
 * SQL for the lines of a kind's entries, in any order; `entries` selects "id", "chapter_id", "priority", "draft", "name" and "slug".
 * @example
 * const lines = outlineLines("page", sql`select id, chapter_id, priority, draft, name, slug from pages where book_id = 1`);
 */
export function outlineLines(kind: "page" | "chapter", entries: RawBuilder<unknown>): RawBuilder<string> {
  // A template: the entries are SQL of their plugin. Slugs have no separators.
  return sql`coalesce((select string_agg(concat_ws(chr(9), ${sql.lit(kind)}, id, coalesce(chapter_id, 0), priority, draft::integer,
      translate(name, chr(9) || chr(10), '  '), slug, ''), chr(10)) from (${entries}) as entries), '')`;
}

/**
 * Joins the lines of several kinds.
 * @example
 * joinedOutlines(["", outlineLine({ type: "note", id: 1, book_id: 2, name: "Milk", slug: "milk", priority: 3, url: "" })]);
 */
export function joinedOutlines(lines: readonly string[]): string {
  return lines.filter((each) => each !== "").join(LINE);
}

const READ = new WeakMap<Outlined, readonly OutlineEntry[]>();

/**
 * The entries of a book's outline as a tree, in the order of the book's contents (content-api 5.3): drafts first, then by priority, chapters
 * before pages, by id. Read once for each book object, so nobody may change them.
 * @example
 * const names = outlineEntries({ outline: "" }).map(({ name }) => name);
 */
export function outlineEntries(book: Outlined): readonly OutlineEntry[] {
  const known = READ.get(book) ?? nested(book.outline);
  READ.set(book, known);
  return known;
}

interface Line {
  readonly entry: OutlineEntry & { readonly pages?: OutlineEntry[] };
  readonly chapter: number;
  readonly priority: number;
}

function nested(outline: string): readonly OutlineEntry[] {
  const lines = outline === "" ? [] : outline.split(LINE).map(lineOf).sort(compareLines);
  const chapters = new Map(lines.flatMap(({ entry }) => (entry.pages ? [[entry.id, entry.pages] as const] : [])));
  const top: OutlineEntry[] = [];
  for (const { entry, chapter } of lines) (chapters.get(entry.pages ? 0 : chapter) ?? top).push(entry);
  return top;
}

function lineOf(line: string): Line {
  const [type = "", id, chapter, priority, draft, name = "", slug = "", url = ""] = line.split(FIELD);
  const own = { type, id: Number(id), name, slug, draft: draft === "1", url };
  const entry = type === CONTAINER ? { ...own, pages: [] } : own;
  return { entry, chapter: Number(chapter), priority: Number(priority) };
}

function compareLines(a: Line, b: Line): number {
  const drafts = Number(b.entry.draft) - Number(a.entry.draft);
  const chapters = Number(b.entry.pages !== undefined) - Number(a.entry.pages !== undefined);
  return drafts || a.priority - b.priority || chapters || a.entry.id - b.entry.id;
}

function withoutSeparators(text: string): string {
  return text.replace(SEPARATORS, " ");
}
