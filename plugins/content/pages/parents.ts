import type { Owned } from "lectern/contracts";
import { type EventTransaction, notFound, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { PageParent } from "./contract.ts";
import type { Parts } from "./parts.ts";

/** A book or chapter that somebody named as the parent of a page. */
export interface NamedParent {
  readonly kind: "book" | "chapter";
  readonly id: number;
}

/** What decides about creating in a parent. */
type FoundParent = Owned & { readonly book_id?: number };

const TABLES = { book: "books", chapter: "chapters" } as const;
const NOUNS = { book: "Book", chapter: "Chapter" } as const;

/** The parent that a body names; the chapter where it names both (content-api 8.2, 8.4). */
export function parentIn(draft: {
  book_id?: number | undefined;
  chapter_id?: number | undefined;
}): NamedParent | undefined {
  if (draft.chapter_id !== undefined) return { kind: "chapter", id: draft.chapter_id };
  return draft.book_id === undefined ? undefined : { kind: "book", id: draft.book_id };
}

/** Whether a page lies directly in this parent. */
export function liesIn(page: PageParent, { kind, id }: NamedParent): boolean {
  return kind === "chapter" ? page.chapter_id === id : page.chapter_id === null && page.book_id === id;
}

/** The parent if the viewer sees it. Throws its 404 (content-api 1.4). */
export async function findParent(parts: Parts, viewer: Viewer, { kind, id }: NamedParent): Promise<FoundParent> {
  const table = TABLES[kind];
  const [parent] = await rows<FoundParent>(
    parts.db,
    sql`select * from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id}::integer
      and ${parts.sees(table, viewer)}`,
  );
  if (!parent) throw notFound(NOUNS[kind]);
  return parent;
}

/**
 * Keeps the parent as it is until the transaction ends: a page never lands in a book or chapter that is being deleted
 * or moved, while any number of writers may share one parent. Throws its 404 where it has gone meanwhile.
 */
export async function lockParent({ kind, id }: NamedParent, tx: EventTransaction): Promise<PageParent> {
  const columns = kind === "chapter" ? sql`book_id, id as chapter_id` : sql`id as book_id, null as chapter_id`;
  const [parent] = await rows<PageParent>(
    tx.db,
    sql`select ${columns} from ${sql.table(TABLES[kind])} where id = ${id}::integer and deleted_at is null for share`,
  );
  if (!parent) throw notFound(NOUNS[kind]);
  return parent;
}
