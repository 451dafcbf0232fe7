/** What goes with a user, an item or a comment, and with time. */
import type { HomeKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, prepared, rows } from "lectern/db";

/** Days that notifications are kept after their last change. */
const KEPT_DAYS = 90;
/** Rows of one statement, so that none holds many locks. */
const BATCH = 5_000;

/** Deletes the watches of items. */
export const removeWatchesOfItems = prepared(
  "watching.removeWatchesOfItems",
  (db, p: { kind: string; ids: readonly number[] }) =>
    db
      .deleteFrom("watches")
      .where("kind", "=", sql<HomeKind>`${p.kind}::text`)
      .where("item_id", "=", sql<number>`any(${p.ids}::integer[])`),
);

/** Deletes changes of pages that are not told yet. */
export const removeChangesOfPages = prepared("watching.removeChangesOfPages", (db, p: { ids: readonly number[] }) =>
  db.deleteFrom("watched_changes").where("page_id", "=", sql<number>`any(${p.ids}::integer[])`),
);

/** Deletes the notifications of pages. Returns whose they were. */
export const removeNotificationsOfPages = prepared(
  "watching.removeNotificationsOfPages",
  (db, p: { ids: readonly number[] }) =>
    db
      .deleteFrom("user_notifications")
      .where("page_id", "=", sql<number>`any(${p.ids}::integer[])`)
      .returning("user_id"),
);

/** Deletes the notifications of a comment. Returns whose they were. */
export const removeNotificationsOfComment = prepared(
  "watching.removeNotificationsOfComment",
  (db, p: { pageId: number; id: number }) =>
    db
      .deleteFrom("user_notifications")
      .where("page_id", "=", p.pageId)
      .where("comment_id", "=", p.id)
      .returning("user_id"),
);

const removeWatchesOf = prepared("watching.removeWatchesOf", (db, p: { userId: number }) =>
  db.deleteFrom("watches").where("user_id", "=", p.userId),
);
const removePreferencesOf = prepared("watching.removePreferencesOf", (db, p: { userId: number }) =>
  db.deleteFrom("notification_preferences").where("user_id", "=", p.userId),
);
const removeMailsOf = prepared("watching.removeMailsOf", (db, p: { userId: number }) =>
  db.deleteFrom("notification_mails").where("user_id", "=", p.userId),
);
const removeNotificationsOf = prepared("watching.removeNotificationsOf", (db, p: { userId: number }) =>
  db.deleteFrom("user_notifications").where("user_id", "=", p.userId),
);
const forgetAuthor = prepared("watching.forgetAuthor", (db, p: { userId: number }) =>
  db.updateTable("user_notifications").set({ author_id: null }).where("author_id", "=", p.userId),
);
const forgetAuthorOfChanges = prepared("watching.forgetAuthorOfChanges", (db, p: { userId: number }) =>
  db.updateTable("watched_changes").set({ author_id: null }).where("author_id", "=", p.userId),
);

/** Deletes what is a user's own, and the user as the author of what others were told. */
export async function removeUser(db: Db, userId: number): Promise<void> {
  for (const statement of [
    ...[removeWatchesOf, removePreferencesOf, removeMailsOf, removeNotificationsOf],
    ...[forgetAuthor, forgetAuthorOfChanges],
  ])
    await statement.execute(db, { userId });
}

/** Deletes notifications that are older than they are kept, some at a time. */
export async function removeOld(db: Db): Promise<void> {
  for (;;) {
    // A template, since the builder has no limit for a delete.
    const gone = await rows(
      db,
      sql`delete from user_notifications where id = any(array(select id from user_notifications
        where updated_at < now() - make_interval(days => ${KEPT_DAYS}::integer) limit ${sql.lit(BATCH)})) returning 1`,
    );
    if (gone.length < BATCH) return;
  }
}
