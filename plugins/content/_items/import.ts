import type { ContentMaker, ContentRecord, MadeItem, NewItem } from "lectern/contracts";
import type { RawBuilder } from "lectern/core";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** What the read of items for copies takes. */
export interface SourceParameters {
  readonly ids: readonly number[];
  readonly tags: RawBuilder<NewItem["tags"]>;
  readonly visible: RawBuilder<boolean>;
}

/** The description of a draft, of which `NewItem` has one form. */
export function describedIn({
  description,
  description_html,
}: Pick<NewItem, "description" | "description_html">): Pick<NewItem, "description" | "description_html"> {
  return description_html || description === undefined ? { description_html: description_html ?? "" } : { description };
}

/** Items by id, as `make` takes them: without the id, and without the order of tags, which is that of the list. */
export function newItems<Row extends { readonly id: number; readonly tags: NewItem["tags"] }>(
  found: readonly Row[],
): Map<number, Omit<Row, "id">> {
  return new Map(
    found.map(({ id, ...item }) => [id, { ...item, tags: item.tags.map(({ name, value }) => ({ name, value })) }]),
  );
}

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
