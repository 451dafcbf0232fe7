/**
 * Writing described items (content-api 4). An update works on the row as it is under its lock: the lock is taken by a
 * filter of the update's event, so that every handler after it compares with the same row.
 */
import { saveTags, type Tag } from "lectern/contracts";
import { authorOf, type EventTransaction, freeSlug, notFound, type RawBuilder, saveChanges } from "lectern/core";
import type { AnyDescribedItem, DescribedDraft, ItemContext, ItemKind } from "./contract.ts";

/** What one kind of item adds to a write. */
export interface OwnChanges<Columns> {
  /** All columns of the kind beside the shared ones. */
  readonly columns: Columns;
  /** Within what the slug must be unique, such as "in this book"; all rows of the table where absent. */
  readonly slugScope?: RawBuilder<boolean> | undefined;
  /** Whether something beside the columns changes that counts as a change of the item. */
  readonly isTouched?: boolean;
}

/** Inserts an item with its tags. Throws the 422 of `Tags.read`. */
export async function insertItem<Stored extends { readonly id: number }, Read, Own extends object>(
  { contracts: { markup, tags } }: ItemContext,
  { kind, table, statements }: ItemKind<Stored, Read, Own>,
  draft: DescribedDraft & { readonly name: string },
  { columns, slugScope }: Omit<OwnChanges<Own>, "isTouched">,
  tx: EventTransaction,
): Promise<Stored & { tags: Tag[] }> {
  const { db, viewer } = tx;
  const author = authorOf(viewer);
  const values = {
    name: draft.name,
    slug: await freeSlug(db, table, draft.name, slugScope && { where: slugScope }),
    ...(markup.describe(draft) ?? { description: "", description_html: "" }),
    ...columns,
    ...{ created_by: author, updated_by: author, owned_by: author },
  };
  const item = await statements.insert.executeTakeFirstOrThrow(db, values);
  const sent = draft.tags;
  return { ...item, tags: sent === undefined ? [] : await saveTags(tags, { kind, id: item.id, sent }, tx) };
}

/** Changes a locked item and its tags; columns whose value is undefined stay. Throws the 422 of `Tags.read`. */
export async function updateItem<Row extends AnyDescribedItem, Stored, Read, Own extends object>(
  { contracts: { markup, tags } }: ItemContext,
  { kind, table }: ItemKind<Stored, Read, Own>,
  { row, draft }: { readonly row: Row; readonly draft: DescribedDraft },
  { columns, slugScope, isTouched = false }: OwnChanges<{ readonly [C in keyof Own]: Own[C] | undefined }>,
  tx: EventTransaction,
): Promise<Row> {
  const { db, viewer } = tx;
  const { id } = row;
  const { name, tags: sent } = draft;
  const isRenamed = name !== undefined && name !== row.name;
  const scope = { id, ...(slugScope && { where: slugScope }) };
  const wanted = {
    ...markup.describe(draft),
    updated_by: authorOf(viewer),
    ...(isRenamed && { name, slug: await freeSlug(db, table, name, scope) }),
    ...columns,
  } as Partial<Row>;
  const saved = await saveChanges(db, table, row, { wanted, touched: sent !== undefined || isTouched });
  return { ...saved, tags: await saveTags(tags, { kind, id, sent }, tx) };
}

/** An item's row under its lock, with the tags and people that `row` was read with. Throws its 404 where it is gone. */
export async function lockItem<Row extends AnyDescribedItem>(
  { noun, statements }: Pick<ItemKind<Partial<Row>, unknown>, "noun" | "statements">,
  row: Row,
  { db }: EventTransaction,
): Promise<Row> {
  const locked = await statements.lock.executeTakeFirst(db, { id: row.id });
  if (!locked) throw notFound(noun);
  return { ...row, ...locked };
}
