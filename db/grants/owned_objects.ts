/**
 * What a plugin's migrations have made, as the server lists it by its owner. Others write the plugin's tables too, the account of the
 * runtime among them, and what the server then evaluates (triggers, defaults, checks, views) runs with their rights. So functions of
 * plugins always run with those of their owner, whatever they say, and cannot change that later: their text contains no further
 * statements than reads and writes (`function_text.ts`). Expressions use functions that are the plugin's own, immutable, or of the server and harmless
 * (`owned_expressions.ts`).
 */
import { type RawBuilder, sql } from "kysely";
import { SchemaDenied } from "../query/errors.ts";
import { rows } from "../query/query.ts";
import { ident } from "../query/quoting.ts";
import type { Db } from "../query/tables.ts";
import { refusedWord } from "./function_text.ts";
import { GRANTS_SCHEMA } from "./names.ts";
import { oidOf, refusedExpressions, relationsOf } from "./owned_expressions.ts";
import type { OwnerPlace } from "./owner_role.ts";

/** Checks what a role owns. `present` are triggers that others have made. Throws SchemaDenied for the first thing that is refused. */
export async function checkOwned(
  tx: Db,
  { plugin, role, owner }: OwnerPlace,
  present: readonly string[],
): Promise<void> {
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const [odd] = await rows(
    tx,
    sql<{
      found: string;
    }>`${kinds(owner)} union all ${given(role)} union all ${refusedExpressions(owner, present)} limit 1`,
  );
  if (odd) throw new SchemaDenied(plugin, `Found ${odd.found}`);
  const functions = await rows(
    tx,
    sql<{ name: string; source: string }>`select oid::regprocedure::text as name,
        coalesce(pg_get_function_sqlbody(oid), prosrc) as source from pg_proc where proowner = ${oidOf(owner)}`,
  );
  for (const { name, source } of functions) {
    const word = refusedWord(source);
    if (word !== undefined) throw new SchemaDenied(plugin, `Found "${word}" in the function ${name}`);
  }
}

/** SQL: what is of another kind than tables, sequences, views, enums and functions in SQL or PL/pgSQL of a name of their own. */
function kinds(owner: string): RawBuilder<unknown> {
  const owned = sql`select classid, objid from pg_shdepend where refclassid = 'pg_authid'::regclass and deptype = 'o'
    and refobjid = ${oidOf(owner)} and dbid = (select oid from pg_database where datname = current_database())`;
  const described = sql`'the ' || pg_describe_object`;
  return sql`select ${described}(classid, objid, 0) as found from (${owned}) as owned
      where classid not in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_statistic_ext'::regclass)
    union all select ${described}('pg_class'::regclass, oid, 0) from ${relationsOf(owner)} c 
      where relkind = 'f' or relrowsecurity or reloptions::text ~ 'security_invoker'
    union all select ${described}('pg_type'::regclass, oid, 0) from pg_type
      where typowner = ${oidOf(owner)} and typtype in ('d', 'r', 'm')
    union all select ${described}('pg_rewrite'::regclass, r.oid, 0) from pg_rewrite r join ${relationsOf(owner)} c on c.oid = ev_class
      where rulename <> '_RETURN'
    union all select ${described}('pg_policy'::regclass, p.oid, 0) from pg_policy p join ${relationsOf(owner)} c on c.oid = polrelid
    union all select ${described}('pg_cast'::regclass, k.oid, 0) from pg_cast k join pg_type t on t.oid in (castsource, casttarget)
      where typowner = ${oidOf(owner)}
    union all select ${described}('pg_proc'::regclass, p.oid, 0) from pg_proc p join pg_language l on l.oid = prolang
      where proowner = ${oidOf(owner)} and (lanname not in ('sql', 'plpgsql') or prokind in ('a', 'w')
        or exists (select from pg_proc other where other.proname = p.proname and other.proowner <> p.proowner
          and other.pronamespace in ('pg_catalog'::regnamespace, p.pronamespace)))`;
}

/** SQL: what the plugin's other role owns beside the functions of its statements: nothing would be done to it here. */
function given(role: string): RawBuilder<unknown> {
  return sql`select 'the ' || pg_describe_object(classid, objid, 0) as found from pg_shdepend
    where refclassid = 'pg_authid'::regclass and deptype = 'o' and refobjid = ${oidOf(role)}
      and dbid = (select oid from pg_database where datname = current_database())
      and not (classid = 'pg_proc'::regclass and exists (select from pg_proc p where p.oid = objid
        and pronamespace = to_regnamespace(${sql.lit(GRANTS_SCHEMA)})))`;
}

/** Has the functions of a role run with its rights alone, and gives the account all rights on its tables. */
export async function settleOwned(tx: Db, { role, owner, account, schema }: OwnerPlace): Promise<void> {
  const path = `pg_catalog, ${ident(schema)}, pg_temp`;
  const found = await rows(
    tx,
    sql<{ text: string }>`select format('alter routine %1$s security definer; alter routine %1$s reset all;
          alter routine %1$s set search_path = %2$s', oid::regprocedure, ${path}::text) as text
        from pg_proc where proowner = ${oidOf(owner)}
          and (not prosecdef or proconfig is distinct from array['search_path=' || ${path}::text])
      union all select format('revoke all on routine %1$s from public; grant execute on routine %1$s to %2$I', oid::regprocedure, grantee)
        from pg_proc cross join (select rolname as grantee from pg_roles where rolname in (${role}, ${account})) as grantees
        where proowner = ${oidOf(owner)} and prorettype <> 'trigger'::regtype and provolatile <> 'i'
          and has_function_privilege('public', oid, 'execute')
      union all select format('grant all on %s %s to %I', case relkind when 'S' then 'sequence' else 'table' end, oid::regclass, ${account}::text)
        from ${relationsOf(owner)} c where relkind in ('r', 'p', 'v', 'm', 'S')
          and not exists (select from aclexplode(relacl) a where a.grantee = ${oidOf(account)})`,
  );
  if (found.length > 0) await sql.raw(found.map(({ text }) => text).join(";\n")).execute(tx);
}
