/**
 * What the database says about the roles of plugins and their rights, read by one statement, so that a boot that changes
 * nothing costs little. System catalogs alone are read: a role that lost a right by hand gets it back.
 */
import { sql } from "kysely";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { GRANTS_SCHEMA } from "./names.ts";

/** The rights of a role on a table, a column of it, or a sequence. */
export interface Rights {
  readonly role: string;
  readonly schema: string;
  readonly table: string;
  /** "" for the whole table. */
  readonly column: string;
  readonly verbs: readonly string[];
  readonly sequence: boolean;
}

/** A table or view of the runtime's schemas, with the sequences of its columns. */
export interface FoundTable {
  readonly name: string;
  readonly schema: string;
  readonly sequences: readonly string[];
}

/** A function of the schema of roles. */
export interface FoundFunction {
  readonly name: string;
  readonly owner: string;
  readonly definer: boolean;
  /** The MD5 of its source. */
  readonly hash: string;
  readonly config: string;
  /** Whether the runtime's account may execute it. */
  readonly ours: boolean;
  /** Whether everybody may. */
  readonly open: boolean;
}

/** What was found. */
export interface RoleState {
  readonly account: string;
  readonly database: string;
  readonly superuser: boolean;
  /** Schemas of the runtime's search_path that exist; the first has its tables. */
  readonly schemas: readonly string[];
  /** The search_path of the functions: these schemas, those of temporary tables last. */
  readonly path: string;
  /** Whether the schema of the functions exists. */
  readonly schema: boolean;
  /** The prefix of the names of roles, as the schema records it. */
  readonly prefix: string | null;
  readonly version: number;
  /** Whether everybody may create temporary tables in the database, and tables in the runtime's schema. */
  readonly temporary: boolean;
  readonly creating: boolean;
  /** Roles whose name begins with the prefix. */
  readonly roles: readonly string[];
  readonly usage: readonly string[];
  /** By name. */
  readonly functions: ReadonlyMap<string, FoundFunction>;
  /** By role. */
  readonly rights: ReadonlyMap<string, readonly Rights[]>;
  /** By name. */
  readonly tables: ReadonlyMap<string, FoundTable>;
}

/** The state as the statement returns it. */
interface StateRow extends Omit<RoleState, "functions" | "rights" | "tables"> {
  readonly functions: readonly FoundFunction[];
  readonly rights: readonly HeldRights[];
  readonly tables: readonly FoundTable[];
}

/** The same with the verbs between spaces and the kind of pg_class; arrays of text are small and quickly made, as there are many. */
type HeldRights = readonly [role: string, schema: string, table: string, column: string, verbs: string, kind: string];

function rightsOf([role, schema, table, column, verbs, kind]: HeldRights): Rights {
  return { role, schema, table, column, verbs: verbs.split(" "), sequence: kind === "S" };
}

function byName<Named extends { readonly name: string }>(all: readonly Named[]): Map<string, Named> {
  return new Map(all.map((one) => [one.name, one]));
}

/** SQL: whether everybody may create temporary tables in the database. */
const TEMPORARY = sql<boolean>`exists (select from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
  where d.datname = current_database() and a.grantee = 0 and a.privilege_type = 'TEMPORARY')`;

/** Whether everybody may create temporary tables in the database. */
export async function mayCreateTemporary(db: Db): Promise<boolean> {
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const [found] = await rows(db, sql<{ may: boolean }>`select ${TEMPORARY} as may`);
  return found?.may ?? true;
}

/** Reads the state. */
export async function readState(db: Db): Promise<RoleState> {
  // A template: Kysely's builder has no words for catalogs.
  const [found] = await rows(
    db,
    sql<{ state: StateRow }>`
    with place as (select to_regnamespace(${sql.lit(GRANTS_SCHEMA)}) as grants,
        coalesce(obj_description(to_regnamespace(${sql.lit(GRANTS_SCHEMA)}), 'pg_namespace'),
          'lectern:' || current_database()) as prefix),
      own as (select oid, rolname from pg_roles, place where starts_with(rolname, prefix || ':')),
      relations as (select * from pg_class
        where relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)),
      acls as (
        select c.relnamespace, c.relname, '' as attname, c.relkind, pg_get_userbyid(a.grantee) as role, a.privilege_type
          from relations c, aclexplode(c.relacl) a where c.relacl is not null
        union all
        select c.relnamespace, c.relname, t.attname, c.relkind, pg_get_userbyid(a.grantee), a.privilege_type
          from pg_attribute t join relations c on c.oid = t.attrelid, aclexplode(t.attacl) a where t.attacl is not null),
      held as (
        select role, relnamespace, relname, attname, relkind, string_agg(privilege_type, ' ') as verbs
          from acls, place where starts_with(role, prefix || ':') group by 1, 2, 3, 4, 5)
    select json_build_object(
      'account', current_user, 'database', current_database(),
      'superuser', (select rolsuper from pg_roles where rolname = current_user),
      'schemas', current_schemas(false),
      'path', (select string_agg(quote_ident(name), ', ')
        from unnest(array['pg_catalog'::name] || current_schemas(false) || array['pg_temp'::name]) as path(name)),
      'schema', (select grants is not null from place),
      'prefix', (select prefix from place),
      'version', current_setting('server_version_num')::int,
      'temporary', ${TEMPORARY},
      'creating', exists (select from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
        where n.nspname = any(current_schemas(false)) and a.grantee = 0 and a.privilege_type = 'CREATE'),
      'roles', coalesce((select json_agg(rolname) from own), '[]'),
      'usage', coalesce((select json_agg(own.rolname || ' ' || n.nspname) from pg_namespace n, aclexplode(n.nspacl) a
        join own on own.oid = a.grantee where a.privilege_type = 'USAGE'), '[]'),
      'functions', coalesce((select json_agg(json_build_object('name', p.proname, 'owner', pg_get_userbyid(p.proowner),
          'definer', p.prosecdef, 'hash', md5(p.prosrc), 'config', array_to_string(p.proconfig, ';'),
          'ours', has_function_privilege(p.oid, 'execute'),
          'open', exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)))
        from pg_proc p, place where p.pronamespace = place.grants), '[]'),
      'rights', coalesce((select json_agg(array[role, n.nspname, relname, attname, verbs, relkind]::text[])
        from held join pg_namespace n on n.oid = relnamespace), '[]'),
      'tables', coalesce((select json_agg(json_build_object('name', c.relname, 'schema', n.nspname,
          'sequences', coalesce(sequences, '[]')))
        from relations c join pg_namespace n on n.oid = c.relnamespace
          left join (select d.refobjid, json_agg(s.relname) as sequences from relations s
              join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid
            where s.relkind = 'S' and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
            group by d.refobjid) as fed on fed.refobjid = c.oid
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = any(current_schemas(false))), '[]')) as state`,
  );
  if (!found) throw new Error("The catalogs of the store gave no answer");
  const { functions, rights, tables, ...state } = found.state;
  return {
    ...state,
    functions: byName(functions),
    rights: Map.groupBy(rights.map(rightsOf), ({ role }) => role),
    tables: byName(tables),
  };
}
