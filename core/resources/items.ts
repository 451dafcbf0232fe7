/**
 * What named items of content have in common: columns, permission names, free slugs,
 * references to people, and writing only what differs. Plugins may not import each other, so what several of them would
 * otherwise repeat stands here. It knows columns and no kind by name; migrations are each plugin's own, since a step
 * must never change behind its ledger.
 */
import { type Generated, type GeneratedAlways, type RawBuilder, sql } from "kysely";
import { type Db, rows, type TableName } from "../../db/mod.ts";
import type { UserRef, Users } from "../contracts/users.ts";
import { notFound } from "../errors.ts";
import type { Viewer } from "../viewer.ts";
import { uniqueSlug } from "./slug.ts";

/** Columns of every table of named items. */
export interface ItemTable {
  id: Generated<number>;
  name: string;
  /** What names are sorted and found by, computed by the store; never shown. */
  name_key: GeneratedAlways<string>;
  slug: string;
  /** Ids of users; null where the user is gone. */
  created_by: number | null;
  updated_by: number | null;
  owned_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  /** When the item was deleted and can still be restored; null while it is present. */
  deleted_at: string | null;
}

/** Who made, changed and owns an item, as single reads show it. */
export interface People {
  readonly created_by: UserRef | null;
  readonly updated_by: UserRef | null;
  readonly owned_by: UserRef | null;
}

/** A permission on items of a kind, such as "book-update-own" (platform 2.1). */
export type ItemPermission<Kind extends string> = `${Kind}-${"create" | "view" | "update" | "delete"}-${"all" | "own"}`;

/** The permissions of a kind, for widening `Permissions`. */
export type ItemPermissions<Kind extends string> = Record<ItemPermission<Kind>, true>;

/** The permission names of a kind, for `adds`. */
export function itemPermissions<Kind extends string>(kind: Kind): ItemPermission<Kind>[] {
  const actions = ["create", "view", "update", "delete"] as const;
  return actions.flatMap((action): ItemPermission<Kind>[] => [`${kind}-${action}-all`, `${kind}-${action}-own`]);
}

/** SQL for the people of an item as one JSON object. */
export function peopleOf(users: Users, table: TableName): RawBuilder<People> {
  const ref = (column: string) => users.ref(sql.ref(`${table}.${column}`));
  return sql`json_build_object('created_by', ${ref("created_by")}, 'updated_by', ${ref("updated_by")},
    'owned_by', ${ref("owned_by")})`;
}

/** The id to record as author or owner; null for the system itself, which is no user. */
export function authorOf(viewer: Viewer): number | null {
  return viewer.id === 0 ? null : viewer.id;
}

/** Within what a slug must be free. */
export interface SlugScope {
  /** The item itself, whose present slug counts as free. */
  readonly id?: number;
  /** A further condition over the table, such as "in this book". */
  readonly where?: RawBuilder<boolean>;
}

/** A slug for a name that no other present row of the table has (content-api 4.1). */
export function freeSlug(db: Db, table: TableName, name: string, scope: SlugScope = {}): Promise<string> {
  const { id = 0, where = sql<boolean>`true` } = scope;
  return uniqueSlug(name, async (slug) => {
    const taken = await rows(
      db,
      sql`select 1 from ${sql.table(table)}
      where slug = ${slug} and deleted_at is null and id <> ${id}::integer and ${where} limit 1`,
    );
    return taken.length > 0;
  });
}

/**
 * Writes those of the wanted columns that differ from the row, and moves `updated_at` if any did or `touched` says that
 * something beside the columns changed (content-api 4.3, 4.4). Answers the row as it is then.
 */
export async function saveChanges<Row extends { id: number }>(
  db: Db,
  table: TableName,
  row: Row,
  { wanted, touched = false }: { wanted: Partial<Row>; touched?: boolean },
): Promise<Row> {
  const differs = (column: string, value: unknown) => value !== undefined && value !== row[column as keyof Row];
  const changed = Object.entries(wanted).filter(([column, value]) => differs(column, value));
  if (changed.length === 0 && !touched) return row;
  const sets = changed.map(([column, value]) => sql`${sql.id(column)} = ${value}`);
  const [saved] = await rows<Row>(
    db,
    sql`update ${sql.table(table)}
    set ${sql.join([...sets, sql`updated_at = clock_timestamp()`])} where id = ${row.id} returning *`,
  );
  return { ...row, ...saved };
}

/** Marks an item as deleted: nobody sees it until it is restored or removed for good. Throws its 404 where it is deleted already. */
export async function softDelete(db: Db, table: TableName, noun: string, id: number): Promise<void> {
  const gone = await rows(
    db,
    sql`update ${sql.table(table)} set deleted_at = now() where id = ${id} and deleted_at is null returning id`,
  );
  if (gone.length === 0) throw notFound(noun);
}

/** Lets rows forget a user who is gone: who made and changed them is unknown then (platform 5.4). */
export async function withoutAuthor(db: Db, table: TableName, userId: number): Promise<void> {
  await rows(
    db,
    sql`update ${sql.table(table)} set created_by = nullif(created_by, ${userId}::integer),
      updated_by = nullif(updated_by, ${userId}::integer)
    where created_by = ${userId}::integer or updated_by = ${userId}::integer`,
  );
}
