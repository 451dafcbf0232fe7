import type { Owned } from "lectern/contracts";
import { type EventTransaction, notFound, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { PageParent, PagesContext } from "./contract.ts";

/** The book or chapter that a request names as the parent of a page. */
export interface NamedParent {
  readonly kind: "book" | "chapter";
  readonly id: number;
}

/** What the permission to create in a parent depends on. */
type FoundParent = Owned & { readonly book_id?: number };

const TABLES = { book: "books", chapter: "chapters" } as const;
const NOUNS = { book: "Book", chapter: "Chapter" } as const;

/** The parent that a body names; the chapter where it names a book too (content-api 8.2, 8.4). */
export function parentIn(draft: {
  book_id?: number | undefined;
  chapter_id?: number | undefined;
}): NamedParent | undefined {
  if (draft.chapter_id !== undefined) return { kind: "chapter", id: draft.chapter_id };
  return draft.book_id === undefined ? undefined : { kind: "book", id: draft.book_id };
}

/** Whether a page is directly in this parent. */
export function isIn(page: PageParent, { kind, id }: NamedParent): boolean {
  return kind === "chapter" ? page.chapter_id === id : page.chapter_id === null && page.book_id === id;
}

/** Reads a parent. Throws its 404 where the viewer does not see it (content-api 1.4). */
export async function findParent(
  context: PagesContext,
  viewer: Viewer,
  { kind, id }: NamedParent,
): Promise<FoundParent> {
  const table = TABLES[kind];
  const [parent] = await rows<FoundParent>(
    context.db,
    sql`select * from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id}::integer
      and ${context.visible.where(table, viewer)}`,
  );
  if (!parent) throw notFound(NOUNS[kind]);
  return parent;
}

/**
 * Takes a shared lock on the parent until the transaction ends: no page is added to a book or chapter that is being
 * deleted or moved, and writers do not block each other. Throws its 404 where it is gone.
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
