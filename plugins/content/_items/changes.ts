/**
 * Writing described items (content-api 4). An update works on the row as it is under its lock: the lock is taken by a
 * filter of the update's event, so that every handler after it compares with the same row.
 */
import { saveTags } from "lectern/contracts";
import { authorOf, type EventTransaction, freeSlug, notFound, type RawBuilder, saveChanges, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { AnyDescribedItem, DescribedDraft, ItemContext, ItemKind } from "./contract.ts";

/** What one kind of item adds to a write. */
export interface OwnChanges {
  /** Columns beside the shared ones; those that are undefined stay. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Within what the slug must be unique, such as "in this book"; all rows of the table where absent. */
  readonly slugScope?: RawBuilder<boolean> | undefined;
  /** Whether something beside the columns changes that counts as a change of the item. */
  readonly isTouched?: boolean;
}

/** Inserts an item with its tags. Throws the 422 of `Tags.read`. */
export async function insertItem<Row extends AnyDescribedItem>(
  { contracts: { markup, tags } }: ItemContext,
  { kind, table }: ItemKind,
  draft: DescribedDraft & { readonly name: string },
  { columns = {}, slugScope }: OwnChanges,
  tx: EventTransaction,
): Promise<Row> {
  const { db, viewer } = tx;
  const author = authorOf(viewer);
  const values: Readonly<Record<string, unknown>> = {
    name: draft.name,
    slug: await freeSlug(db, table, draft.name, slugScope && { where: slugScope }),
    ...(markup.describe(draft) ?? { description: "", description_html: "" }),
    ...columns,
    ...{ created_by: author, updated_by: author, owned_by: author },
  };
  const [item] = (await rows<Row>(
    db,
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(values).map((column) => sql.id(column)))})
      values (${sql.join(Object.values(values))}) returning *`,
  )) as [Row];
  const sent = draft.tags;
  return { ...item, tags: sent === undefined ? [] : await saveTags(tags, { kind, id: item.id, sent }, tx) };
}

/** Changes a locked item and its tags. Throws the 422 of `Tags.read`. */
export async function updateItem<Row extends AnyDescribedItem>(
  { contracts: { markup, tags } }: ItemContext,
  { kind, table }: ItemKind,
  { row, draft }: { readonly row: Row; readonly draft: DescribedDraft },
  { columns = {}, slugScope, isTouched = false }: OwnChanges,
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
  { table, noun }: ItemKind,
  row: Row,
  { db }: EventTransaction,
): Promise<Row> {
  const [locked] = await rows<Partial<Row>>(
    db,
    sql`select * from ${sql.table(table)} where id = ${row.id}::integer and deleted_at is null for update`,
  );
  if (!locked) throw notFound(noun);
  return { ...row, ...locked };
}
