import { sql } from "lectern/core";
import type { BackupContext } from "./contract.ts";

type Db = Pick<BackupContext, "db">;

/** Rows that are kept. */
const KEPT = 100;

/** The last scheduled backup, or the last successful one. */
export function lastBackup({ db }: Db, { successful }: { readonly successful: boolean }) {
  const all = db
    .selectFrom("scheduled_backups")
    .select(["ended_at", "outcome", "failed"])
    .orderBy("id", "desc")
    .limit(1);
  return (successful ? all.where("failed", "=", false) : all).executeTakeFirst();
}

/** What follows the error of one that a start tries again. */
const AGAIN = " (tried again at the next start)";

/** Whether the last one failed and this process is the first one that starts since then, of all servers and workers. */
export async function claimFailed({ db }: Db): Promise<boolean> {
  const claimed = await db
    .updateTable("scheduled_backups")
    .set({ outcome: sql<string>`outcome || ${AGAIN}::text` })
    .where("id", "=", (eb) => eb.selectFrom("scheduled_backups").select((of) => of.fn.max("id").as("last")))
    .where("failed", "=", true)
    .where("outcome", "not like", `%${AGAIN}`)
    .returning("id")
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Lets the next start claim the last one, after the try that a start has begun was ended before it was recorded. */
export async function releaseFailed({ db }: Db): Promise<void> {
  await db
    .updateTable("scheduled_backups")
    .set({ outcome: sql<string>`left(outcome, -length(${AGAIN}::text))` })
    .where("id", "=", (eb) => eb.selectFrom("scheduled_backups").select((of) => of.fn.max("id").as("last")))
    .where("outcome", "like", `%${AGAIN}`)
    .execute();
}

/** Records one that has ended, and forgets the oldest. */
export async function recordBackup(
  { db }: Db,
  row: { readonly started_at: string; readonly outcome: string; readonly failed: boolean },
): Promise<void> {
  const { id } = await db.insertInto("scheduled_backups").values(row).returning("id").executeTakeFirstOrThrow();
  await db
    .deleteFrom("scheduled_backups")
    .where("id", "<=", id - KEPT)
    .execute();
}
