/** Reads of items of any kind. Statements over their tables are templates, since no grant names these tables. */
import type { ContentKind, ItemRef, Owned } from "lectern/contracts";
import { notFound, sql, type Viewer } from "lectern/core";
import { type Executor, rows } from "lectern/db";
import type { CopiesContext } from "./contract.ts";

/** The kind by its name. Throws where no plugin contributes it, which the routes and the tree rule out. */
export function kindOf({ slot }: Pick<CopiesContext, "slot">, kind: string): ContentKind {
  const found = slot("content").find((one) => one.kind === kind);
  if (!found) throw new Error(`Cannot copy a "${kind}": it is not a kind of content`);
  return found;
}

/** The 404 of an item of a kind. */
export function kindNotFound(context: Pick<CopiesContext, "slot">, kind: string): Error {
  return notFound(kindOf(context, kind).labels?.one ?? "Item");
}

/** What permissions on an item depend on, as far as the viewer sees it. Throws its 404. */
export async function visibleItem(context: CopiesContext, viewer: Viewer, { kind, id }: ItemRef): Promise<Owned> {
  const { table } = kindOf(context, kind);
  const visible = context.visible.where(table, viewer);
  // A template, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
  const [item] = await rows<Owned>(
    context.db,
    sql`select ${columnsOf(table)} from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id}::integer and ${visible}`,
  );
  if (!item) throw kindNotFound(context, kind);
  return item;
}

/** What permissions on an item depend on, whoever sees it; undefined where it is gone. */
export async function itemOf(
  context: Pick<CopiesContext, "slot">,
  db: Executor,
  { kind, id }: ItemRef,
): Promise<Owned | undefined> {
  const { table } = kindOf(context, kind);
  // A template, as above.
  const [item] = await rows<Owned>(
    db,
    sql`select ${columnsOf(table)} from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id}::integer`,
  );
  return item;
}

const columnsOf = (table: string) =>
  sql.join((["id", "owned_by", "acl_id"] satisfies (keyof Owned)[]).map((column) => sql.ref(`${table}.${column}`)));
