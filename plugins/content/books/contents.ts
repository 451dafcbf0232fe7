import type { ContentEntry } from "lectern/contracts";

/** The kind of entry that holds others. */
const HOLDER = "chapter";

/**
 * A book's contents as its read shows them (content-api 5.3): drafts first, then by priority, chapters before pages, by
 * id. A page lies in its chapter's `pages`, without `type`; where the chapter is not among the entries, at the top.
 */
export function nested(entries: readonly ContentEntry[]): Record<string, unknown>[] {
  const held = new Map(entries.filter(isHolder).map(({ id }) => [id, [] as Record<string, unknown>[]]));
  const top: ContentEntry[] = [];
  for (const entry of [...entries].sort(inOrder)) {
    const holder = isHolder(entry) ? undefined : held.get(entry.chapter_id ?? 0);
    if (!holder) {
      top.push(entry);
      continue;
    }
    const { type: _type, ...rest } = entry;
    holder.push(rest);
  }
  return top.map((entry) => (isHolder(entry) ? { ...entry, pages: held.get(entry.id) } : { ...entry }));
}

function isHolder(entry: ContentEntry): boolean {
  return entry.type === HOLDER;
}

function inOrder(a: ContentEntry, b: ContentEntry): number {
  const drafts = Number(b.draft ?? false) - Number(a.draft ?? false);
  return drafts || a.priority - b.priority || Number(isHolder(b)) - Number(isHolder(a)) || a.id - b.id;
}
