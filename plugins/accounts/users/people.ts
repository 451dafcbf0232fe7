import { endpoint, notFound } from "lectern/core";
import { prepared } from "lectern/db";
import { profileSchema, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";

const SLUG = /^[\p{L}\p{N}_-]{1,255}$/u;

const find = prepared("users.findPerson", (db, p: { slug: string }) =>
  db.selectFrom("users").select(["id", "name", "slug", "created_at"]).where("slug", "=", p.slug),
);

/** Mounts the public part of a user: the name shown with their content. Everything else requires users-manage. */
export function mountPeople({ app, db }: UsersContext): void {
  app.get(
    "/people/:slug",
    async ({ params: { slug } }) => {
      // A text that PostgreSQL cannot store is no slug.
      if (!SLUG.test(slug)) throw notFound("User");
      const person = await find.executeTakeFirst(db, { slug });
      if (!person) throw notFound("User");
      return person;
    },
    { permit: "access-api", response: profileSchema, ...endpoint("people", "read", { about: about.person }) },
  );
}
