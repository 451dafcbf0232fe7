/**
 * The reads of users: as answers show them, as references beside content, and as viewers with the permissions of their roles.
 * No read returns a password. Parts of queries for other plugins are templates, which their grants do not refuse.
 */
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { UserRef } from "lectern/contracts";
import { callContributionNow, frozenViewer, type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Executor, flattened, prepared, refs } from "lectern/db";
import type { User, UsersContext } from "./contract.ts";
import type { UsersTable } from "./tables.ts";

const COLUMNS = [
  "users.id",
  "users.name",
  "users.email",
  "users.created_at",
  "users.updated_at",
  "users.external_auth_id",
  "users.slug",
] as const;

/** SQL for the time of a user's last activity if no plugin fills the slot `last_activity`. */
const STORED = sql<string | null>`${refs("users.last_activity_at")}`;

/** SQL for the time of a user's last activity. To be called per request, since slots are complete only after the boot. */
export function lastActivityIn({ slot }: Pick<UsersContext, "slot">): RawBuilder<string | null> | undefined {
  const [first] = slot("last_activity");
  const time = callContributionNow(first, (each) => each?.of(sql.ref("users.id")));
  return time && sql<string | null>`${time}`;
}

const NO_PICTURE = sql<string | null>`null::text`;

/** SQL for the path of a user's picture. To be called per request, likewise. */
export function pictureIn({ slot }: Pick<UsersContext, "slot">, user: RawBuilder<unknown>): RawBuilder<string | null> {
  const [first] = slot("user_picture");
  return callContributionNow(first, (each) => each?.of(user)) ?? NO_PICTURE;
}

interface ShownParameters {
  readonly id: number;
  readonly time: RawBuilder<string | null>;
  readonly picture: RawBuilder<string | null>;
}

const readShown = prepared("users.readShown", (db, p: ShownParameters) =>
  db
    .selectFrom("users")
    .select([p.time.as("last_activity_at"), p.picture.as("picture")])
    .where("users.id", "=", p.id),
);

/** A user with the path of the picture, null for none. */
export type ShownUser = User & { readonly picture: string | null };

/** Adds to the result of an event what answers show and others write: the time of the last activity, which may be the event itself. */
export async function shownUser(user: User, context: UsersContext): Promise<ShownUser> {
  const id = sql.ref("users.id");
  const more = { time: lastActivityIn(context) ?? STORED, picture: pictureIn(context, id) };
  return { ...user, picture: null, ...(await readShown.executeTakeFirst(context.db, { id: user.id, ...more })) };
}

/** The columns of a user that every answer shows, for listings, with the path of the picture. */
export function columnsOf(context: UsersContext): RawBuilder<unknown> {
  const picture = pictureIn(context, sql.ref("users.id"));
  return sql`${refs(...COLUMNS)}, ${lastActivityIn(context) ?? STORED} as last_activity_at, ${picture} as picture`;
}

const find = prepared("users.find", (db, p: { id: number; lastActivity: RawBuilder<string | null> }) =>
  db
    .selectFrom("users")
    .select([...COLUMNS, p.lastActivity.as("last_activity_at")])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom("role_user")
          .innerJoin("roles", "roles.id", "role_user.role_id")
          .select(["roles.id", "roles.display_name"])
          .whereRef("role_user.user_id", "=", "users.id")
          .orderBy("roles.id"),
      ).as("roles"),
    )
    .where("users.id", "=", p.id),
);

/** Reads a user with roles in one statement; undefined if there is none. */
export function readUser(db: Executor, id: number, lastActivity = STORED): Promise<User | undefined> {
  return find.executeTakeFirst(db, { id, lastActivity });
}

const referred = (column: keyof UsersTable) => sql.ref(`referred.${column}`);
const REFERENCE = flattened(sql`select json_build_object('id', ${referred("id")}, 'name', ${referred("name")},
  'slug', ${referred("slug")}) from users as referred where ${referred("id")} =`);

/** SQL for the reference to the user whose id a column holds; see `Users.ref`. A template, since the tables are not its user's. */
export function refOf(column: RawBuilder<unknown>): RawBuilder<UserRef | null> {
  return sql<UserRef | null>`(${REFERENCE} ${column})`;
}

const findViewer = prepared("users.findViewer", (db, p: { id: number; picture: RawBuilder<string | null> }) =>
  db
    .selectFrom("users")
    .select(["users.id", "users.name", "users.slug", "users.language", "users.time_zone"])
    .select((eb) => [
      p.picture.as("picture"),
      eb
        .selectFrom("role_user")
        .select(({ ref }) =>
          sql<number[]>`coalesce(json_agg(${ref("role_id")} order by ${ref("role_id")}), '[]')`.as("ids"),
        )
        .whereRef("role_user.user_id", "=", "users.id")
        .$asScalar()
        .$notNull()
        .as("roles"),
      eb
        .selectFrom("role_user")
        .innerJoin("role_permissions as granted", "granted.role_id", "role_user.role_id")
        .select(({ ref }) => sql<string[]>`coalesce(json_agg(distinct ${ref("granted.name")}), '[]')`.as("names"))
        .whereRef("role_user.user_id", "=", "users.id")
        .$asScalar()
        .$notNull()
        .as("permissions"),
      eb
        .exists(
          eb
            .selectFrom("role_user")
            .innerJoin("roles", "roles.id", "role_user.role_id")
            .whereRef("role_user.user_id", "=", "users.id")
            .where("roles.system_name", "=", sql.lit("admin")),
        )
        .$castTo<boolean>()
        .as("admin"),
    ])
    .where("users.id", "=", p.id),
);

/** Reads a user as a viewer, with the permissions of all its roles; undefined if there is none. */
export async function readViewer(
  { db, slot }: Pick<UsersContext, "db" | "slot">,
  id: number,
): Promise<Viewer | undefined> {
  const row = await findViewer.executeTakeFirst(db, { id, picture: pictureIn({ slot }, sql.ref("users.id")) });
  if (!row) return undefined;
  const { language, permissions, picture, time_zone, ...rest } = row;
  return frozenViewer({
    ...rest,
    permissions: new Set(permissions),
    ...(language === "" ? {} : { language }),
    ...(time_zone === "" ? {} : { timeZone: time_zone }),
    ...(picture === null ? {} : { picture }),
    via: "session",
  });
}
