import type { BookEntry, ContentEntry } from "lectern/contracts";
import type { PluginContext, TableDependency } from "lectern/core";
import type { ContentsEntry } from "../_items/answers.ts";

/** The kind of entry that contains others. */
const CONTAINER = "chapter";
/** The kind whose entries within a chapter have no `type`. */
const NESTED = "page";

/**
 * A book's contents as its read shows them (content-api 5.3): drafts first, then by priority, chapters before pages, by
 * id. A page is in `pages` of its chapter, without `type`, and so is an entry of another kind, with it; where the chapter is not among the
 * entries, at the top level.
 */
export function nestContents(entries: readonly BookEntry[]): ContentsEntry[] {
  const pagesOf = new Map<number, NonNullable<ContentsEntry["pages"]>>(
    entries.filter(isContainer).map(({ id }) => [id, []]),
  );
  const topLevel: BookEntry[] = [];
  for (const entry of [...entries].sort(compareEntries)) {
    const pages = isContainer(entry) ? undefined : pagesOf.get(entry.chapter_id ?? 0);
    if (!pages) {
      topLevel.push(entry);
      continue;
    }
    const { type, ...rest } = entry;
    pages.push(type === NESTED ? rest : entry);
  }
  return topLevel.map((entry) => ({ ...entry, ...(isContainer(entry) && { pages: pagesOf.get(entry.id) ?? [] }) }));
}

/** The tables that the contents of a book are read from; undefined where a kind does not say. */
export function contentTables({ slot }: Pick<PluginContext, "slot">): readonly TableDependency[] | undefined {
  const kinds = slot("content").filter(({ contents, selectContents }) => contents || selectContents);
  return kinds.every(({ contentsDependOn }) => contentsDependOn)
    ? kinds.flatMap(({ contentsDependOn = [] }) => contentsDependOn)
    : undefined;
}

/** Whether the contents of a book are rows that each reader sees by the rules of their table, of every kind. */
export function hasShownContents({ slot }: Pick<PluginContext, "slot">): boolean {
  return slot("content").every(
    ({ contents, contentsDependOn = [], selectContents, table }) =>
      (!contents && !selectContents) || contentsDependOn.some((each) => each.table === table && each.shown),
  );
}

/** What a kind returned, if it can be shown as contents. Throws for anything but a list of objects. */
export function checkedEntries(entries: readonly ContentEntry[]): readonly BookEntry[] {
  // Plugins return them, or their SQL does, which no type checks.
  const given: unknown = entries;
  if (!Array.isArray(given) || !given.every((entry) => typeof entry === "object" && entry !== null))
    throw new Error("It returned no list of entries");
  // Other fields are those that the kind's plugin gives.
  return entries as readonly BookEntry[];
}

/** The lines that a kind's SQL selected. Throws for anything but a text. */
export function checkedLines(lines: string): string {
  const given: unknown = lines;
  if (typeof given !== "string") throw new Error("It returned no text of lines");
  return lines;
}

function isContainer(entry: BookEntry): boolean {
  return entry.type === CONTAINER;
}

function compareEntries(a: BookEntry, b: BookEntry): number {
  const drafts = Number(b.draft ?? false) - Number(a.draft ?? false);
  return drafts || a.priority - b.priority || Number(isContainer(b)) - Number(isContainer(a)) || a.id - b.id;
}
