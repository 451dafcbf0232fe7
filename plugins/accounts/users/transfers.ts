/**
 * The content of deleted users who have much of it. The row of a transfer is written with the deletion; from then on a job changes
 * the items in batches, each in a transaction of its own that also counts them, so a crash loses nothing and the next try
 * goes on from there. The heir is read from the row in each batch: where the heir is deleted meanwhile, the row names the
 * heir's heir. `GET /api/user-transfers` and the list of users show the state.
 */
import {
  type EventTransaction,
  endpoint,
  type ListSpec,
  type RawBuilder,
  type Static,
  SYSTEM,
  sql,
} from "lectern/core";
import { overAll, prepared, refs, type TableName } from "lectern/db";
import { type listedTransferSchema, transferListingSchema, type User, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";
import { changeItems, countItems, itemsOf, PASSES } from "./owned_items.ts";
import { refOf } from "./queries.ts";

/** Items of one batch. */
const BATCH = 500;
/** Approximate duration of one run of the job; its lease is longer, so that another process takes over soon after a crash. */
const RUN_MS = 10_000;
/** Tries of the job; with their growing pauses they take about a day. */
const TRIES = 28;

const insert = prepared("users.insertTransfer", (db, p: { userId: number; heirId: number | null; name: string }) =>
  db.insertInto("user_transfers").values({ user_id: p.userId, heir_id: p.heirId, name: p.name }),
);

const find = prepared("users.findTransfer", (db, p: { userId: number }) =>
  db.selectFrom("user_transfers").select(["heir_id", "items"]).where("user_id", "=", p.userId),
);

const lock = prepared("users.lockTransfer", (db, p: { userId: number }) =>
  db.selectFrom("user_transfers").select("heir_id").where("user_id", "=", p.userId).forUpdate(),
);

const setItems = prepared("users.setTransferItems", (db, p: { userId: number; items: number }) =>
  db.updateTable("user_transfers").set({ items: p.items }).where("user_id", "=", p.userId),
);

const addMoved = prepared("users.addMoved", (db, p: { userId: number; moved: number }) =>
  db
    .updateTable("user_transfers")
    .set((eb) => ({ moved: eb("moved", "+", p.moved) }))
    .where("user_id", "=", p.userId),
);

const remove = prepared("users.removeTransfer", (db, p: { userId: number }) =>
  db.deleteFrom("user_transfers").where("user_id", "=", p.userId),
);

const redirect = prepared("users.redirectTransfers", (db, p: { userId: number; heirId: number | null }) =>
  db.updateTable("user_transfers").set({ heir_id: p.heirId }).where("heir_id", "=", p.userId),
);

/**
 * Gives the content of a user who is being deleted to the heir: at once, or by a job where it is more than `atOnce` items.
 * What was to go to this user goes to the heir as well.
 */
export async function handOver(
  user: Pick<User, "id" | "name">,
  { heir, tables, atOnce }: { heir: number | null; tables: readonly TableName[]; atOnce: number },
  { db, enqueue }: Pick<EventTransaction, "db" | "enqueue">,
): Promise<void> {
  await redirect.execute(db, { userId: user.id, heirId: heir });
  if ((await countItems(db, tables, user.id, atOnce + 1)) > atOnce) {
    await insert.execute(db, { userId: user.id, heirId: heir, name: user.name });
    await enqueue("user_content", { user_id: user.id }, { key: String(user.id) });
    return;
  }
  for (const table of tables)
    for (const pass of PASSES) {
      const ids = await itemsOf(db, table, { user: user.id, pass, limit: null });
      await changeItems(db, table, ids, { user: user.id, heir });
    }
}

/** SQL that excludes rows whose column refers to a deleted user of a transfer, for the check of authors. */
export function isSettled({ table, column }: { readonly table: string; readonly column: string }): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from user_transfers as pending
    where ${sql.ref("pending.user_id")} = ${sql.ref(`${table}.${column}`)})`;
}

/** The payload and the key of the job of a transfer. */
const again = (userId: number) => [{ user_id: userId }, { key: String(userId) }] as const;

/** Registers the job and the route. */
export function registerTransfers(context: UsersContext): void {
  const { jobs } = context;
  jobs.handle(
    "user_content",
    async ({ user_id }) => {
      if (await transfer(context, user_id)) await jobs.enqueue("user_content", ...again(user_id));
    },
    { tries: TRIES },
  );
  mountList(context);
}

/** Has the transfers go on that a former start left, by the ids of their users: their jobs may have been given up. */
export async function resumeTransfers(
  userIds: readonly number[],
  { enqueue }: Pick<EventTransaction, "enqueue">,
): Promise<void> {
  for (const userId of userIds) await enqueue("user_content", ...again(userId));
}

/** Changes items for about `RUN_MS`, and removes the row after the last one. Returns whether items are left. */
async function transfer(context: UsersContext, userId: number): Promise<boolean> {
  const started = performance.now();
  const { db } = context;
  const state = await find.executeTakeFirst(db, { userId });
  if (!state) return false;
  const tables = context.slot("content").map(({ table }) => table);
  const store = overAll(db);
  if (state.items === null) {
    const items = await countItems(store, tables, userId, null);
    await setItems.execute(db, { userId, items });
  }
  for (const table of tables)
    for (const pass of PASSES)
      for (let after = 0; ; ) {
        const ids = await itemsOf(store, table, { user: userId, pass, after, limit: BATCH });
        const last = ids.at(-1);
        if (last === undefined) break;
        await changeBatch(context, { userId, table, ids });
        after = last;
        if (performance.now() - started > RUN_MS) return true;
      }
  // Items that were restored from the recycle bin meanwhile are behind the passes that would have found them.
  if ((await countItems(store, tables, userId, 1)) > 0) return true;
  await remove.execute(db, { userId });
  return false;
}

/** One batch with its count, as an event, so that plugins that keep copies of items know. */
async function changeBatch(
  { perform, slot }: UsersContext,
  { userId, table, ids }: { userId: number; table: TableName; ids: readonly number[] },
): Promise<void> {
  const kind = slot("content").find((known) => known.table === table)?.kind ?? "";
  await perform("user_content_transfer", SYSTEM, { user_id: userId, kind, ids }, async (batch, { db }) => {
    const state = await lock.executeTakeFirst(db, { userId });
    if (state) {
      const moved = await changeItems(db, table, batch.ids, { user: userId, heir: state.heir_id });
      await addMoved.execute(db, { userId, moved });
    }
    return batch;
  });
}

function mountList({ app, denyInDemo, list, visibilityRule }: UsersContext): void {
  visibilityRule("user_transfers", () => true);
  const listing: ListSpec = {
    table: "user_transfers",
    fields: { id: "integer", user_id: "integer", created_at: "timestamp" },
    columns: sql`${refs(
      "user_transfers.id",
      "user_transfers.user_id",
      "user_transfers.name",
      "user_transfers.items",
      "user_transfers.moved",
      "user_transfers.created_at",
    )}, ${refOf(refs("user_transfers.heir_id"))} as heir`,
  };
  app.get(
    "/user-transfers",
    ({ viewer, nestedQuery }) => {
      denyInDemo();
      return list<Static<typeof listedTransferSchema>>(listing, viewer, nestedQuery);
    },
    {
      permit: "users-manage",
      response: transferListingSchema,
      ...endpoint("users", "transfers", { about: about.transfers }),
    },
  );
}
