import { endpoint, notFound, type PluginContext, sql } from "lectern/core";
import { readUser } from "./read.ts";
import { shown } from "./show.ts";

/** Mounts the answer to "who am I, and what may I do": a wish of many integrations (platform 12). */
export function mountMe({ app, baseUrl, db }: Pick<PluginContext<never, "users">, "app" | "baseUrl" | "db">): void {
  const about =
    "Shows the user whose credential the request carries, with the permissions this credential grants: " +
    "those of the user's roles, or fewer where a token was made for fewer.\n" +
    "`via` says how the user was recognised: by token, by session, or as a guest.";
  app.get(
    "/users/me",
    async ({ viewer }) => {
      const user = await readUser(db, sql`users.id = ${viewer.id}`);
      if (!user) throw notFound("User");
      return { ...shown(user, baseUrl), permissions: [...viewer.permissions].sort(), via: viewer.via };
    },
    { permit: "access-api", ...endpoint("users", "me", { about }) },
  );
}
