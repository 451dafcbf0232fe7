/**
 * The functions that run the statements of one step of a plugin's migrations, and exist for its time. Between two statements the
 * runtime reads catalogs and parses the next one with the rights of the account. So no statement leaves behind what would be called
 * there: a domain whose check the parser evaluates, an operator or a function that fits better than that of the server, a cast, and
 * no prepared statement, which could stand for one of the runtime's.
 *
 * Foreign keys are checked with the rights of the table that they refer to, which is the account's, and with casts that the type of a
 * column may have. So the owner has the right to refer to tables of others during statements that make or alter a table alone, in
 * which no function of the plugin can make a cast: the texts of these functions are looked at before. Triggers that count rows of
 * tables of content also run with rights of others. Where the plugin has such a table its statements are sent singly, without blocks,
 * and its functions make nothing, so that no cast is there while a trigger runs.
 */

import { ident, literal } from "../query/quoting.ts";
import { stepBody } from "./functions.ts";
import { type FunctionKind, functionName, GRANTS_SCHEMA } from "./names.ts";

/** The place of a step. */
export interface StepPlace {
  readonly plugin: string;
  readonly owner: string;
  readonly account: string;
  /** The search_path of its statements. */
  readonly path: string;
  /** Whether statements are sent singly, since functions of others run for rows of the plugin's tables. */
  readonly isSingle: boolean;
  /** What foreign keys may refer to, as `on table …`. */
  readonly referable: readonly string[];
}

/** What `step_look` returns. */
export interface StepLook {
  /** A digest of the functions of the plugin. */
  readonly state: string;
  readonly functions: readonly { readonly name: string; readonly source: string }[];
}

/** The functions of a step. */
export interface StepFunctions {
  /** SQL that creates those of the owner, run as the owner. */
  readonly ofOwner: readonly string[];
  /** SQL that creates those of the account. */
  readonly ofAccount: readonly string[];
  /** SQL that drops them all. */
  readonly drop: readonly string[];
}

const REFUSED = "using errcode = 'insufficient_privilege', message =";
/** SQL: the oid of the owner, as who the statements run. Operators have their schema, since the statement may have made others. */
const ME = "(select oid from pg_catalog.pg_roles where rolname operator(pg_catalog.=) current_user)";
const IS_CATALOG = "operator(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid";

/** Variables of the functions: those that the runtime has prepared, and a name. */
const DECLARED = `held pg_catalog.text[] := array(select s.name from pg_catalog.pg_prepared_statements s where not s.from_sql);
  prepared pg_catalog.text; `;

/** Rows of a cursor with hold are fetched at the commit, with the rights of the account. */
const AFTER_STATEMENT = `if exists (select from pg_catalog.pg_cursors where is_holdable) then
    raise exception ${REFUSED} 'a migration of a plugin cannot leave a cursor open';
  end if;
  if exists (select from pg_catalog.pg_prepared_statements where from_sql)
      or exists (select from pg_catalog.unnest(held) as was(name) where not exists (select from pg_catalog.pg_prepared_statements s
        where s.name operator(pg_catalog.=) was.name)) then
    raise exception ${REFUSED} 'a migration of a plugin cannot prepare or forget statements';
  end if;
  if exists (select from pg_catalog.pg_type where typowner operator(pg_catalog.=) ${ME}
      and typtype operator(pg_catalog.=) any (array['d', 'r', 'm']::pg_catalog."char"[])) then
    raise exception ${REFUSED} 'a migration of a plugin cannot make domains and ranges';
  end if;
  if exists (select from pg_catalog.pg_operator where oprowner operator(pg_catalog.=) ${ME}) then
    raise exception ${REFUSED} 'a migration of a plugin cannot make operators';
  end if;
  if exists (select from pg_catalog.pg_cast k join pg_catalog.pg_type t
      on t.oid operator(pg_catalog.=) k.castsource or t.oid operator(pg_catalog.=) k.casttarget
      where t.typowner operator(pg_catalog.=) ${ME}) then
    raise exception ${REFUSED} 'a migration of a plugin cannot make casts';
  end if;
  if exists (select from pg_catalog.pg_proc p join pg_catalog.pg_proc other on other.proname operator(pg_catalog.=) p.proname
      where p.proowner operator(pg_catalog.=) ${ME} and other.pronamespace ${IS_CATALOG}) then
    raise exception ${REFUSED} 'a migration of a plugin cannot make functions of names that PostgreSQL has';
  end if;`;

/** Follows a statement where functions of others run for rows of the plugin's tables. */
const AFTER_SINGLE = `if exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) p.pronamespace
      where p.proowner operator(pg_catalog.=) ${ME} and n.nspname operator(pg_catalog.<>) '${GRANTS_SCHEMA}'
        and p.prosrc operator(pg_catalog.~*) '\\m(execute|create)\\M') then
    raise exception ${REFUSED} 'functions of a plugin with content cannot contain "execute" and "create"';
  end if;`;

/** Prepared statements outlast an error and the transaction. */
const FORGET = `exception when others or query_canceled or assert_failure then
  for prepared in select s.name from pg_catalog.pg_prepared_statements s where s.from_sql loop
    execute pg_catalog.format('deallocate %I', prepared);
  end loop;
  raise;
end `;

/** The functions of a step of a plugin. */
export function stepFunctionsOf(place: StepPlace): StepFunctions {
  const look = nameOf("step_look", place);
  const refer = nameOf("step_refer", place);
  return {
    ofOwner: [ofStatements("step_run", place), ofStatements("step_exec", place)],
    ofAccount: [
      `create function ${look}() returns pg_catalog.json language sql stable set search_path = pg_catalog
        as $lectern$${lookOf(place)}$lectern$`,
      `create function ${refer}(q text, looked text) returns bigint language plpgsql set search_path = pg_catalog
        as $lectern$${referOf(place)}$lectern$`,
      `revoke all on function ${look}(), ${refer}(text, text) from public`,
    ],
    drop: [
      ...["step_run" as const, "step_exec" as const].map(
        (kind) => `drop function if exists ${nameOf(kind, place)}(text, text[])`,
      ),
      `drop function if exists ${look}(), ${refer}(text, text)`,
    ],
  };
}

function nameOf(kind: FunctionKind, { plugin }: StepPlace): string {
  return `${GRANTS_SCHEMA}.${ident(functionName(kind, plugin))}`;
}

function ofStatements(kind: "step_run" | "step_exec", place: StepPlace): string {
  const name = nameOf(kind, place);
  const after = place.isSingle ? `${AFTER_STATEMENT}\n  ${AFTER_SINGLE}` : AFTER_STATEMENT;
  const source = stepBody(kind === "step_run" ? "run" : "exec", DECLARED, after, FORGET);
  return `create function ${name}(q text, args text[])
      returns ${kind === "step_run" ? "setof record" : "bigint"} language plpgsql security definer
      set search_path = ${place.path} as $lectern$${source}$lectern$;
    revoke all on function ${name}(text, text[]) from public;
    grant execute on function ${name}(text, text[]) to ${ident(place.account)}`;
}

function lookOf({ owner }: StepPlace): string {
  return `select json_build_object('state', md5(coalesce(string_agg(p::text, ',' order by p.oid), '')),
      'functions', coalesce(json_agg(json_build_object('name', p.oid::regprocedure::text,
        'source', coalesce(pg_get_function_sqlbody(p.oid), p.prosrc))), '[]'))
    from pg_proc p where proowner = (select oid from pg_roles where rolname = ${literal(owner)})
      and pronamespace <> '${GRANTS_SCHEMA}'::regnamespace`;
}

/** A statement that makes or alters a table, where the functions are still those that were looked at. */
function referOf(place: StepPlace): string {
  const each = (change: (on: string) => string) => place.referable.map((on) => `${change(on)};`).join("\n  ");
  return `
declare n bigint;
begin
  if looked is distinct from (${nameOf("step_look", place)}() ->> 'state') then
    raise exception ${REFUSED} 'functions were changed while a table was made or altered';
  end if;
  ${each((on) => `grant references ${on} to ${ident(place.owner)}`)}
  n := ${nameOf("step_exec", place)}(q, array[]::text[]);
  ${each((on) => `revoke references ${on} from ${ident(place.owner)}`)}
  return n;
end `;
}
