import type { Activity, ContentKind } from "lectern/contracts";
import { type EventTransaction, type ItemTable, type RawBuilder, sql } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";

interface NewActivity {
  readonly type: string;
  readonly detail: string | RawBuilder<string>;
  readonly userId: number | RawBuilder<number>;
  readonly kind: string | null;
  readonly id: number | null;
  readonly ip: string;
}

const insert = prepared("audit_log.insert", (db, p: NewActivity) =>
  db.insertInto("activities").values({
    type: p.type,
    detail: p.detail,
    user_id: p.userId,
    loggable_type: p.kind,
    loggable_id: p.id,
    ip: p.ip,
  }),
);

/** The id of the guest user; 0 if there is none. */
const GUEST_ID = sql<number>`coalesce((select ${refs("users.id")} from users
  where ${refs("users.system_name")} = 'public'), 0)`;

const ITEM_ID = sql.id("id" satisfies keyof ItemTable);
/** "(7) Name" of an item. */
const LABEL = flattened(sql`'(' || ${ITEM_ID} || ') ' || ${sql.id("name" satisfies keyof ItemTable)}`);

/** Writes a row in the transaction of its event. `ip` is the address, masked to the configured precision. */
export async function insertActivity(
  { type, detail, item }: Activity,
  { kinds, ip }: { readonly kinds: readonly ContentKind[]; readonly ip: string },
  { db, viewer }: EventTransaction,
): Promise<void> {
  // Anonymous visitors, commands, jobs and schedules are recorded as the guest user, as in BookStack (platform 6.1).
  const userId = viewer.id === 0 ? GUEST_ID : viewer.id;
  const kind = kinds.find((one) => one.kind === item?.kind);
  const id = kind && item ? item.id : null;
  const text = detail ?? (kind ? labelOf(kind, id) : "");
  await insert.write(db, { type, detail: text, userId, kind: kind?.kind ?? null, id, ip });
}

/** SQL for the label of an item; "" where it is gone. The table is that of another plugin, which the slot `content` names. */
function labelOf({ table }: ContentKind, id: number | null): RawBuilder<string> {
  return sql`coalesce((select ${LABEL} from ${sql.table(table)} where ${ITEM_ID} = ${id}::integer), '')`;
}

/** Replaces the references to items that are deleted permanently by their names. */
export async function detachItems(
  { kind, table }: ContentKind,
  ids: readonly number[],
  { db }: EventTransaction,
): Promise<void> {
  // The table is that of another plugin, which the slot `content` names.
  const items = sql<{ id: number; name: string }>`${sql.table(table)}`;
  await db
    .updateTable("activities")
    .from(items.as("item"))
    .set(({ ref }) => ({ detail: ref("item.name"), loggable_type: null, loggable_id: null }))
    .where("loggable_type", "=", kind)
    .whereRef("loggable_id", "=", "item.id")
    .where("item.id", "=", sql<number>`any(${[...ids]}::integer[])`)
    .execute();
}
