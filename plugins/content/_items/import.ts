import type { ContentMaker, ContentRecord, MadeItem } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** A new item as answers about an import show it: columns alone, without those that answers never show. */
export function importedItem(
  { kind }: ItemKind,
  row: AnyDescribedItem & { readonly book_slug?: string },
  url: string,
): MadeItem {
  const { tags, people, description_html, acl_id, name_key, deleted_at, book_slug, ...shown } = row;
  return { kind, id: row.id, url, shown };
}

/** `refill` of a `ContentMaker` for a kind whose content is its description. */
export function refillDescription(
  { contracts: { markup } }: ItemContext,
  { kind, table }: ItemKind,
  records: () => readonly ContentRecord[],
): ContentMaker["refill"] {
  return async (id, replace, tx) => {
    const [item] = await rows<{ description_html: string }>(
      tx.db,
      sql`select description_html from ${sql.table(table)} where id = ${id}::integer for update`,
    );
    const before = item?.description_html ?? "";
    const described = markup.describe({ description_html: replace(before) });
    if (!described || described.description_html === before) return undefined;
    const { description, description_html: after } = described;
    await rows(
      tx.db,
      sql`update ${sql.table(table)} set description = ${description}, description_html = ${after}
        where id = ${id}::integer`,
    );
    for (const record of records()) await record.changed({ kind, id }, { before, after }, tx);
    return { description };
  };
}
