/** What plugins have made and the account still owns: tables of before plugins had roles, and everything after a restore, which brings back no owners. */
import { sql } from "kysely";
import { madeObjects } from "../query/made_objects.ts";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { OWNER_PREFIX } from "./names.ts";
import { giveToOwner } from "./owner_role.ts";

/** A table that a plugin has made, or another object. */
export interface UnownedObject {
  readonly plugin: string;
  readonly type: string;
  readonly identity: string;
}

/** SQLSTATE of an account that may not make roles, or give them tables. */
const DENIED = "42501";

/**
 * What of these plugins, and of those whose steps ran as their role, belongs to the account.
 * @example
 * for (const { plugin, identity } of await unownedObjects(db, ["notes"])) console.log(plugin, identity);
 */
export async function unownedObjects(db: Db, plugins: readonly string[]): Promise<UnownedObject[]> {
  // A template: Kysely's builder has no words for catalogs.
  const tables = await rows(
    db,
    sql<UnownedObject>`select plugin, 'table' as type, c.oid::regclass::text as identity from plugin_tables
      join pg_class c on relname = table_name and relnamespace = current_schema()::regnamespace
      where (plugin = any(${[...plugins]}::text[]) or plugin in (select plugin from plugin_objects where owned))
        and not starts_with(pg_get_userbyid(relowner), ${OWNER_PREFIX})`,
  );
  if (tables.length === 0) return tables;
  const objects = await madeObjects(db, [...new Set(tables.map(({ plugin }) => plugin))]);
  const isLost = ({ owned, owner, type }: (typeof objects)[number]) =>
    owned && owner !== null && type !== "index" && !owner.startsWith(OWNER_PREFIX);
  return [...tables, ...objects.filter(isLost)];
}

/**
 * Gives objects to the role of their plugin in one transaction; changes nothing where the account may not.
 * @example
 * await adoptObjects(db, "notes", await unownedObjects(db, ["notes"]));
 */
export async function adoptObjects(db: Db, plugin: string, objects: readonly UnownedObject[]): Promise<void> {
  await db
    .transaction()
    .execute((tx) => giveToOwner(tx, plugin, objects))
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== DENIED) throw error;
    });
}
