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
