/** The page whose content new pages of a book or chapter start with (content-api 4.7). */
import type { Dependents } from "lectern/contracts";
import { type EventTransaction, sql } from "lectern/core";
import { rows, type TableName } from "lectern/db";
import type { ItemContext } from "./contract.ts";

/** The column's value for a template that a request names: null unless it is a template that the viewer sees. */
export async function templateFor(
  { visible }: Pick<ItemContext, "visible">,
  pageId: number | null | undefined,
  { db, viewer }: EventTransaction,
): Promise<number | null> {
  if (!pageId) return null;
  const [page] = await rows(
    db,
    sql`select 1 from pages where pages.id = ${pageId} and pages.template and ${visible.where("pages", viewer)}`,
  );
  return page ? pageId : null;
}

/** The column where an update changes it. The present template may be sent again even where it is no longer visible. */
export async function changedTemplate(
  context: Pick<ItemContext, "visible">,
  present: number | null,
  sent: number | null | undefined,
  tx: EventTransaction,
): Promise<{ default_template_id?: number | null }> {
  if (sent === undefined || sent === present) return {};
  return { default_template_id: await templateFor(context, sent, tx) };
}

/** Clears the column of a table when the page is removed permanently. */
export function templateDependents(table: TableName): Dependents {
  return {
    kind: "page",
    async destroy(ids, { db }) {
      await rows(
        db,
        sql`update ${sql.table(table)} set default_template_id = null
          where default_template_id = any(${[...ids]}::integer[])`,
      );
    },
  };
}
