/** Items of kinds of content whose plugin is not installed: no plugin is granted their tables, so the runtime reads them. */
import { sql } from "kysely";
import { type Db, hasTable, rows } from "../../db/mod.ts";
import { absentKinds } from "./versions.ts";

/** An item of a kind whose plugin is not installed. */
export interface AbsentItem {
  readonly kind: string;
  readonly id: number;
}

/** Items of one kind. */
export interface ItemIds {
  readonly kind: string;
  readonly ids: readonly number[];
}

/** The deleted items within others, of kinds that plugins contributed which have booted over this store and are not installed. */
export async function deletedAbsentItems(
  db: Db,
  contributed: readonly string[],
  parents: readonly ItemIds[],
): Promise<readonly AbsentItem[]> {
  const found: AbsentItem[] = [];
  for (const { kind, table, parents: columns = [] } of await absentKinds(db, contributed)) {
    const within = columns.flatMap(({ kind: parent, column }) => {
      const ids = parents.find((each) => each.kind === parent)?.ids ?? [];
      return ids.length === 0 ? [] : [sql`${sql.ref(column)} = any(${[...ids]}::integer[])`];
    });
    if (within.length === 0) continue;
    // A template: the tables are those of plugins that are gone, perhaps with their tables.
    if (!(await hasTable(db, table))) continue;
    const items = await rows(
      db,
      sql<{
        id: number;
      }>`select id from ${sql.table(table)} where deleted_at is not null and (${sql.join(within, sql` or `)})`,
    );
    found.push(...items.map(({ id }) => ({ kind, id })));
  }
  return found;
}
