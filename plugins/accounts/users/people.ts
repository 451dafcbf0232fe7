/**
 * The public part of a user: the name and picture shown with their content, by slug or by a part of the name, as in a choice of whom
 * to give something to. Everything else requires users-manage.
 */
import { endpoint, notFound, type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { peopleRules, peopleSchema, profileSchema, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";
import { NO_PICTURE } from "./presenter.ts";
import { pictureIn } from "./queries.ts";

const SLUG = /^[\p{L}\p{N}_-]{1,255}$/u;
/** People that a search finds. */
const FOUND = 20;

type Picture = RawBuilder<string | null>;

const find = prepared("users.findPerson", (db, p: { slug: string; picture: Picture }) =>
  db
    .selectFrom("users")
    .select(["id", "name", "slug", "created_at", p.picture.as("picture")])
    .where("slug", "=", p.slug),
);

const search = prepared("users.searchPeople", (db, p: { pattern: string; picture: Picture }) =>
  db
    .selectFrom("users")
    .select(["id", "name", "slug", "created_at", p.picture.as("picture")])
    .where("name_key", "like", sql<string>`text_pattern(${p.pattern}::text)`)
    .where("system_name", "=", sql.lit(""))
    .orderBy("name_key")
    .orderBy("id")
    .limit(sql.lit(FOUND)),
);

/** Mounts the routes. */
export function mountPeople(context: UsersContext): void {
  const { app, baseUrl, db, validate } = context;
  const picture = () => pictureIn(context, sql.ref("users.id"));
  const present = <Person extends { picture: string | null }>({ picture: path, ...person }: Person) => ({
    ...person,
    avatar_url: `${baseUrl}${path ?? NO_PICTURE}`,
  });
  app.get(
    "/people",
    async ({ viewer, nestedQuery }) => {
      const { query } = await validate(peopleRules, nestedQuery, viewer);
      // Letters that mean something to LIKE stand for themselves.
      const pattern = `%${query.replace(/[\\%_]/g, "\\$&")}%`;
      return { data: (await search.execute(db, { pattern, picture: picture() })).map(present) };
    },
    {
      permit: "access-api",
      response: peopleSchema,
      ...endpoint("people", "search", { about: about.people, query: peopleRules, errors: [422] }),
    },
  );
  app.get(
    "/people/:slug",
    async ({ params: { slug } }) => {
      // A text that PostgreSQL cannot store is no slug.
      const person = SLUG.test(slug) ? await find.executeTakeFirst(db, { slug, picture: picture() }) : undefined;
      if (!person) throw notFound("User");
      return present(person);
    },
    { permit: "access-api", response: profileSchema, ...endpoint("people", "read", { about: about.person }) },
  );
}
