/**
 * What a plugin's migrations have made, as the server lists it by its owner. Others write the plugin's tables too, the account of the
 * runtime among them, and what the server then evaluates (triggers, defaults, checks, views) runs with their rights. So functions of
 * plugins always run with those of their owner, whatever they say, and cannot change that later: their text contains no further
 * statements than reads and writes. Expressions use functions that are the plugin's own, immutable, or of the server and harmless.
 */
import { type RawBuilder, sql } from "kysely";
import { SchemaDenied } from "../query/errors.ts";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { ident } from "./names.ts";
import type { OwnerPlace } from "./owner_role.ts";
import { wordsOf } from "./statement_text.ts";

/** Words of statements that a function may not run: with them it could undo what is done to it here. */
const REFUSED_WORDS: ReadonlySet<string> = new Set([
  "execute",
  "prepare",
  "create",
  "alter",
  "drop",
  "grant",
  "revoke",
  "reassign",
  "hold",
]);
/** What follows "do" in an upsert; a block follows otherwise. */
const AFTER_DO: ReadonlySet<string> = new Set(["nothing", "update"]);
/** Functions of the server that run the text of a statement or reach beyond tables, as they are called. */
const REFUSED_CALLS =
  "\\m(?!pg_(?:trigger_depth|typeof|column_size)\\M)(?:pg_\\w+|\\w*_to_xml\\w*|ts_stat|ts_rewrite|lo_\\w+|loread|lowrite|set_config)\\s*\\(";

/** SQL: the oid of a role. */
const oidOf = (owner: string) => sql`(select oid from pg_roles where rolname = ${owner})`;
/** SQL: the relations that it owns. */
const relationsOf = (owner: string) => sql`(select * from pg_class where relowner = ${oidOf(owner)})`;

/** The triggers on the tables of an owner that others have made so far, such as those that report changes. */
export async function foreignTriggers(tx: Db, owner: string): Promise<readonly string[]> {
  const found = await rows(
    tx,
    sql<{ oid: string }>`select t.oid::text as oid from pg_trigger t join ${relationsOf(owner)} c on c.oid = tgrelid
      where not tgisinternal`,
  );
  return found.map(({ oid }) => oid);
}

/** Checks what a role owns. `present` are triggers that others have made. Throws SchemaDenied for the first thing that is refused. */
export async function checkOwned(tx: Db, { plugin, owner }: OwnerPlace, present: readonly string[]): Promise<void> {
  const [odd] = await rows(
    tx,
    sql<{ found: string }>`${kinds(owner)} union all ${expressions(owner, present)} limit 1`,
  );
  if (odd) throw new SchemaDenied(plugin, `Found ${odd.found}`);
  const functions = await rows(
    tx,
    sql<{ name: string; source: string }>`select oid::regprocedure::text as name, prosrc as source from pg_proc
      where proowner = ${oidOf(owner)}`,
  );
  for (const { name, source } of functions) {
    const word = refusedWord(source);
    if (word !== undefined) throw new SchemaDenied(plugin, `Found "${word}" in the function ${name}`);
  }
}

/** The first word of a function's text that is refused; undefined for none. */
export function refusedWord(source: string): string | undefined {
  const words = wordsOf(source);
  return words.find((word, at) => REFUSED_WORDS.has(word) || (word === "do" && !AFTER_DO.has(words[at + 1] ?? "")));
}

/** SQL: what is of another kind than tables, sequences, views, enums and functions in SQL or PL/pgSQL of a name of their own. */
function kinds(owner: string): RawBuilder<unknown> {
  const owned = sql`select classid, objid from pg_shdepend where refclassid = 'pg_authid'::regclass and deptype = 'o'
    and refobjid = ${oidOf(owner)} and dbid = (select oid from pg_database where datname = current_database())`;
  const described = sql`'the ' || pg_describe_object`;
  return sql`select ${described}(classid, objid, 0) as found from (${owned}) as owned
      where classid not in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_statistic_ext'::regclass)
    union all select ${described}('pg_class'::regclass, oid, 0) from ${relationsOf(owner)} c where relkind = 'f' or relrowsecurity
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

/** SQL: expressions of the tables and views that call what is refused. */
function expressions(owner: string, present: readonly string[]): RawBuilder<unknown> {
  return sql`select pg_describe_object(classid, objid, 0) as found from (
      select 'pg_attrdef'::regclass as classid, d.oid as objid, pg_get_expr(adbin, adrelid) as text
        from pg_attrdef d join ${relationsOf(owner)} c on c.oid = adrelid
      union all select 'pg_constraint'::regclass, k.oid, pg_get_constraintdef(k.oid)
        from pg_constraint k join ${relationsOf(owner)} c on c.oid = conrelid where contype in ('c', 'x')
      union all select 'pg_class'::regclass, i.indexrelid, pg_get_indexdef(i.indexrelid)
        from pg_index i join ${relationsOf(owner)} c on c.oid = indrelid
      union all select 'pg_rewrite'::regclass, r.oid, pg_get_viewdef(c.oid)
        from pg_rewrite r join ${relationsOf(owner)} c on c.oid = ev_class where relkind in ('v', 'm')
      union all select 'pg_trigger'::regclass, t.oid, pg_get_triggerdef(t.oid)
        from pg_trigger t join ${relationsOf(owner)} c on c.oid = tgrelid
        where not tgisinternal and not t.oid::text = any(${[...present]}::text[])
    ) as parts where text ~ ${REFUSED_CALLS} or exists (select from pg_depend d join pg_proc p on p.oid = d.refobjid
      where d.classid = parts.classid and d.objid = parts.objid and d.refclassid = 'pg_proc'::regclass
        and p.proowner <> ${oidOf(owner)} and p.provolatile <> 'i' and p.pronamespace <> 'pg_catalog'::regnamespace)`;
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
