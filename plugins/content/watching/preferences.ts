import { endpoint } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { requireOwner } from "../_items/listed_items.ts";
import {
  DEFAULT_PREFERENCES,
  type Preferences,
  preferenceRules,
  preferencesSchema,
  type WatchingContext,
} from "./contract.ts";
import { about } from "./docs.ts";

const PATH = "/notification-preferences";
const PERMIT = "receive-notifications";

const find = prepared("watching.preferences", (db, p: { userId: number }) =>
  db
    .selectFrom("notification_preferences")
    .select(["own_page_changes", "own_page_comments", "comment_replies", "comment_mentions"])
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
    })
    .onConflict((known) =>
      known.column("user_id").doUpdateSet((eb) => ({
        own_page_changes: eb.ref("excluded.own_page_changes"),
        own_page_comments: eb.ref("excluded.own_page_comments"),
        comment_replies: eb.ref("excluded.comment_replies"),
        comment_mentions: eb.ref("excluded.comment_mentions"),
      })),
    ),
);

/** The preferences of a user. */
async function preferencesOf(db: Executor, userId: number): Promise<Preferences> {
  return (await find.executeTakeFirst(db, { userId })) ?? DEFAULT_PREFERENCES;
}

/** Mounts the routes of preferences. */
export function mountPreferences({ app, db, perform, validate }: WatchingContext): void {
  app.get(PATH, ({ viewer }) => preferencesOf(db, viewer.id), {
    permit: PERMIT,
    response: preferencesSchema,
    ...endpoint("notification-preferences", "read", { about: about.preferences }),
  });
  app.put(
    PATH,
    async ({ viewer, input }) => {
      requireOwner(viewer);
      const sent = await validate(preferenceRules, input, viewer);
      const preferences = { ...(await preferencesOf(db, viewer.id)), ...sent };
      const { preferences: kept } = await perform(
        "notification_preferences_update",
        viewer,
        { user_id: viewer.id, preferences },
        async (final, tx) => {
          await store.execute(tx.db, { userId: final.user_id, ...final.preferences });
          return final;
        },
      );
      return kept;
    },
    {
      permit: PERMIT,
      response: preferencesSchema,
      ...endpoint("notification-preferences", "update", { about: about.setPreferences, rules: preferenceRules }),
    },
  );
}
