import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { Placement } from "./arrange.ts";

/** SQL for a JSON array of items with their priorities, as a table. */
const sentPriorities = (sent: string) =>
  sql<{ id: number; priority: number }>`jsonb_to_recordset(${sent}::text::jsonb)`.as<"sent">(
    sql`sent(id integer, priority integer)`,
  );

const RENUMBER = {
  chapter: prepared("book_sort.renumberChapters", (db, p: { sent: string }) =>
    db
      .updateTable("chapters as item")
      .from(sentPriorities(p.sent))
      .set((eb) => ({ priority: eb.ref("sent.priority") }))
      .whereRef("item.id", "=", "sent.id"),
  ),
  page: prepared("book_sort.renumberPages", (db, p: { sent: string }) =>
    db
      .updateTable("pages as item")
      .from(sentPriorities(p.sent))
      .set((eb) => ({ priority: eb.ref("sent.priority") }))
      .whereRef("item.id", "=", "sent.id"),
  ),
};

/** Writes changed priorities. The order is no content of an item, so `updated_at` stays. */
export async function renumber(
  type: keyof typeof RENUMBER,
  placements: readonly Placement[],
  db: Executor,
): Promise<void> {
  const changed = placements
    .filter(({ child, priority }) => child.type === type && child.priority !== priority)
    .map(({ child, priority }) => ({ id: child.id, priority }));
  if (changed.length === 0) return;
  await RENUMBER[type].execute(db, { sent: JSON.stringify(changed) });
}
