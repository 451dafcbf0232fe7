/**
 * Watching: who is told of changes. Users choose a level for pages, chapters, books and shelves; the nearest choice counts. They are told of what
 * they own, of replies and mentions as they prefer. A change costs a save a row and a job, which makes the notifications. The permission
 * `receive-notifications` is that of BookStack; rights are judged when a notification is made, and each time it is shown.
 */
import { itemReferences, referenceCheck } from "lectern/contracts";
import { DAY_MS, definePlugin, type EventTransaction, MINUTE_MS, sql, t } from "lectern/core";
import { overAll } from "lectern/db";
import { listedKinds } from "../_items/listed_items.ts";
import { presentTables } from "../_items/present_tables.ts";
import { recordChanges } from "./changes.ts";
import type { WatchingContext } from "./contract.ts";
import { mailDue, mailTo } from "./mail.ts";
import { mountMentions } from "./mentions.ts";
import { migrations } from "./migrations.ts";
import { mountNotifications, readHasUnread } from "./notifications.ts";
import { mountPreferences } from "./preferences.ts";
import {
  removeChangesOfPages,
  removeNotificationsOfComment,
  removeNotificationsOfPages,
  removeOld,
  removeUser,
  removeWatchesOfItems,
} from "./removals.ts";
import { tellChange } from "./tell.ts";
import { mountUnsubscribe } from "./unsubscribe.ts";
import { mountWatches } from "./watches.ts";

/** Jobs that tell changes at a time, of different pages. */
const MOST_JOBS = 2;

export default definePlugin({
  name: "watching",
  requires: ["access", "mail", "markup", "pages", "users"],
  grants: {
    write: ["notification_mails", "notification_preferences", "user_notifications", "watched_changes", "watches"],
    read: ["bookshelf_books", "bookshelves", "books", "chapters", "comments", "page_revisions", "pages", "users"],
    system: true,
    impersonate: true,
  },
  optionalTables: ["bookshelf_books", "bookshelves", "chapters", "comments"],
  settings: t.Object({
    mailExcerpt: t.Boolean({
      default: false,
      description: "Whether mails about changes hold a part of the text, which then is where mail is kept",
    }),
  }),
  migrations,
  events: ["watch_set", "notification_create", "notification_read", "notification_preferences_update"],
  setup(plugin) {
    const { cache, contribute, jobs, on, slot } = plugin;
    const db = overAll(plugin.db);
    const context: WatchingContext = {
      ...plugin,
      db,
      mailExcerpt: plugin.settings.mailExcerpt,
      hasUnread: cache.values("unread", (userId) => readHasUnread(db, userId)),
      kinds: listedKinds(() => slot("content")),
      hasTable: presentTables(plugin),
    };
    mountWatches(context);
    mountPreferences(context);
    mountNotifications(context);
    mountMentions(context);
    mountUnsubscribe(context);
    recordChanges(plugin);
    jobs.handle("watching_tell", ({ change_id }) => tellChange(context, change_id), { limit: MOST_JOBS, perGroup: 1 });
    jobs.handle("watching_mail", ({ user_id }, { attempt }) => mailTo(context, user_id, attempt), {
      limit: MOST_JOBS,
      perGroup: 1,
    });
    jobs.every("mail notifications", MINUTE_MS, () => mailDue(context));
    jobs.every("forget notifications", DAY_MS, () => removeOld(db));
    const forget = async (owners: readonly { readonly user_id: number }[], tx: EventTransaction) => {
      for (const userId of new Set(owners.map(({ user_id }) => user_id)))
        await context.hasUnread.forget(tx, String(userId));
    };
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await removeWatchesOfItems.execute(tx.db, { kind, ids: [...ids] });
        if (kind !== "page") return;
        await removeChangesOfPages.execute(tx.db, { ids: [...ids] });
        await forget(await removeNotificationsOfPages.execute(tx.db, { ids: [...ids] }), tx);
      },
    });
    on("comment_delete", {
      async inTransaction({ id, page_id: pageId }, tx) {
        await forget(await removeNotificationsOfComment.execute(tx.db, { pageId, id }), tx);
      },
    });
    on("user_delete", {
      async inTransaction({ id }, tx) {
        await removeUser(tx.db, id);
        await context.hasUnread.forget(tx, String(id));
      },
    });
    const users = { column: "user_id", to: "users" };
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "watching/watches",
        title: "Every watch and every preference is of an item and a user",
        references: () => [
          ...itemReferences(context.kinds(), { table: "watches", kind: "kind", id: "item_id" }),
          { table: "watches", ...users },
          { table: "notification_preferences", ...users },
          { table: "notification_mails", ...users },
        ],
        repair: "delete",
      }),
    );
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "watching/notifications",
        title: "Every notification is of a page and a user",
        references: () => [
          { table: "user_notifications", ...users },
          { table: "user_notifications", column: "page_id", to: "pages" },
          { table: "watched_changes", column: "page_id", to: "pages" },
          ...(context.hasTable("comments")
            ? [
                {
                  table: "user_notifications",
                  column: "comment_id",
                  to: "comments",
                  where: sql<boolean>`user_notifications.comment_id is not null`,
                },
              ]
            : []),
        ],
        repair: "delete",
      }),
    );
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "watching/authors",
        title: "Every author of a notification is a user",
        references: () => [{ table: "user_notifications", column: "author_id", to: "users" }],
        repair: "clear",
      }),
    );
  },
});
