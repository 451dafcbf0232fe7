/** What plugins of described items register and mount alike. */
import { type Access, type ContentKind, listedFields, type Owned } from "lectern/contracts";
import { type EventTransaction, type ListSpec, type PluginContext, softDelete, sql, type Viewer } from "lectern/core";
import type { ItemContext, ItemKind, Tagged } from "./contract.ts";
import { itemFinder } from "./queries.ts";

/** Registers who sees the items of a kind, what the search finds of them, and the kind in the slot `content`. */
export function registerItemKind(
  {
    contracts: { access },
    contribute,
    visibilityRule,
  }: Pick<PluginContext<"access">, "contracts" | "contribute" | "visibilityRule">,
  { kind, table }: Pick<ItemKind, "kind" | "table">,
  content: Pick<
    ContentKind,
    "labels" | "segment" | "parents" | "path" | "contents" | "contentsDependOn" | "selectContents" | "selectOutline"
  > & {
    readonly listing: ListSpec;
  },
): void {
  const { listing, ...own } = content;
  const isPresent = sql<boolean>`${sql.ref(`${table}.deleted_at`)} is null`;
  visibilityRule(
    table,
    Object.assign(() => isPresent, { dependsOn: "roles" as const, ofRow: isPresent }),
  );
  visibilityRule(table, access.visibilityRuleOf(kind, table));
  contribute("searchable", { kind, body: sql<string>`${sql.ref(`${table}.description`)}` });
  contribute("content", { kind, table, columns: Object.keys(listing.fields), ...own });
}

/** What a kind is to `mountResource`; rows of its listing have the fields of other plugins. */
export function itemResource(
  { contracts: { access }, slot }: Pick<PluginContext<"access">, "contracts" | "slot">,
  { kind, noun, table }: Pick<ItemKind, "kind" | "noun" | "table">,
  listing: ListSpec,
) {
  const id = sql.ref(`${table}.id`);
  const added = (viewer: Viewer) => listedFields(slot("response_fields"), kind, id, viewer);
  return { name: kind, noun, list: { ...listing, visibleRows: access.visibleRows(kind, table), added } };
}

/** The handlers of a resource that are the same for every kind. */
export function itemHandlers<Stored, Read extends Owned>(context: ItemContext, item: ItemKind<Stored, Read>) {
  const { kind, noun, table } = item;
  const { access } = context.contracts;
  return {
    find: itemFinder(context, item),
    may: (viewer: Viewer, verb: "update" | "delete", row: Tagged<Read>) => access.may(viewer, `${kind}-${verb}`, row),
    remove: ({ id }: Tagged<Read>, { db }: EventTransaction) => softDelete(db, table, noun, id),
  };
}

/** The handler `place` of a kind without parents: requires the permission to create any item of the kind. */
export function topLevelPlace({ kind }: Pick<ItemKind, "kind">, access: Access) {
  return async (viewer: Viewer): Promise<true> => {
    await access.need(viewer, `${kind}-create-all`);
    return true;
  };
}
