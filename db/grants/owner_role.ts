/**
 * The role that owns what the migrations and the `syncSchema` of a plugin make. A step runs within the transaction of the account,
 * by functions that this role owns and that exist for the time of the step, as does its right to create: so a step may change what
 * its plugin has made, refer to what it may read, and nothing else. The role inherits the rights of the plugin's other role, as
 * which its everyday statements run and which owns nothing. At the end of a step `owned_objects.ts` looks at what was made.
 */
import { sql } from "kysely";
import { withinAs } from "../connection/dialect.ts";
import { rows } from "../query/query.ts";
import { ident } from "../query/quoting.ts";
import type { Db } from "../query/tables.ts";
import { ownerRole } from "./enforcement.ts";
import { GRANTS_SCHEMA, ownerName, roleName } from "./names.ts";
import { foreignTriggers } from "./owned_expressions.ts";
import { checkOwned, settleOwned } from "./owned_objects.ts";
import { type RoleState, readState } from "./role_state.ts";
import { createRole, membership, ROLES_LOCK } from "./roles.ts";
import { stepFunctionsOf } from "./step_functions.ts";

/** The roles of one plugin and the place of its tables. */
export interface OwnerPlace {
  readonly plugin: string;
  /** As which its everyday statements run. */
  readonly role: string;
  readonly owner: string;
  readonly account: string;
  readonly schema: string;
}

/**
 * Runs schema changes of a plugin within a transaction of the account, as the role that owns what they make. The plugin's other
 * role has to exist (`syncRoles`). Throws SchemaDenied.
 * @example
 * await db.transaction().execute((tx) =>
 *   asOwner(tx, "notes", async (own) => void (await sql`create table notes (id integer primary key)`.execute(own))),
 * );
 */
export async function asOwner(tx: Db, plugin: string, run: (db: Db) => Promise<void>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ROLES_LOCK}::int8)`.execute(tx);
  const state = await readState(tx);
  const place = placeOf(state, plugin);
  const path = [...state.schemas.map(ident), "pg_temp"].join(", ");
  await sendAll(tx, [...roleTexts(state, place), ...(await sealing(tx, place))]);
  const isSingle = await isWatched(tx, place);
  const functions = stepFunctionsOf({ ...place, path, isSingle, referable: await referableOf(tx, place) });
  await sendAll(tx, [
    `grant usage, create on schema ${GRANTS_SCHEMA} to ${ident(place.owner)}`,
    `set local role ${ident(place.owner)}`,
    ...functions.ofOwner,
    "reset role",
    `revoke all on schema ${GRANTS_SCHEMA} from ${ident(place.owner)}`,
    ...functions.ofAccount,
    `grant create on schema ${ident(place.schema)} to ${ident(place.owner)}`,
  ]);
  const present = await foreignTriggers(tx, place.owner);
  const settings = await settingsOf(tx);
  await run(withinAs(tx, ownerRole(plugin, isSingle)));
  await sendAll(tx, [
    `revoke create on schema ${ident(place.schema)} from ${ident(place.owner)}`,
    ...functions.drop,
    // No function or operator that the step has made is found by what looks at it.
    "set search_path to pg_catalog",
  ]);
  await checkOwned(tx, place, present);
  await putBack(tx, settings);
  await settleOwned(tx, place);
}

/**
 * Gives objects to the role that owns what their plugin makes: tables of a time before that role, and all after a restore.
 * @example
 * await db.transaction().execute((tx) => giveToOwner(tx, "notes", [{ type: "table", identity: "public.notes" }]));
 */
export async function giveToOwner(
  tx: Db,
  plugin: string,
  objects: readonly { readonly type: string; readonly identity: string }[],
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ROLES_LOCK}::int8)`.execute(tx);
  const state = await readState(tx);
  const place = placeOf(state, plugin);
  await sendAll(tx, [
    ...roleTexts(state, place),
    `grant create on schema ${ident(place.schema)} to ${ident(place.owner)}`,
    ...objects.map(({ type, identity }) => `alter ${type} ${identity} owner to ${ident(place.owner)}`),
    `revoke create on schema ${ident(place.schema)} from ${ident(place.owner)}`,
  ]);
  await settleOwned(tx, place);
}

/**
 * Drops what the owner role of a plugin owns, and the role; does nothing where there is none. Throws the server's error where others
 * depend on it.
 * @example
 * await db.transaction().execute((tx) => dropOwned(tx, "notes"));
 */
export async function dropOwned(tx: Db, plugin: string): Promise<void> {
  const state = await readState(tx);
  const { owner } = placeOf(state, plugin);
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const [found] = await rows(tx, sql`select from pg_roles where rolname = ${owner}`);
  if (!found) return;
  await sendAll(tx, [...(state.superuser ? [] : [membership(owner, state)]), `drop owned by ${ident(owner)}`]);
  const [other] = await rows(
    tx,
    sql`select from pg_shdepend where refclassid = 'pg_authid'::regclass
      and refobjid = (select oid from pg_roles where rolname = ${owner})`,
  );
  // A copy of the database on the same server has it too.
  if (!other) await sendAll(tx, [`drop role ${ident(owner)}`]);
}

/**
 * Has the owner roles of plugins inherit the rights of their other role where they do not: that role was dropped and made anew.
 * @example
 * await joinOwners(db, ["notes"]);
 */
export async function joinOwners(db: Db, plugins: readonly string[]): Promise<void> {
  const [found] = await rows(
    db,
    sql<{ prefix: string }>`select coalesce(obj_description(to_regnamespace(${sql.lit(GRANTS_SCHEMA)}), 'pg_namespace'),
      'lectern:' || current_database()) as prefix`,
  );
  const roles = plugins.map((plugin) => roleName(found?.prefix ?? "", plugin));
  const missing = await rows(
    db,
    sql<{ text: string }>`select format('grant %I to %I', role.rolname, owner.rolname) as text
      from unnest(${roles}::text[], ${roles.map(ownerName)}::text[]) as pair(role, owner)
      join pg_roles role on role.rolname = pair.role join pg_roles owner on owner.rolname = pair.owner
      where not exists (select from pg_auth_members where roleid = role.oid and member = owner.oid)`,
  );
  await sendAll(
    db,
    missing.map(({ text }) => text),
  );
}

function placeOf(state: RoleState, plugin: string): OwnerPlace {
  const role = roleName(state.prefix ?? "", plugin);
  return { plugin, role, owner: ownerName(role), account: state.account, schema: state.schemas[0] ?? "public" };
}

/** Makes the owner, which inherits the rights of the plugin's role where that is there. */
function roleTexts(state: RoleState, { role, owner }: OwnerPlace): string[] {
  return [
    createRole(owner, "inherit"),
    ...(state.roles.includes(role) ? [`grant ${ident(role)} to ${ident(owner)}`] : []),
    ...(state.superuser ? [] : [membership(owner, state)]),
    ...state.schemas.map((schema) => `grant usage on schema ${ident(schema)} to ${ident(owner)}`),
  ];
}

/** Whether a table of the owner has a trigger whose function runs with the rights of others, as tables of content have. */
async function isWatched(tx: Db, { owner }: OwnerPlace): Promise<boolean> {
  const found = await rows(
    tx,
    sql`select from pg_trigger t join pg_class c on c.oid = tgrelid join pg_proc p on p.oid = tgfoid
      where not tgisinternal and prosecdef and pg_get_userbyid(relowner) = ${owner} and pg_get_userbyid(proowner) <> ${owner} limit 1`,
  );
  return found.length > 0;
}

/**
 * Takes from everybody the right to call functions of others that run with the rights of their owner, of which triggers have no need: a
 * step could have one run for a table of its own, and drop that again.
 */
async function sealing(tx: Db, { owner, schema }: OwnerPlace): Promise<string[]> {
  const found = await rows(
    tx,
    sql<{
      text: string;
    }>`select format('revoke execute on function %s from public', oid::regprocedure) as text from pg_proc
      where prosecdef and prorettype = 'trigger'::regtype and pronamespace = ${schema}::regnamespace
        and pg_get_userbyid(proowner) <> ${owner} and has_function_privilege('public', oid, 'execute')`,
  );
  return found.map(({ text }) => text);
}

/** What foreign keys may refer to: tables and columns that the plugin may read and that are not its own, as `on table …`. */
async function referableOf(tx: Db, { role, owner, schema }: OwnerPlace): Promise<string[]> {
  const found = await rows(
    tx,
    sql<{
      text: string;
    }>`select case when has_table_privilege(${role}, c.oid, 'select') then '' else '(' || columns || ') ' end
        || format('on table %I.%I', ${schema}::text, relname) as text
      from pg_class c cross join lateral (select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and has_column_privilege(${role}, c.oid, attnum, 'select')) as held
      where relkind in ('r', 'p') and relnamespace = ${schema}::regnamespace and columns is not null
        and pg_get_userbyid(relowner) <> ${owner}`,
  );
  return found.map(({ text }) => text);
}

/** The settings of the session that its user may change, by name. */
async function settingsOf(tx: Db): Promise<Readonly<Record<string, string>>> {
  const [found] = await rows(
    tx,
    sql<{
      settings: Record<string, string>;
    }>`select json_object_agg(name, current_setting(name)) as settings from pg_settings
      where context = 'user' and name <> 'role' and name <> 'transaction_deferrable' and name <> 'transaction_isolation'`,
  );
  return found?.settings ?? {};
}

/** Gives the session the settings that it had: those of a step, such as `maintenance_work_mem`, end with it. */
async function putBack(tx: Db, settings: Readonly<Record<string, string>>): Promise<void> {
  await sql`select set_config(key, value, false) from json_each_text(${JSON.stringify(settings)}::text::json)
    where current_setting(key) is distinct from value`.execute(tx);
}

async function sendAll(tx: Db, texts: readonly string[]): Promise<void> {
  if (texts.length > 0) await sql.raw(texts.join(";\n")).execute(tx);
}
