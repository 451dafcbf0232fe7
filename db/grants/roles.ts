/**
 * Roles of plugins: for each plugin whose grants PostgreSQL enforces a role without login, with exactly its grants, and two
 * functions that run statements as that role. Roles belong to the whole server, so their names begin with the database's;
 * the comment of the schema records that prefix, so a renamed or copied database keeps its roles. What is missing is made,
 * what is too much is revoked, under an advisory lock; a restore from a dump brings no roles, and the next boot makes them.
 */
import { sql } from "kysely";
import { rows } from "../query/query.ts";
import { ident, literal } from "../query/quoting.ts";
import type { Db } from "../query/tables.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import { functionsOf } from "./functions.ts";
import { type FunctionKind, functionName, GRANTS_SCHEMA, roleName } from "./names.ts";
import { mayCreateTemporary, type Rights, type RoleState, readState } from "./role_state.ts";

/** The tables of a plugin's role; writing implies reading. */
export interface RoleGrants {
  readonly plugin: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Columns of further tables that it may read, by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Whether `columns` may lack some: rights on columns are then added and not revoked. */
  readonly isPartial?: boolean;
  /** Whether `read` and `write` may lack some too: no right is then revoked. */
  readonly keepsTables?: boolean;
}

/** Reads grants whose rights are kept, within the transaction that changes the roles. */
export type KeptGrants = (db: Db) => Promise<readonly RoleGrants[]>;

/** The result of `syncRoles`. */
export interface SyncedRoles {
  /** Undefined where the roles have their grants; else why PostgreSQL cannot enforce them. */
  readonly reason: string | undefined;
  /** Statements that changed something; 0 at a boot that changes nothing. */
  readonly changes: number;
}

/** The key of the advisory lock; it must never change, since processes of different versions share it. */
export const ROLES_LOCK = 7_206_416;
const READ = ["SELECT"];
/** On the sequences of written tables: imports set them. */
const SEQUENCE = ["SELECT", "USAGE", "UPDATE"];
const WRITE = ["SELECT", "INSERT", "UPDATE", "DELETE"];
/** SQLSTATEs of an account that may not make roles, functions or schemas. */
const DENIED = "42501";

/**
 * Makes the roles and functions of plugins and gives them exactly these grants. Tables that do not exist yet are left out.
 * Resolves to the reason where the account may not do that; nothing is changed then.
 * @example
 * const { reason } = await syncRoles(db, [{ plugin: "notes", read: ["users"], write: ["notes"], columns: {} }]);
 */
export function syncRoles(db: Db, wanted: readonly RoleGrants[], kept?: KeptGrants): Promise<SyncedRoles> {
  return new RolesSync(db, kept).sync(wanted);
}

/**
 * The same for one plugin after the other, as at a boot: the state of the roles is read once, and again where roles or tables
 * have changed since.
 * @example
 * const roles = new RolesSync(db);
 * await roles.sync([{ plugin: "notes", read: ["users"], write: ["notes"], columns: {} }]);
 */
export class RolesSync {
  readonly #db: Db;
  readonly #readKept: KeptGrants;
  #state: RoleState | undefined;
  #kept: readonly RoleGrants[] = [];

  /** `kept` reads grants of others, such as other servers of the database, whose rights are not revoked. */
  constructor(db: Db, kept: KeptGrants = () => Promise.resolve([])) {
    this.#db = db;
    this.#readKept = kept;
  }

  /** Has the next `sync` read the state again: tables were made or altered. */
  forget(): void {
    this.#state = undefined;
  }

  /** Does what `syncRoles` does. */
  async sync(wanted: readonly RoleGrants[]): Promise<SyncedRoles> {
    if (wanted.length === 0) return UNCHANGED;
    if (this.#state && changesOf(this.#state, wanted, this.#kept).length === 0) return UNCHANGED;
    this.forget();
    try {
      return await this.#db.transaction().execute(async (tx) => {
        const { state, kept, ...synced } = await change(tx, wanted, this.#readKept);
        this.#state = state;
        this.#kept = kept;
        return synced;
      });
    } catch (error) {
      if (error instanceof NotEnforced) return { reason: error.message, changes: 0 };
      if (codeOf(error) === DENIED) return { reason: messageOf(error), changes: 0 };
      throw error;
    }
  }
}

const UNCHANGED: SyncedRoles = { reason: undefined, changes: 0 };

/** Changes the roles under the advisory lock; `state` is undefined where something changed. Throws NotEnforced. */
async function change(
  tx: Db,
  wanted: readonly RoleGrants[],
  readKept: KeptGrants,
): Promise<SyncedRoles & { readonly state: RoleState | undefined; readonly kept: readonly RoleGrants[] }> {
  await sql`select pg_advisory_xact_lock(${ROLES_LOCK}::int8)`.execute(tx);
  const state = await readState(tx);
  // Read under the lock: who is not there yet grants its rights later.
  const kept = await readKept(tx);
  const changes = changesOf(state, wanted, kept);
  if (changes.length === 0) return { ...UNCHANGED, state, kept };
  await sql.raw(changes.join(";\n")).execute(tx);
  // REVOKE only warns where the account does not own the database.
  if (state.temporary && (await mayCreateTemporary(tx))) throw new NotEnforced(openTemporary(state.database));
  return { reason: undefined, changes: changes.length, state: undefined, kept };
}

/** How the roles of plugins differ from their grants. */
export interface RoleDrift {
  /** Statements that would correct the roles of the plugins. */
  readonly changes: readonly string[];
  /** Names of roles of this database whose plugin is not loaded, without those that only a copy of it on the same server uses. */
  readonly leftovers: readonly string[];
}

/**
 * Compares the roles of plugins with their grants; changes nothing. `loaded` are the names of all plugins that are loaded, and
 * `kept` grants of others whose rights and roles are no drift.
 * @example
 * const { changes, leftovers } = await roleDrift(db, [], ["notes"]);
 */
export async function roleDrift(
  db: Db,
  wanted: readonly RoleGrants[],
  loaded: readonly string[],
  kept: readonly RoleGrants[] = [],
): Promise<RoleDrift> {
  const state = await readState(db);
  const known = new Set(
    [...loaded, ...kept.map(({ plugin }) => plugin)].map((plugin) => roleName(state.prefix ?? "", plugin)),
  );
  return {
    changes: wanted.length === 0 ? [] : changesOf(state, wanted, kept),
    leftovers: await notElsewhere(
      db,
      state.roles.filter((role) => !known.has(role)),
    ),
  };
}

/** Roles that have rights or functions in this database, or in none. */
async function notElsewhere(db: Db, roles: readonly string[]): Promise<string[]> {
  if (roles.length === 0) return [];
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const found = await rows(
    db,
    sql<{ name: string }>`with here as (select oid from pg_database where datname = current_database())
      select rolname as name from pg_roles where rolname = any(${[...roles]}::text[])
        and (exists (select from pg_shdepend, here where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid
            and dbid = here.oid)
          or not exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid))
      order by rolname`,
  );
  return found.map(({ name }) => name);
}

/**
 * Drops the role and the functions of a plugin, and so its rights on all tables; does nothing where it has none. The
 * plugin's tables stay. Resolves to whether the role is gone: it stays, without rights here, where another database of the
 * server, such as a copy, uses it too. Throws the server's error (42501) where the account may not drop roles.
 * @example
 * const isGone = await dropPluginRole(db, "notes");
 */
export async function dropPluginRole(db: Db, plugin: string): Promise<boolean> {
  const { prefix } = await readState(db);
  return dropRole(db, roleName(prefix ?? "", plugin));
}

/**
 * The same by the name of the role, as `roleDrift` returns it.
 * @example
 * for (const role of (await roleDrift(db, [], [])).leftovers) await dropRole(db, role);
 */
export async function dropRole(db: Db, role: string): Promise<boolean> {
  const { roles, superuser, account } = await readState(db);
  if (!roles.includes(role)) return true;
  const member = superuser ? "" : `grant ${ident(role)} to ${ident(account)};`;
  await sql.raw(`${member} drop owned by ${ident(role)}`).execute(db);
  const [other] = await rows(
    db,
    sql<{ used: boolean }>`select exists (select from pg_shdepend
    where refclassid = 'pg_authid'::regclass and refobjid = (select oid from pg_roles where rolname = ${role})
      and dbid not in (0, (select oid from pg_database where datname = current_database()))) as used`,
  );
  if (other?.used) return false;
  await sql.raw(`drop role ${ident(role)}`).execute(db);
  return true;
}

class NotEnforced extends Error {}

/** The reason where everybody may create temporary tables, which would come before others, and the account cannot change that. */
export function openTemporary(database: string): string {
  return `everybody may create temporary tables in "${database}", and its account may not revoke that`;
}

/** Statements that make the state as wanted; none where it is. Rights of `kept` are not revoked. */
export function changesOf(state: RoleState, wanted: readonly RoleGrants[], kept: readonly RoleGrants[]): string[] {
  const texts: string[] = [];
  if (state.temporary) texts.push(`revoke temporary on database ${ident(state.database)} from public`);
  const [home] = state.schemas;
  if (state.creating && home !== undefined)
    texts.push(...state.schemas.map((one) => `revoke create on schema ${ident(one)} from public`));
  if (!state.schema) {
    texts.push(`create schema if not exists ${GRANTS_SCHEMA}`);
    texts.push(`comment on schema ${GRANTS_SCHEMA} is ${literal(state.prefix ?? "")}`);
  }
  for (const grants of wanted) texts.push(...roleChanges(state, grants, kept));
  return texts;
}

function roleChanges(state: RoleState, grants: RoleGrants, kept: readonly RoleGrants[]): string[] {
  const role = roleName(state.prefix ?? "", grants.plugin);
  const texts: string[] = [];
  if (!state.roles.includes(role)) texts.push(createRole(role));
  const functions = functionsOf(grants.plugin, state.path).filter((wanted) => {
    const found = state.functions.get(wanted.name);
    const isRight = found?.owner === role && found.definer && found.ours && !found.open && found.hash === wanted.hash;
    return !(isRight && found.config === wanted.config);
  });
  if (functions.length > 0) {
    for (const { name } of functions)
      if (state.functions.has(name)) texts.push(`drop function ${GRANTS_SCHEMA}.${ident(name)}(text, text[])`);
    if (!state.superuser) texts.push(membership(role, state));
    texts.push(`grant usage, create on schema ${GRANTS_SCHEMA} to ${ident(role)}`, `set local role ${ident(role)}`);
    texts.push(...functions.map((wanted) => wanted.create(state.account)));
    texts.push("reset role", `revoke all on schema ${GRANTS_SCHEMA} from ${ident(role)}`);
  }
  for (const schema of state.schemas)
    if (!state.usage.includes(`${role} ${schema}`))
      texts.push(`grant usage on schema ${ident(schema)} to ${ident(role)}`);
  return [...texts, ...rightChanges(state, role, grants, kept)];
}

/** Two processes that boot over copies of one database may create the same role at once. */
export function createRole(role: string, inherit: "noinherit" | "inherit" = "noinherit"): string {
  return `do $lectern$ begin create role ${ident(role)} nologin ${inherit}; exception when duplicate_object or unique_violation then null; end $lectern$`;
}

/** Lets the account act as the role, to create functions that the role owns. Since 16 that is an option of its own. */
export function membership(role: string, { account, version }: Pick<RoleState, "account" | "version">): string {
  const options = version >= 160_000 ? " with inherit true, set true" : "";
  return `grant ${ident(role)} to ${ident(account)}${options}`;
}

/** Grants what is missing and revokes what is too much. What only others need is not granted: they do that themselves. */
function rightChanges(state: RoleState, role: string, grants: RoleGrants, kept: readonly RoleGrants[]): string[] {
  const found = state.rights.get(role) ?? [];
  const wanted = wantedRights(state, role, grants);
  const ofOthers = kept.filter(({ plugin }) => plugin === grants.plugin);
  const needed = [...wanted, ...ofOthers.flatMap((other) => wantedRights(state, role, other))];
  const isKept = ({ column }: Rights) => grants.keepsTables || (grants.isPartial && column !== "");
  const lost = beyond(found, needed).filter((rights) => !isKept(rights));
  return [...rightTexts("revoke", lost), ...rightTexts("grant", beyond(wanted, found))];
}

/** The rights that are not among others. */
function beyond(some: readonly Rights[], others: readonly Rights[]): Rights[] {
  const known = new Map<string, string[]>();
  for (const rights of others) known.set(placeOf(rights), [...(known.get(placeOf(rights)) ?? []), ...rights.verbs]);
  return some.flatMap((rights) => {
    const held = known.get(placeOf(rights)) ?? [];
    const verbs = rights.verbs.filter((verb) => !held.includes(verb));
    return verbs.length === 0 ? [] : [{ ...rights, verbs }];
  });
}

function wantedRights(state: RoleState, role: string, { read, write, columns }: RoleGrants): Rights[] {
  const writable = new Set(write);
  const readable = new Set([...read, ...write]);
  const rights = [...readable].flatMap((name): Rights[] => {
    const found = state.tables.get(name);
    if (!found) return [];
    const whole = { role, schema: found.schema, column: "" };
    const table = { ...whole, table: name, verbs: writable.has(name) ? WRITE : READ, sequence: false };
    const sequences = writable.has(name) ? found.sequences : [];
    return [table, ...sequences.map((one) => ({ ...whole, table: one, verbs: SEQUENCE, sequence: true }))];
  });
  const single = Object.entries(columns).flatMap(([name, some]): Rights[] => {
    const table = state.tables.get(name);
    if (!table || readable.has(name)) return [];
    return some.map((column) => ({ role, schema: table.schema, table: name, column, verbs: READ, sequence: false }));
  });
  return [...rights, ...single];
}

/** Names hold no such character. */
function placeOf({ schema, table, column, sequence }: Rights): string {
  return `${schema}\0${table}\0${column}\0${sequence}`;
}

/** The statements that grant or revoke rights, one for each table or sequence. */
function rightTexts(how: "grant" | "revoke", rights: readonly Rights[]): string[] {
  const relations = Map.groupBy(rights, ({ schema, table }) => JSON.stringify([schema, table]));
  return [...relations.values()].map((some) => {
    const { role, schema, table, sequence } = some[0] as Rights;
    const verbs = some.flatMap((one) =>
      one.verbs.map((verb) => (one.column === "" ? verb : `${verb} (${ident(one.column)})`)),
    );
    const on = `${sequence ? "sequence" : "table"} ${ident(schema)}.${ident(table)}`;
    return `${how} ${verbs.join(", ")} on ${on} ${how === "grant" ? "to" : "from"} ${ident(role)}`;
  });
}

/** The SQL name of the function that runs statements of a plugin. */
export function functionOf(kind: FunctionKind, plugin: string): string {
  return `${GRANTS_SCHEMA}.${ident(functionName(kind, plugin))}`;
}
