import { endpoint, sql, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { requireOwner } from "../_items/listed_items.ts";
import {
  DEFAULT_PREFERENCES,
  MAIL_TIMES,
  MAY_BE_TOLD,
  type Preferences,
  preferenceRules,
  preferencesSchema,
  type WatchingContext,
} from "./contract.ts";
import { about } from "./docs.ts";

const PATH = "/notification-preferences";

const find = prepared("watching.preferences", (db, p: { userId: number }) =>
  db
    .selectFrom("notification_preferences")
    .select(["own_page_changes", "own_page_comments", "comment_replies", "comment_mentions", "mail"])
    .where("user_id", "=", p.userId),
);

const store = prepared("watching.setPreferences", (db, p: Preferences & { readonly userId: number }) =>
  db
    .insertInto("notification_preferences")
    .values({
      user_id: p.userId,
      own_page_changes: p.own_page_changes,
      own_page_comments: p.own_page_comments,
      comment_replies: p.comment_replies,
      comment_mentions: p.comment_mentions,
      mail: p.mail,
    })
    .onConflict((known) =>
      known.column("user_id").doUpdateSet((eb) => ({
        own_page_changes: eb.ref("excluded.own_page_changes"),
        own_page_comments: eb.ref("excluded.own_page_comments"),
        comment_replies: eb.ref("excluded.comment_replies"),
        comment_mentions: eb.ref("excluded.comment_mentions"),
        mail: eb.ref("excluded.mail"),
      })),
    ),
);

// What waited for a mail, or was told while none were wanted, is sent by no later choice.
const settleMails = prepared("watching.settleMails", (db, p: { userId: number }) =>
  db
    .updateTable("user_notifications")
    .set({ mailed_at: sql<string>`now()` })
    .where("user_id", "=", p.userId)
    .where("mailed_at", "is", null),
);

/** The preferences of a user. */
export async function preferencesOf(db: Executor, userId: number): Promise<Preferences> {
  return (await find.executeTakeFirst(db, { userId })) ?? DEFAULT_PREFERENCES;
}

/** Stores the preferences of a user. */
export async function setPreferences(
  { perform }: WatchingContext,
  viewer: Viewer,
  userId: number,
  wanted: Preferences,
): Promise<Preferences> {
  const draft = { user_id: userId, preferences: wanted };
  const { preferences } = await perform("notification_preferences_update", viewer, draft, async (final, tx) => {
    await store.execute(tx.db, { userId: final.user_id, ...final.preferences });
    if (final.preferences.mail === "never") await settleMails.execute(tx.db, { userId: final.user_id });
    return final;
  });
  return preferences;
}

/** Mounts the routes of preferences. */
export function mountPreferences(context: WatchingContext): void {
  const { app, db, validate } = context;
  app.get(PATH, ({ viewer }) => preferencesOf(db, viewer.id), {
    permit: MAY_BE_TOLD,
    response: preferencesSchema,
    ...endpoint("notification-preferences", "read", { about: about.preferences }),
  });
  app.put(
    PATH,
    async ({ viewer, input }) => {
      requireOwner(viewer);
      const { mail, ...sent } = await validate(preferenceRules, input, viewer);
      const chosen = MAIL_TIMES.find((each) => each === mail);
      const preferences = { ...(await preferencesOf(db, viewer.id)), ...sent, ...(chosen && { mail: chosen }) };
      const kept = await setPreferences(context, viewer, viewer.id, preferences);
      return kept;
    },
    {
      permit: MAY_BE_TOLD,
      response: preferencesSchema,
      ...endpoint("notification-preferences", "update", { about: about.setPreferences, rules: preferenceRules }),
    },
  );
}
