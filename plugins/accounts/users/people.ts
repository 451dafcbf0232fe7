import { endpoint, notFound, type Static, sql } from "lectern/core";
import { rows } from "lectern/db";
import { profileSchema, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";

const SLUG = /^[\p{L}\p{N}_-]{1,255}$/u;

/** Mounts the public part of a user: the name shown with their content. Everything else requires users-manage. */
export function mountPeople({ app, db }: UsersContext): void {
  app.get(
    "/people/:slug",
    async ({ params: { slug } }) => {
      // A text that PostgreSQL cannot store is no slug.
      if (!SLUG.test(slug)) throw notFound("User");
      const [person] = await rows(
        db,
        sql<Static<typeof profileSchema>>`select id, name, slug, created_at from users where slug = ${slug}`,
      );
      if (!person) throw notFound("User");
      return person;
    },
    { permit: "access-api", response: profileSchema, ...endpoint("people", "read", { about: about.person }) },
  );
}
