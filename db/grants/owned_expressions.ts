/**
 * The expressions of what a plugin's migrations have made: defaults and generated columns, checks, indexes, partitions, statistics,
 * views, the conditions of triggers and the defaults of arguments. Who writes or reads the plugin's tables evaluates them with rights
 * of its own. Which functions they call is read from their trees by oid: a text depends on settings and on who quotes what.
 */
import { type RawBuilder, sql } from "kysely";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";

/** Where trees name the function that a node calls. */
const CALLED = ":(?:funcid|aggfnoid|winfnoid|tsmhandler) (\\d+)";
/** Where trees name a relation. Views of the server show what the reader may see, and one of them changes settings. */
const RELATION = ":relid (\\d+)";
/** A call of nextval with a constant, whose sequence the server records; the name may be computed otherwise. */
const NEXTVAL_OF_CONSTANT = ":funcid 1574 (?::\\w+ \\S+ )*:args \\(\\{CONST :consttype 2205 ";
const NEXTVAL = ":funcid 1574 ";
/** Functions of the server that run texts or reach beyond tables. */
const REFUSED_CALLS =
  "^((?!pg_(trigger_depth|typeof|column_size)$)pg_.*|.*_to_xml.*|ts_stat|ts_rewrite|lo_.*|loread|lowrite|set_config)$";
/** Those of its functions that give another value at each call and do no more. */
const HARMLESS_VOLATILE: readonly string[] = [
  "nextval",
  "currval",
  "lastval",
  "random",
  "random_normal",
  "gen_random_uuid",
  "uuidv4",
  "uuidv7",
  "clock_timestamp",
  "timeofday",
  "suppress_redundant_updates_trigger",
  "tsvector_update_trigger",
  "tsvector_update_trigger_column",
];

/** SQL: the oid of a role. */
export const oidOf = (owner: string) => sql`(select oid from pg_roles where rolname = ${owner})`;
/** SQL: the relations that it owns. */
export const relationsOf = (owner: string) => sql`(select * from pg_class where relowner = ${oidOf(owner)})`;

/**
 * The triggers on the tables of an owner that others have made so far, such as those that report changes, each with all that the
 * server knows of it: `create or replace trigger` keeps the oid.
 */
export async function foreignTriggers(tx: Db, owner: string): Promise<readonly string[]> {
  // A template: Kysely's builder has no words for catalogs.
  const found = await rows(
    tx,
    sql<{ made: string }>`select t::text as made from pg_trigger t join ${relationsOf(owner)} c on c.oid = tgrelid
      join pg_proc p on p.oid = tgfoid where not tgisinternal and proowner <> ${oidOf(owner)}`,
  );
  return found.map(({ made }) => made);
}

/** SQL: the expressions of an owner that call what is refused, as `found`. `present` are triggers of others as they were. */
export function refusedExpressions(owner: string, present: readonly string[]): RawBuilder<unknown> {
  const foreignSequence = sql`exists (select from pg_depend d join pg_class s on s.oid = d.refobjid where d.classid = trees.classid
    and d.objid = trees.objid and d.refclassid = 'pg_class'::regclass and s.relkind = 'S' and s.relowner <> ${oidOf(owner)})`;
  return sql`select pg_describe_object(classid, objid, 0) as found from (${trees(owner, present)}) as trees
    where (strpos(tree, ${NEXTVAL}) > 0
        and (regexp_replace(tree, ${NEXTVAL_OF_CONSTANT}, '', 'g') ~ ${NEXTVAL} or ${foreignSequence}))
      or exists (select from regexp_matches(tree, ${RELATION}, 'g') as named(oid) join pg_class c on c.oid = named.oid[1]::oid
        where relkind = 'v' and relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
      or exists (select from regexp_matches(tree, ${CALLED}, 'g') as called(oid) join pg_proc p on p.oid = called.oid[1]::oid
        where case when pronamespace = 'pg_catalog'::regnamespace
          then proname ~ ${REFUSED_CALLS} or (provolatile = 'v' and not proname::text = any(${[...HARMLESS_VOLATILE]}::text[]))
          else proowner <> ${oidOf(owner)} and provolatile <> 'i' end)`;
}

/** SQL: the trees of all expressions; the function of a trigger is written as they write a call. */
function trees(owner: string, present: readonly string[]): RawBuilder<unknown> {
  const own = relationsOf(owner);
  return sql`select 'pg_attrdef'::regclass as classid, d.oid as objid, adbin::text as tree
      from pg_attrdef d join ${own} c on c.oid = adrelid
    union all select 'pg_constraint'::regclass, k.oid, conbin::text
      from pg_constraint k join ${own} c on c.oid = conrelid where conbin is not null
    union all select 'pg_class'::regclass, i.indexrelid, concat(indexprs::text, indpred::text)
      from pg_index i join ${own} c on c.oid = indrelid
    union all select 'pg_class'::regclass, partrelid, partexprs::text
      from pg_partitioned_table join ${own} c on c.oid = partrelid where partexprs is not null
    union all select 'pg_statistic_ext'::regclass, x.oid, stxexprs::text
      from pg_statistic_ext x join ${own} c on c.oid = stxrelid where stxexprs is not null
    union all select 'pg_rewrite'::regclass, r.oid, ev_action::text
      from pg_rewrite r join ${own} c on c.oid = ev_class
    union all select 'pg_proc'::regclass, p.oid, proargdefaults::text
      from pg_proc p where proowner = ${oidOf(owner)} and proargdefaults is not null
    union all select 'pg_trigger'::regclass, t.oid, concat(':funcid ', tgfoid, ' ', tgqual::text)
      from pg_trigger t join ${own} c on c.oid = tgrelid
      where not tgisinternal and not t::text = any(${[...present]}::text[])`;
}
