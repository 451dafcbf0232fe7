import { endpoint, notFound, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";

const SLUG = /^[\p{L}\p{N}_-]{1,255}$/u;

/**
 * Mounts what anybody may know of a user: the name that stands below what they wrote. Everything else is for those who
 * manage users.
 */
export function mountPeople({ app, db }: Pick<PluginContext<never, "users">, "app" | "db">): void {
  app.get(
    "/people/:slug",
    async ({ params: { slug } }) => {
      // What the store cannot hold names nobody.
      if (!SLUG.test(slug)) throw notFound("User");
      const [person] = await rows(
        db,
        sql<{ id: number }>`select id, name, slug, created_at from users where slug = ${slug}`,
      );
      if (!person) throw notFound("User");
      return person;
    },
    {
      permit: "access-api",
      ...endpoint("people", "read", { about: "Shows the name of a user by the slug that answers refer to." }),
    },
  );
}
