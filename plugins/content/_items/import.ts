import type { ContentMaker, ContentRecord, MadeItem } from "lectern/contracts";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** A new item as answers about an import show it: columns alone, without those that answers never show. */
export function importedItem(
  { kind }: Pick<ItemKind, "kind">,
  row: AnyDescribedItem & { readonly book_slug?: string },
  url: string,
): MadeItem {
  const { tags, people, description_html, acl_id, name_key, deleted_at, book_slug, ...shown } = row;
  return { kind, id: row.id, url, shown };
}

/** `refill` of a `ContentMaker` for a kind whose content is its description. */
export function refillDescription(
  { contracts: { markup } }: ItemContext,
  { kind, statements }: Pick<ItemKind<unknown, unknown>, "kind" | "statements">,
  records: () => readonly ContentRecord[],
): ContentMaker["refill"] {
  return async (id, replace, tx) => {
    const item = await statements.lockDescription.executeTakeFirst(tx.db, { id });
    const before = item?.description_html ?? "";
    const described = markup.describe({ description_html: replace(before) });
    if (!described || described.description_html === before) return undefined;
    const { description, description_html: after } = described;
    await statements.setDescription.execute(tx.db, { id, description, description_html: after });
    for (const record of records()) await record.changed({ kind, id }, { before, after }, tx);
    return { description };
  };
}
