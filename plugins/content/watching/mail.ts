/**
 * Mails of notifications. Every minute a schedule finds whose time has come, and enqueues a job for each: at once, once a day or once a week, with
 * a cap of mails in an hour; what is beyond it comes with the next one. A page that is being changed waits until its author has paused. The job
 * reads as its user what is unread then, so a mail names nothing that the user may see no longer.
 */
import { MailRejected } from "lectern/contracts";
import { type FailedRun, hasPermission, MINUTE_MS, SECOND_MS, sql } from "lectern/core";
import { prepared, rows } from "lectern/db";
import { listedItems } from "../_items/listed_items.ts";
import { MAY_BE_TOLD, type WatchingContext } from "./contract.ts";
import { notificationMail } from "./mail_message.ts";
import { type Told, toldTo } from "./notifications.ts";
import { preferencesOf } from "./preferences.ts";
import { unsubscribeUrl } from "./unsubscribe.ts";

/** Mails of one user in an hour. */
const CAP = 10;
/** Users whose jobs one run of the schedule enqueues; the others follow a minute later. */
const AT_ONCE = 500;
/** Notifications that a mail names; it says how many more there are. */
const NAMED = 30;
/** Pauses after which a mail that could not be sent is tried again; the longest is below the hour after which the schedule asks again. */
const PAUSE = { first: 10 * SECOND_MS, factor: 4, longest: 30 * MINUTE_MS };
/** Notifications that one mail settles. */
const SETTLED = 2_000;

/** SQL for notifications that are to be mailed by now. A new page that its author goes on changing waits as a changed one does. */
const RIPE = sql<boolean>`mailed_at is null and read_at is null
  and ((type <> 'page_update' and changes = 1) or updated_at < now() - interval '10 minutes' or created_at < now() - interval '1 hour')`;

const emailOf = prepared("watching.emailOf", (db, p: { userId: number }) =>
  db.selectFrom("users").select("email").where("id", "=", p.userId),
);

const waitingFor = prepared("watching.waitingMails", (db, p: { userId: number }) =>
  db
    .selectFrom("user_notifications")
    .select(["id", "changes"])
    .where("user_id", "=", p.userId)
    .where(RIPE)
    .limit(sql.lit(SETTLED)),
);

const askedNow = prepared("watching.askedNow", (db, p: { userId: number }) =>
  db.updateTable("notification_mails").set({ asked_at: sql<string>`now()` }).where("user_id", "=", p.userId),
);

/** Enqueues a job for each user whose mail is due. */
export async function mailDue({
  contracts,
  db,
  jobs,
}: Pick<WatchingContext, "contracts" | "db" | "jobs">): Promise<void> {
  if (!contracts.mail.isConfigured) return;
  // A template: whose time has come depends on three tables, and a user is asked once until the job is done.
  const due = await rows<{ user_id: number }>(
    db,
    sql`insert into notification_mails as mailed (user_id, key, asked_at)
      select waiting.user_id, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), now()
      from (select distinct user_id from user_notifications where ${RIPE}) as waiting
      left join notification_preferences as preferred on preferred.user_id = waiting.user_id
      left join notification_mails as before on before.user_id = waiting.user_id
      where (before.asked_at is null or before.asked_at < now() - interval '1 hour')
        and case coalesce(preferred.mail, 'at_once')
          when 'at_once' then before.window_at is null or before.window_at < now() - interval '1 hour' or before.window_count < ${sql.lit(CAP)}
          when 'daily' then before.last_at is null or before.last_at < now() - interval '1 day'
          when 'weekly' then before.last_at is null or before.last_at < now() - interval '7 days'
          else false end
      limit ${sql.lit(AT_ONCE)}
      on conflict (user_id) do update set asked_at = now() returning user_id`,
  );
  for (const { user_id } of due)
    await jobs.enqueue("watching_mail", { user_id }, { key: String(user_id), group: String(user_id) });
}

interface Waiting {
  readonly id: number;
  readonly changes: number;
}

/**
 * Sends a user what is to be mailed by now; nothing where there is nothing that the user sees. While no mail can be sent, the job
 * tries again and does not end as dead, as there would be one for each user and hour that a mail server is down.
 */
export async function mailTo(
  context: WatchingContext,
  userId: number,
  attempt: number,
): Promise<FailedRun | undefined> {
  const { contracts, db, log, texts } = context;
  const waiting = await waitingFor.execute(db, { userId });
  const viewer = await contracts.users.viewer(userId);
  const { mail } = await preferencesOf(db, userId);
  const isWanted = viewer && mail !== "never" && hasPermission(viewer, MAY_BE_TOLD);
  const ids = waiting.map(({ id }) => id);
  const found = isWanted
    ? await listedItems<Told>(context, viewer, toldTo(context, viewer, ids), { count: NAMED, offset: 0 })
    : undefined;
  const account = await emailOf.executeTakeFirst(db, { userId });
  if (!viewer || !found || found.data.length === 0 || !account) {
    await settle(context, userId, waiting, false);
    return undefined;
  }
  const unsubscribe = await unsubscribeUrl(context, userId);
  const told = found.data.map(({ item, extra }) => ({ ...extra, item }));
  const message = await notificationMail(context, {
    viewer,
    told,
    more: found.total - told.length,
    to: account.email,
    unsubscribe,
    language: viewer.language ?? texts.language(),
  });
  try {
    await contracts.mail.send(message);
  } catch (error) {
    if (!(error instanceof MailRejected)) {
      log.warn("Cannot send a user the notifications, which is tried again", { user: userId, error });
      await askedNow.execute(db, { userId });
      return { againMs: Math.min(PAUSE.longest, PAUSE.first * PAUSE.factor ** (attempt - 1)) };
    }
    log.warn("The address of a user was refused, who is sent no notifications until something new happens", {
      user: userId,
    });
  }
  await settle(context, userId, waiting, true);
  return undefined;
}

/** Notes what was mailed. What has changed meanwhile is mailed again. */
async function settle(
  { db }: WatchingContext,
  userId: number,
  waiting: readonly Waiting[],
  isSent: boolean,
): Promise<void> {
  const changes = waiting.map((one) => one.changes);
  // A template: both are one statement, so that a crash in between sends nothing twice that was noted.
  await rows(
    db,
    sql`with settled as (
        update user_notifications set mailed_at = now()
        from unnest(${waiting.map(({ id }) => id)}::integer[], ${changes}::integer[]) as mailed (id, changes)
        where user_notifications.id = mailed.id and user_notifications.changes = mailed.changes)
      update notification_mails set asked_at = null,
        last_at = case when ${isSent}::boolean then now() else last_at end,
        window_count = case when not ${isSent}::boolean then window_count
          when window_at > now() - interval '1 hour' then window_count + 1 else 1 end,
        window_at = case when not ${isSent}::boolean or window_at > now() - interval '1 hour' then window_at else now() end
      where user_id = ${userId}::integer`,
  );
}
