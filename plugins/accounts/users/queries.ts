/**
 * The reads of users: as answers show them, as references beside content, and as viewers with the permissions of their roles.
 * No read returns a password. Parts of queries for other plugins are templates, which their grants do not refuse.
 */
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { UserRef } from "lectern/contracts";
import { callContributionNow, frozenViewer, type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Executor, flattened, prepared, refs } from "lectern/db";
import type { User, UsersContext, UsersTable } from "./contract.ts";

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

const readLastActivity = prepared("users.readLastActivity", (db, p: { id: number; time: RawBuilder<string | null> }) =>
  db.selectFrom("users").select(p.time.as("last_activity_at")).where("users.id", "=", p.id),
);

/** Adds the time of the last activity to the result of an event, since the event itself may be that activity. */
export async function withLastActivity(user: User, context: UsersContext): Promise<User> {
  const time = lastActivityIn(context) ?? STORED;
  return { ...user, ...(await readLastActivity.executeTakeFirst(context.db, { id: user.id, time })) };
}

/** The columns of a user that every answer shows, for listings. */
export function columnsOf(lastActivity: RawBuilder<string | null> = STORED): RawBuilder<unknown> {
  return sql`${refs(...COLUMNS)}, ${lastActivity} as last_activity_at`;
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

const findViewer = prepared("users.findViewer", (db, p: { id: number }) =>
  db
    .selectFrom("users")
    .select(["users.id", "users.name", "users.slug", "users.language"])
    .select((eb) => [
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
export async function readViewer(db: Executor, id: number): Promise<Viewer | undefined> {
  const row = await findViewer.executeTakeFirst(db, { id });
  if (!row) return undefined;
  const { language, permissions, ...rest } = row;
  const sets = { permissions: new Set(permissions), ...(language === "" ? {} : { language }) };
  return frozenViewer({ ...rest, ...sets, via: "session" });
}
