/**
 * Telling: the job that makes notifications of a change. It goes through those who may want to know in the order of their ids, some at a time.
 * What a batch writes and how far it came are one transaction: a job that is repeated after a crash goes on there, and tells nobody twice. Who may
 * not receive notifications, or does not see the page now, is told nothing.
 */
import { type EventTransaction, type RawBuilder, SYSTEM, sql } from "lectern/core";
import { prepared, rows } from "lectern/db";
import {
  DEFAULT_PREFERENCES,
  LEVELS,
  MAY_BE_TOLD,
  REASONS,
  type Reason,
  type TellingPreference,
  type ToldChange,
  type ToldType,
  type WatchedChange,
  type WatchingContext,
  type WatchLevel,
} from "./contract.ts";
import { mentionsIn, withoutCode } from "./mentions.ts";
import { placesOf } from "./places.ts";
import { seeing } from "./readers.ts";

/** Users of one batch. */
const BATCH = 200;
/** Users of a batch whose counts are forgotten one by one; of more, all counts are. */
const FEW = 20;
/** Changes of a page by one author join what they were told of before, if that was changed so recently, and has not begun longer ago than that. */
const JOINED = { pause: "10 minutes", whole: "1 hour" };

/** The level from which a change is told, and the preference of those whose own page it is. */
const TOLD: Readonly<Record<ToldType, { readonly level?: WatchLevel; readonly own?: TellingPreference }>> = {
  page_create: { level: "new" },
  page_update: { level: "updates", own: "own_page_changes" },
  comment_create: { level: "comments", own: "own_page_comments" },
  comment_update: {},
};

const find = prepared("watching.findChange", (db, p: { id: number }) =>
  db.selectFrom("watched_changes").selectAll().where("id", "=", p.id),
);

const commentHtml = prepared("watching.commentHtml", (db, p: { id: number }) =>
  db.selectFrom("comments").select("html").where("id", "=", p.id),
);

const pageHtml = prepared("watching.pageHtml", (db, p: { id: number }) =>
  db.selectFrom("pages").select("html").where("id", "=", p.id),
);

const advance = prepared("watching.advance", (db, p: { id: number; from: number; to: number }) =>
  db
    .updateTable("watched_changes")
    .set({ told_to: p.to })
    .where("id", "=", p.id)
    .where("told_to", "=", p.from)
    .returning("id"),
);

const finish = prepared("watching.finish", (db, p: { id: number; from: number }) =>
  db.deleteFrom("watched_changes").where("id", "=", p.id).where("told_to", "=", p.from).returning("id"),
);

/** Tells all who want to know of a change. */
export async function tellChange(context: WatchingContext, id: number): Promise<void> {
  const { db, hasTable, perform } = context;
  for (;;) {
    const change = await find.executeTakeFirst(db, { id });
    if (!change) return;
    const isComment = change.comment_id !== null && hasTable("comments");
    const comment = isComment ? await commentHtml.executeTakeFirst(db, { id: change.comment_id ?? 0 }) : undefined;
    const mentions = comment
      ? await mentionedIn(context, comment.html)
      : await stillMentioned(context, change.page_id, change.mentions);
    // Nobody is told of a comment that is gone by now.
    const asked = isComment && !comment ? [] : await wanting(context, { ...change, mentions });
    const page = { kind: "page", id: change.page_id } as const;
    const readers = await seeing(
      context,
      page,
      asked.map((one) => one.id),
      MAY_BE_TOLD,
    );
    const users = asked.filter((one) => readers.has(one.id));
    const last = asked.length < BATCH ? null : (asked.at(-1)?.id ?? null);
    await perform("notification_create", SYSTEM, { change, users, last }, (final, tx) => notify(context, final, tx));
    if (last === null) return;
  }
}

/** Whom HTML mentions outside of code. */
async function mentionedIn({ contracts }: WatchingContext, html: string): Promise<string[]> {
  return html.includes("@") ? mentionsIn(await contracts.markup.text(withoutCode(html))) : [];
}

/** Those of the slugs that a text mentions whom the page mentions now, outside of code. The text of a page does not say where code is. */
async function stillMentioned(
  context: WatchingContext,
  pageId: number,
  slugs: readonly string[],
): Promise<readonly string[]> {
  if (slugs.length === 0) return slugs;
  const page = await pageHtml.executeTakeFirst(context.db, { id: pageId });
  const found = new Set(page ? await mentionedIn(context, page.html) : []);
  return slugs.filter((slug) => found.has(slug));
}

/** The next users who want to know of a change, with the first of their reasons. */
async function wanting(
  context: WatchingContext,
  change: Omit<WatchedChange, "mentions"> & { readonly mentions: readonly string[] },
): Promise<ToldChange["users"]> {
  const { level, own } = TOLD[change.type];
  const isNew = change.type !== "comment_update";
  const prefers = (preference: TellingPreference, user: string) =>
    sql`coalesce((select ${sql.ref(preference)} from notification_preferences as preferred
      where preferred.user_id = ${sql.ref(user)}), ${sql.lit(DEFAULT_PREFERENCES[preference])})`;
  const because = (reason: Reason) => sql`${sql.lit(REASONS.indexOf(reason))}`;
  const isIgnored = (user: string) =>
    sql`exists (select from nearest where nearest.user_id = ${sql.ref(user)} and nearest.level = 0)`;
  const parts: RawBuilder<unknown>[] = [];
  if (level)
    parts.push(sql`select user_id, ${because("watch")} from nearest where level >= ${sql.lit(LEVELS.indexOf(level))}`);
  if (own)
    parts.push(sql`select pages.owned_by, ${because("own")} from pages where pages.id = ${change.page_id}::integer
      and not ${isIgnored("pages.owned_by")} and ${prefers(own, "pages.owned_by")}`);
  if (isNew && change.comment_id !== null && context.hasTable("comments"))
    parts.push(sql`select replied.created_by, ${because("reply")} from comments as reply
      join comments as replied on replied.page_id = reply.page_id and replied.local_id = reply.parent_id
      where reply.id = ${change.comment_id}::integer and not ${isIgnored("replied.created_by")}
        and ${prefers("comment_replies", "replied.created_by")}`);
  if (change.mentions.length > 0)
    parts.push(sql`select users.id, ${because("mention")} from users
      where users.slug = any(${[...change.mentions]}::text[]) and ${prefers("comment_mentions", "users.id")}
        and (${isNew}::boolean or not exists (select from user_notifications as told where told.user_id = users.id
          and told.page_id = ${change.page_id}::integer and told.comment_id = ${change.comment_id}::integer))`);
  if (parts.length === 0) return [];
  // A template: a union over tables of several plugins, some of which may be missing.
  const found = await rows<{ id: number; reason: number }>(
    context.db,
    sql`with nearest as materialized (
        select distinct on (watches.user_id) watches.user_id, watches.level
        from (${placesOf(context, "page", sql`${change.page_id}`)}) as places
        join watches on watches.kind = places.kind and watches.item_id = places.item_id
        order by watches.user_id, places.place, watches.level desc)
      select wanting.id, min(wanting.reason)::integer as reason from (${sql.join(parts, sql` union all `)}) as wanting (id, reason)
      where wanting.id > ${change.told_to}::integer and wanting.id is distinct from ${change.author_id}::integer
        and exists (select from users as person where person.id = wanting.id and person.system_name = '')
      group by wanting.id order by wanting.id limit ${sql.lit(BATCH)}`,
  );
  return found.map(({ id, reason }) => ({ id, reason: REASONS[reason] ?? "watch" }));
}

/** Writes the notifications of a batch; none where another run has written them. */
async function notify(context: WatchingContext, told: ToldChange, tx: EventTransaction): Promise<ToldChange> {
  const { change, users, last } = told;
  const progress = { id: change.id, from: change.told_to };
  const moved =
    last === null
      ? await finish.executeTakeFirst(tx.db, progress)
      : await advance.executeTakeFirst(tx.db, { ...progress, to: last });
  if (!moved) return { ...told, users: [] };
  if (users.length === 0) return told;
  const isMailed = context.contracts.mail.isConfigured;
  // What is not to be mailed counts as done.
  const settled = (
    user: string,
  ) => sql`case when not ${isMailed}::boolean or exists (select from notification_preferences as preferred
    where preferred.user_id = ${sql.ref(user)} and preferred.mail = 'never') then now() end`;
  const joins = change.type === "page_update" ? users.filter(({ reason }) => reason !== "mention") : [];
  // A template: two writes by one statement, of which the second leaves out those of the first.
  await rows(
    tx.db,
    sql`with joined as (
        update user_notifications set changes = changes + 1, to_revision = ${change.to_revision}::integer,
          updated_at = greatest(updated_at, ${change.created_at}::timestamptz), read_at = null, mailed_at = ${settled("user_notifications.user_id")}
        where user_id = any(${joins.map((one) => one.id)}::integer[]) and page_id = ${change.page_id}::integer
          and type in ('page_create', 'page_update') and reason <> 'mention' and author_id is not distinct from ${change.author_id}::integer
          and updated_at > ${change.created_at}::timestamptz - ${sql.lit(JOINED.pause)}::interval
          and created_at > ${change.created_at}::timestamptz - ${sql.lit(JOINED.whole)}::interval
        returning user_id)
      insert into user_notifications (user_id, type, reason, page_id, comment_id, author_id, from_revision, to_revision, created_at, updated_at, mailed_at)
      select told.id, ${change.type === "comment_update" ? "comment_create" : change.type}::text, told.reason, ${change.page_id}::integer, ${change.comment_id}::integer, ${change.author_id}::integer,
        ${change.from_revision}::integer, ${change.to_revision}::integer, ${change.created_at}::timestamptz, ${change.created_at}::timestamptz,
        ${settled("told.id")}
      from unnest(${users.map((one) => one.id)}::integer[], ${users.map(({ reason }) => reason)}::text[]) as told (id, reason)
      where not exists (select from joined where joined.user_id = told.id)`,
  );
  if (users.length > FEW) await context.hasUnread.forget(tx);
  else for (const { id } of users) await context.hasUnread.forget(tx, String(id));
  return told;
}
