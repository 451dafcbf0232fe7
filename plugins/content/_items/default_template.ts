/** The page whose content new pages of a book or chapter start with (content-api 4.7). */
import type { QueryCreator } from "kysely";
import type { Dependents } from "lectern/contracts";
import { type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { prepared, type Statement, type TableName } from "lectern/db";
import type { ItemContext } from "./contract.ts";

const isTemplate = prepared("items.isTemplate", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("pages")
    .where("pages.id", "=", p.id)
    .where((eb) => eb.ref("pages.template"))
    .where(p.visible),
);

/** The column's value for a template that a request names: null unless it is a template that the viewer sees. */
export async function templateFor(
  { visible }: Pick<ItemContext, "visible">,
  pageId: number | null | undefined,
  { db, viewer }: EventTransaction,
): Promise<number | null> {
  if (!pageId) return null;
  const page = await isTemplate.executeTakeFirst(db, { id: pageId, visible: visible.where("pages", viewer) });
  return page ? pageId : null;
}

/** The column's value after an update; undefined where it stays. The present template may be sent again even where it is no longer visible. */
export async function changedTemplate(
  context: Pick<ItemContext, "visible">,
  present: number | null,
  sent: number | null | undefined,
  tx: EventTransaction,
): Promise<number | null | undefined> {
  return sent === undefined || sent === present ? undefined : templateFor(context, sent, tx);
}

/** Prepares the statement that clears the column of a table. */
export function clearedTemplates(table: TableName): Statement<{ pageIds: readonly number[] }, never> {
  return prepared(`${table}.clearTemplates`, (db, p: { pageIds: readonly number[] }) =>
    // The tables of this column have nothing else that the statement names.
    (db as unknown as QueryCreator<Record<string, { default_template_id: number | null }>>)
      .updateTable(table)
      .set({ default_template_id: null })
      .where("default_template_id", "=", sql<number>`any(${p.pageIds}::integer[])`),
  );
}

/** Clears the column when the page is removed permanently. */
export function templateDependents(clear: Statement<{ pageIds: readonly number[] }, never>): Dependents {
  return {
    kind: "page",
    async destroy(ids, { db }) {
      await clear.execute(db, { pageIds: [...ids] });
    },
  };
}
