import { type Kysely, sql } from "kysely";
import { idColumn, type Migrations, timeColumns } from "lectern/db";
import { ALL_NAMES, EDITOR_NAMES, VIEWER_NAMES } from "./permission_names.ts";

/** The roles of a new instance (platform 2.2), in the order of their ids. */
const SEEDS = [
  {
    display_name: "Admin",
    description: "Administrator of the whole application",
    system_name: "admin",
    names: ALL_NAMES,
  },
  {
    display_name: "Editor",
    description: "User can edit Books, Chapters & Pages",
    system_name: "",
    names: EDITOR_NAMES,
  },
  {
    display_name: "Viewer",
    description: "User can view books & their content behind authentication",
    system_name: "",
    names: VIEWER_NAMES,
  },
  {
    display_name: "Public",
    description: "The role given to public visitors if allowed",
    system_name: "public",
    names: VIEWER_NAMES,
  },
];

/** The tables of the plugin, and the four roles of a new instance. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("roles")
      .$call(idColumn)
      .addColumn("display_name", "text", (column) => column.notNull())
      .addColumn("description", "text")
      .addColumn("system_name", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("external_auth_id", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("mfa_enforced", "boolean", (column) => column.notNull().defaultTo(false))
      .$call(timeColumns)
      .execute();
    await sql`create index roles_by_display_name on roles (lower(display_name), id)`.execute(db);
    await db.schema
      .createTable("role_permissions")
      .addColumn("role_id", "integer", (column) => column.notNull().references("roles.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("role_permissions_pkey", ["role_id", "name"])
      .execute();
    await db.schema
      .createTable("role_user")
      .addColumn("user_id", "integer", (column) => column.notNull().references("users.id").onDelete("cascade"))
      .addColumn("role_id", "integer", (column) => column.notNull().references("roles.id").onDelete("cascade"))
      .addPrimaryKeyConstraint("role_user_pkey", ["user_id", "role_id"])
      .execute();
    await db.schema.createIndex("role_user_by_role").on("role_user").column("role_id").execute();
    await seed(db);
  },
  // Names that were granted to the role Admin once; they are not granted again, since an operator may have removed them.
  async "0002_names"(db) {
    await sql`create table permission_names (name text primary key)`.execute(db);
  },
  // Before this permission existed, everyone who could view a page could read its revisions. BookStack grants it in the same way.
  async "0003_revisions"(db) {
    await sql`insert into role_permissions (role_id, name)
      select distinct role_id, 'revision-view-all' from role_permissions
      where name in ('page-view-all', 'page-view-own') on conflict do nothing`.execute(db);
  },
  // The sort key of the name (core's text_key), cut to the size of an index entry. The table is rewritten, so indexes that
  // are not needed any more are dropped first.
  async "0004_display_name_key"(db) {
    await sql`
      drop index roles_by_display_name;
      alter table roles add column display_name_key text collate "C"
        generated always as (left(text_key(display_name), 600)) stored;
      create index roles_by_display_name on roles (display_name_key, id)`.execute(db);
  },
};

// biome-ignore lint/suspicious/noExplicitAny: a step must compile long after the tables have changed
async function seed(db: Kysely<any>): Promise<void> {
  for (const { names, ...role } of SEEDS) {
    const { id } = await db.insertInto("roles").values(role).returning("id").executeTakeFirstOrThrow();
    await db
      .insertInto("role_permissions")
      .values(names.map((name) => ({ role_id: id, name })))
      .execute();
  }
}
