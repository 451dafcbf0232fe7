/**
 * What shelves, books and chapters have in common: items with a name, a slug, a description, tags and people. Plugins may
 * not import each other, so what several plugins of this group need is in this folder, which no plugin owns. Its
 * functions take the kind of item as an argument and name none themselves.
 */
import type { RawBuilder, Selectable } from "kysely";
import type { People, Tag } from "lectern/contracts";
import type { ItemTable, PluginContext } from "lectern/core";
import type { Executor, TableName } from "lectern/db";
import type { ItemStatements } from "./statements.ts";

/** Columns of the tables of described items. */
export interface DescribedTable extends ItemTable {
  description: string;
  /** As stored: empty where there is only the plain text. */
  description_html: string;
}

/** An item with its tags, as events carry it; `people` is set where the row was read for an answer. */
export type Tagged<Row> = Row & {
  readonly tags: Tag[];
  readonly people?: People;
};

/** A row of such a table as an item. */
export type DescribedItem<Table extends DescribedTable> = Tagged<Selectable<Table>>;

/** The least that is known of any described item. */
export type AnyDescribedItem = DescribedItem<DescribedTable>;

/** A kind of item, as the functions of this folder need to know it; `Stored`, `Read` and `Own` as in `ItemStatements`. */
export interface ItemKind<Stored = Selectable<DescribedTable>, Read = Stored, Own = unknown> {
  /** As events and permissions spell it: "book". */
  readonly kind: string;
  /** As messages spell it: "Book" in "Book not found". */
  readonly noun: string;
  readonly table: TableName;
  /** Columns of other tables that listings show, each after a comma, and the joins that they need. */
  readonly joined?: { readonly columns: RawBuilder<unknown>; readonly joins: RawBuilder<unknown> };
  readonly statements: ItemStatements<Stored, Read, Own>;
}

/** What the files of a plugin of described items share. */
export interface ItemContext
  extends Pick<PluginContext<"access" | "users" | "tags" | "markup">, "contracts" | "visible"> {
  readonly db: Executor;
}

/** The fields of a body that the shared functions read. */
export interface DescribedDraft {
  readonly name?: string;
  readonly description?: string;
  readonly description_html?: string;
  readonly tags?: readonly unknown[];
}
