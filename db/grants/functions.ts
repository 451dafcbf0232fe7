/**
 * The functions that run a plugin's statements. They are SECURITY DEFINER and owned by the plugin's role, so the server checks
 * its grants, and refuses SET and RESET ROLE, session authorization and transaction commands within. Values come as an array
 * of texts, which the statement casts. After the statement they release the session's advisory locks (the runtime holds
 * none across statements), and refuse a statement that changed settings of the session, which outlive it: the error
 * undoes the change.
 */
import { createHash } from "node:crypto";
import { ident, literal } from "../query/quoting.ts";
import { functionName, GRANTS_SCHEMA } from "./names.ts";

/** Settings that decide what later statements of a session mean, and whether they run and are durable. */
const KEPT_SETTINGS = [
  "search_path",
  "TimeZone",
  "DateStyle",
  "IntervalStyle",
  "standard_conforming_strings",
  "client_encoding",
  "bytea_output",
  "extra_float_digits",
  "array_nulls",
  "transform_null_equals",
  "default_text_search_config",
  "gin_fuzzy_search_limit",
  "xmlbinary",
  "xmloption",
  "row_security",
  "synchronous_commit",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "idle_session_timeout",
  "transaction_read_only",
  "default_transaction_read_only",
  "default_transaction_isolation",
  "default_tablespace",
  "default_table_access_method",
  "default_toast_compression",
  "temp_tablespaces",
  "default_transaction_deferrable",
  "transaction_timeout",
  "exit_on_error",
  "client_connection_check_interval",
  "client_min_messages",
  "application_name",
  "quote_all_identifiers",
  "restrict_nonsystem_relation_kind",
  "check_function_bodies",
  "plpgsql.extra_errors",
  "plpgsql.check_asserts",
  "backslash_quote",
  "timezone_abbreviations",
  "lc_monetary",
  "lc_numeric",
  "lc_time",
  "tcp_keepalives_idle",
  "tcp_keepalives_interval",
  "tcp_keepalives_count",
  "tcp_user_timeout",
  "createrole_self_grant",
];

/** Null for a setting that the server does not know: some came with later versions. */
const SETTINGS = `array[${KEPT_SETTINGS.map((name) => `pg_catalog.current_setting(${literal(name)}, true)`).join(", ")}]`;

/** One condition, since PERFORM would begin and end a query; the result of the first function is never null. */
const AFTER = `if pg_catalog.pg_advisory_unlock_all() is null or not (kept operator(pg_catalog.=) ${SETTINGS}) then
    raise exception using errcode = 'insufficient_privilege',
      message = 'a statement of a plugin cannot change settings of the session';
  end if;`;

const BODIES = {
  run: `
declare kept pg_catalog.text[] := ${SETTINGS};
begin
  return query execute q using args;
  ${AFTER}
end `,
  exec: `
declare kept pg_catalog.text[] := ${SETTINGS}; n pg_catalog.int8;
begin
  execute q using args;
  get diagnostics n = row_count;
  ${AFTER}
  return n;
end `,
};

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const HASHES = { run: md5(BODIES.run), exec: md5(BODIES.exec) };

/** A function as it has to be. */
export interface WantedFunction {
  readonly name: string;
  /** The MD5 of its source, as pg_proc.prosrc shows it. */
  readonly hash: string;
  /** As pg_proc.proconfig shows it. */
  readonly config: string;
  /** SQL that creates it, run as the plugin's role; `account` may execute it. */
  create(account: string): string;
}

/** The two functions of a plugin, with their search_path. */
export function functionsOf(plugin: string, path: string): WantedFunction[] {
  return (["run", "exec"] as const).map((kind) => {
    const name = functionName(kind, plugin);
    const full = `${GRANTS_SCHEMA}.${ident(name)}`;
    const source = BODIES[kind];
    return {
      name,
      hash: HASHES[kind],
      config: `search_path=${path}`,
      create: (account) => `create function ${full}(q text, args text[])
        returns ${kind === "run" ? "setof record" : "bigint"} language plpgsql security definer
        set search_path = ${path} as $lectern$${source}$lectern$;
        revoke all on function ${full}(text, text[]) from public;
        grant execute on function ${full}(text, text[]) to ${ident(account)};`,
    };
  });
}

/**
 * The source of such a function for a step, with further variables: `after` follows each statement, `handler` is what follows an error,
 * with the end.
 */
export function stepBody(kind: "run" | "exec", declared: string, after: string, handler: string): string {
  return BODIES[kind]
    .replace("declare ", `declare ${declared}`)
    .replace(AFTER, `${AFTER}\n  ${after}`)
    .replace(/end $/, handler);
}
