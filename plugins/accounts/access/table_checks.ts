/**
 * Checks at boot that the tables whose rows are decided here have the columns that decisions read. Without them each listing and
 * each decision about an item would fail with an error of the store.
 */
import type { ContentKind } from "lectern/contracts";
import { type AnyPlugin, BootError, contributorOf, type Recorded, sql } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** A table whose visibility rule is of `visibilityRuleOf`, for a kind of item. */
export interface RuledTable {
  readonly kind: string;
  readonly table: TableName;
}

/** The booted plugins. */
type Plugins = readonly { readonly plugin: Pick<AnyPlugin, "name" | "grants">; readonly recorded: Recorded }[];

/** A column that a table has to have, because of a kind of item that a plugin adds. */
interface NeededColumn {
  readonly plugin: string | undefined;
  readonly kind: string;
  readonly table: string;
  readonly column: string;
}

/** Checks the tables of kinds of the slot `content`, which get their `acl_id` afterwards. Throws BootError that names plugin and table. */
export async function checkContentTables(db: Db, content: readonly ContentKind[]): Promise<void> {
  const needed = content.flatMap((each) => needs(each, ["id", "owned_by", "deleted_at"], contributorOf(each)));
  await checkColumns(db, needed, () => "add it in a migration");
}

/** Checks the tables with a visibility rule whose kind is not in the slot `content`. Throws BootError that names plugin and table. */
export async function checkRuledTables(
  db: Db,
  ruled: readonly RuledTable[],
  content: readonly ContentKind[],
  plugins: Plugins,
): Promise<void> {
  const others = ruled.filter(({ table }) => !content.some((each) => each.table === table));
  const needed = others.flatMap((each) => needs(each, ["id", "owned_by", "acl_id"], ownerOf(each.table, plugins)));
  await checkColumns(db, needed, (column) =>
    column === "acl_id"
      ? `contribute the kind to the slot "content", which adds it, or add "acl_id integer not null default 0" in a migration`
      : "add it in a migration",
  );
}

async function checkColumns(
  db: Db,
  needed: readonly NeededColumn[],
  remedy: (column: string) => string,
): Promise<void> {
  // A template: Kysely's builder has no words for catalogs.
  const [missing] = await rows<NeededColumn>(
    db,
    sql`select needed.* from jsonb_to_recordset(${JSON.stringify(needed)}::text::jsonb)
        as needed(plugin text, kind text, "table" text, "column" text)
      where not exists (select from pg_attribute where attrelid = to_regclass(quote_ident(needed."table"))
        and attname = needed."column" and attnum > 0 and not attisdropped) limit 1`,
  );
  if (!missing) return;
  const { plugin, kind, table, column } = missing;
  throw new BootError(
    `The plugin "${plugin ?? "unknown"}" has the items of the kind "${kind}" decided by the contract "access", and its table "${table}" has no column "${column}": ${remedy(column)}`,
  );
}

function needs(
  { kind, table }: Pick<ContentKind, "kind" | "table">,
  columns: readonly string[],
  plugin: string | undefined,
): NeededColumn[] {
  return columns.map((column) => ({ plugin, kind, table, column }));
}

/** The plugin that adds the visibility rule of a table, else the one that writes the table. */
function ownerOf(table: TableName, plugins: Plugins): string | undefined {
  const found =
    plugins.find(({ recorded }) => recorded.visibilityRules?.includes(table)) ??
    plugins.find(({ plugin: { grants } }) => grants.write?.includes(table));
  return found?.plugin.name;
}
