import type { Access, ContentKind } from "lectern/contracts";
import type { EventTransaction, RawBuilder } from "lectern/core";
import { prepared } from "lectern/db";
import { entriesOf, replaceEntries } from "./changes.ts";
import type { CopiedPermissions, Item } from "./contract.ts";
import type { Kinds } from "./propagation.ts";

// In the order of the ids, in which other writers of several books lock them, too.
const booksOf = prepared(
  "content_permissions.booksOfShelf",
  (db, p: { shelfId: number; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("bookshelf_books")
      .innerJoin("books", "books.id", "bookshelf_books.book_id")
      .select(["books.id", "books.name", "books.owned_by", "books.acl_id"])
      .where("bookshelf_books.shelf_id", "=", p.shelfId)
      .where(p.visible)
      .orderBy("books.id"),
);

/**
 * Gives the books of a shelf the overrides that are set on the shelf in place of their own, none where it has none, with the event of a
 * change for each. Of the books that the viewer sees, those whose permissions they may not manage stay as they are.
 */
export async function copyToBooks(
  { kinds, access, visible }: { kinds: Kinds; access: Access; visible: RawBuilder<boolean> },
  { shelf, kind }: { shelf: Item; kind: ContentKind },
  tx: EventTransaction,
): Promise<CopiedPermissions> {
  const entries = await entriesOf.execute(tx.db, { items: JSON.stringify([{ kind: shelf.kind, id: shelf.id }]) });
  const books = await booksOf.execute(tx.db, { shelfId: shelf.id, visible });
  let copied = 0;
  for (const book of books) {
    if (!(await access.may(tx.viewer, "restrictions-manage", book))) continue;
    await replaceEntries(kinds, { kind, item: { ...book, kind: kind.kind } }, entries, tx);
    copied += 1;
  }
  return { copied, skipped: books.length - copied };
}
