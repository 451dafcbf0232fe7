/**
 * The link that ends the mails of a user: it has the user's id and a secret that is in that user's mails alone, so it works without signing in
 * and ends nothing else. The screen of its path is that of the plugin of screens.
 */
import { endpoint, GUEST, idOf, notFound, randomText, rules } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { unsubscribedSchema, type WatchingContext } from "./contract.ts";
import { about } from "./docs.ts";
import { preferencesOf, setPreferences } from "./preferences.ts";

/** Characters of the secret. */
const LENGTH = 32;

const keep = prepared("watching.keepKey", (db, p: { userId: number; key: string }) =>
  db
    .insertInto("notification_mails")
    .values({ user_id: p.userId, key: p.key })
    .onConflict((known) => known.column("user_id").doUpdateSet((eb) => ({ key: eb.ref("notification_mails.key") })))
    .returning("key"),
);

const find = prepared("watching.findKey", (db, p: { userId: number; key: string }) =>
  db.selectFrom("notification_mails").select("user_id").where("user_id", "=", p.userId).where("key", "=", p.key),
);

/** The address that ends the mails of a user. */
export async function unsubscribeUrl(
  { db, baseUrl }: { db: Executor; baseUrl: string },
  userId: number,
): Promise<string> {
  const { key } = await keep.executeTakeFirstOrThrow(db, { userId, key: randomText(LENGTH) });
  return `${baseUrl}/notifications/unsubscribe/${userId}/${key}`;
}

/** Mounts the route that ends mails. */
export function mountUnsubscribe(context: WatchingContext): void {
  const { app, db } = context;
  app.post(
    "/notifications/unsubscribe/:user/:key",
    async ({ params }) => {
      const userId = idOf(params.user, "Link");
      // A text that the store cannot hold is no secret.
      const isKey = /^[\w-]{1,100}$/.test(params.key);
      if (!isKey || !(await find.executeTakeFirst(db, { userId, key: params.key }))) throw notFound("Link");
      await setPreferences(context, GUEST, userId, { ...(await preferencesOf(db, userId)), mail: "never" });
      return { mail: "never" as const };
    },
    {
      permit: "public",
      response: unsubscribedSchema,
      ...endpoint("notifications", "unsubscribe", { about: about.unsubscribe, rules: rules({}) }),
    },
  );
}
