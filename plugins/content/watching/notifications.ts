/**
 * What a user was told: listed, counted and marked by that user alone. Each read joins the pages that the viewer sees now, so what a user may see
 * no longer is neither listed nor counted. Every screen asks for the count: where a user has read everything, it is answered from memory.
 */
import { jsonTime, type UserRef } from "lectern/contracts";
import { endpoint, type RawBuilder, type Static, sql, type Viewer } from "lectern/core";
import { type Executor, prepared, refs } from "lectern/db";
import { type ListSql, listedItems, requireOwner } from "../_items/listed_items.ts";
import {
  MAY_BE_TOLD,
  markRules,
  type NotificationMark,
  notificationListRules,
  notificationListSchema,
  type notificationSchema,
  unreadSchema,
  type WatchingContext,
} from "./contract.ts";
import { about } from "./docs.ts";

const DEFAULT_COUNT = 20;
/** Unread notifications that are counted. */
const COUNTED = 100;
/** Notifications of one user that a list goes through. */
const LISTED = 2_000;

const hasRows = prepared("watching.hasUnread", (db, p: { userId: number }) =>
  db.selectNoFrom((eb) =>
    eb
      .exists(eb.selectFrom("user_notifications").where("user_id", "=", p.userId).where("read_at", "is", null))
      .$castTo<boolean>()
      .as("any"),
  ),
);

const countSeen = prepared("watching.countUnread", (db, p: { userId: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("user_notifications")
        .innerJoin("pages", "pages.id", "user_notifications.page_id")
        .select("user_notifications.id")
        .where("user_notifications.user_id", "=", p.userId)
        .where("user_notifications.read_at", "is", null)
        .where("pages.draft", "=", sql.lit(false))
        .where(p.visible)
        .limit(sql.lit(COUNTED))
        .as("seen"),
    )
    .select((eb) => eb.fn.countAll<number>().as("n")),
);

const newestOf = prepared("watching.newestNotification", (db, p: { userId: number }) =>
  db
    .selectFrom("user_notifications")
    .select((eb) => eb.fn.max("id").$castTo<number | null>().as("id"))
    .where("user_id", "=", p.userId),
);

interface Marking {
  readonly userId: number;
  readonly ids: readonly number[] | null;
  readonly upTo: number | null;
  readonly read: boolean;
}

const markRows = prepared("watching.mark", (db, p: Marking) =>
  db
    .updateTable("user_notifications")
    .set({ read_at: sql<string | null>`case when ${p.read}::boolean then now() end` })
    .where("user_id", "=", p.userId)
    .where((eb) => eb(eb("read_at", "is", null), "=", sql<boolean>`${p.read}::boolean`))
    .where(
      (eb) =>
        sql<boolean>`case when ${p.ids}::integer[] is null then ${eb.ref("id")} <= coalesce(${p.upTo}::integer, 2147483647)
          else ${eb.ref("id")} = any(${p.ids}::integer[]) end`,
    ),
);

/** Whether a user, by the id as a text, has unread notifications, of items that are seen or not. */
export async function readHasUnread(db: Executor, userId: string): Promise<boolean> {
  return (await hasRows.executeTakeFirst(db, { userId: Number(userId) }))?.any ?? false;
}

/** How many notifications of items that the viewer sees are unread, up to 100. */
async function unreadOf({ db, hasUnread, visible }: WatchingContext, viewer: Viewer): Promise<number> {
  if (!(await hasUnread.get(String(viewer.id)))) return 0;
  const counted = await countSeen.executeTakeFirst(db, {
    userId: viewer.id,
    visible: visible.where("pages", viewer),
  });
  return Number(counted?.n ?? 0);
}

/** What is said of the item of a notification. */
export type Told = Omit<Static<typeof notificationSchema>, "item">;

/** Mounts the routes of notifications. */
export function mountNotifications(context: WatchingContext): void {
  const { app, validate } = context;
  app.get(
    "/notifications",
    async ({ viewer, nestedQuery }) => {
      const {
        count = DEFAULT_COUNT,
        offset = 0,
        unread = false,
      } = await validate(notificationListRules, nestedQuery, viewer);
      const found = await listedItems<Told>(context, viewer, toldTo(context, viewer, unread), { count, offset });
      const data = found.data.map(({ item, extra }) => ({ ...extra, item }));
      // The last change comes first in the list, so that of its first entry need not be the highest.
      const newest = await newestOf.executeTakeFirst(context.db, { userId: viewer.id });
      return { data, total: found.total, unread: await unreadOf(context, viewer), newest_id: newest?.id ?? null };
    },
    {
      permit: MAY_BE_TOLD,
      response: notificationListSchema,
      ...endpoint("notifications", "list", { about: about.notifications, query: notificationListRules }),
    },
  );
  app.get("/notifications/unread", async ({ viewer }) => ({ unread: await unreadOf(context, viewer) }), {
    permit: MAY_BE_TOLD,
    response: unreadSchema,
    ...endpoint("notifications", "unread", { about: about.unread }),
  });
  app.put(
    "/notifications",
    async ({ viewer, input }) => {
      requireOwner(viewer);
      const { read, ids = null, up_to = null } = await validate(markRules, input, viewer);
      await mark(context, viewer, { user_id: viewer.id, ids, up_to, read });
      return { unread: await unreadOf(context, viewer) };
    },
    {
      permit: MAY_BE_TOLD,
      response: unreadSchema,
      ...endpoint("notifications", "mark", { about: about.mark, rules: markRules }),
    },
  );
}

/** Marks notifications, of which those of others stay as they are. */
async function mark({ perform, hasUnread }: WatchingContext, viewer: Viewer, wanted: NotificationMark): Promise<void> {
  await perform("notification_read", viewer, wanted, async (final, tx) => {
    const { user_id: userId, ids, up_to: upTo, read } = final;
    await markRows.execute(tx.db, { userId, ids, upTo, read });
    await hasUnread.forget(tx, String(userId));
    return final;
  });
}

/** The notifications of a viewer as a list of items: all, those that are unread, or some by their ids. */
export function toldTo(
  { contracts, hasTable }: WatchingContext,
  { id }: Viewer,
  which: boolean | readonly number[],
): ListSql {
  const chosen =
    typeof which === "boolean"
      ? sql`(read_at is null or not ${which}::boolean)`
      : sql`id = any(${[...which]}::integer[])`;
  const author = contracts.users.ref(sql.ref("seen.author_id")) satisfies RawBuilder<UserRef | null>;
  const localId = hasTable("comments")
    ? sql`(select comments.local_id from comments where comments.id = seen.comment_id)`
    : sql`null::integer`;
  return {
    listed: sql`select 'page'::text as kind, page_id as item_id, row_number() over (order by updated_at desc, told_id desc) as place, told.*
      from (select page_id, id as told_id, type as change, reason, changes, from_revision, to_revision, comment_id, author_id,
          created_at, updated_at, read_at
        from user_notifications where ${refs("user_notifications.user_id")} = ${id}::integer and ${chosen}
        order by updated_at desc, id desc limit ${sql.lit(LISTED)}) as told`,
    extra: sql`json_build_object('id', seen.told_id, 'type', seen.change, 'reason', seen.reason, 'changes', seen.changes,
      'from_revision', seen.from_revision, 'to_revision', seen.to_revision, 'comment_id', seen.comment_id, 'comment_local_id', ${localId},
      'created_at', ${jsonTime("seen.created_at")}, 'updated_at', ${jsonTime("seen.updated_at")}, 'read_at', ${jsonTime("seen.read_at")},
      'author', ${author})`,
  };
}
