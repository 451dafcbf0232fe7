/**
 * Has another server than that of the tests plan the statements that the tests sent (`harness/sent_statements.ts`), in place of
 * running every test there again. A runtime of everything that ships boots over a copy of the template, as boots create columns and
 * triggers and give roles their grants. Each statement is then prepared, and explained with a generic plan, as the role of its
 * plugin and with the search_path of that role's function. So the server parses it, finds its tables, columns, functions,
 * operators and types, plans it, and checks the rights of the role. It executes nothing.
 *
 * A refusal is a finding, with two exceptions, which are counted: the server of the tests refused the statement too, each time
 * and for the same class of reasons; or it has a table that is no shipped plugin's, but one of a test or of a test's plugin, or
 * is of such a plugin and calls a function that it may have made.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore, type Store } from "lectern/db";
import { readStatement } from "../../../db/grants/statement_text.ts";
import plugins from "../../../plugins/mod.ts";
import type { SentByTest } from "../harness/sent_statements.ts";
import { bootTestRuntime } from "../harness/test_runtime.ts";

/** A server, and a database there to copy: the template of `shareServer`, or an empty one. */
export interface PlanningServer {
  readonly url: string;
  readonly template: string;
}

/** What came of the statements; the numbers are of distinct texts by plugin. */
export interface PlannedStatements {
  /** The version of the server. */
  readonly version: string;
  readonly planned: number;
  /** How many of those were planned as the account, since their plugin does not ship and has no role there. */
  readonly asAccount: number;
  /** What is not planned, such as DDL, and texts of several statements. */
  readonly utility: number;
  readonly refusedByBoth: number;
  /** How many are left out, by the table that is no shipped plugin's, or the function of a plugin that does not ship. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** The findings: the plugin, the error and the statement of each. */
  readonly refused: readonly string[];
}

/** A statement of one plugin, with the SQLSTATEs of its answers; "" where it ran. */
interface Recorded {
  readonly text: string;
  readonly plugin: string;
  readonly codes: Set<string>;
}

/** A role and the search_path of its statements, as SQL. */
interface Role {
  readonly role: string;
  readonly path: string;
}

/** An error of the server. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

type Session = Awaited<ReturnType<Store["sql"]["reserve"]>>;

const UNDEFINED_TABLE = "42P01";
const UNDEFINED_FUNCTION = "42883";
/** What PostgreSQL says of a text of several statements; also stands for what no server plans. */
const NOT_PLANNED: Refusal = { code: "42601", message: "cannot insert multiple commands into a prepared statement" };

/** The distinct statements that the processes of a run recorded in a folder. */
export function recordedStatements(folder: string): Recorded[] {
  const found = new Map<string, Recorded>();
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean)) {
      const { text, plugin, code } = JSON.parse(line) as SentByTest;
      const key = JSON.stringify([plugin, text]);
      const one = found.get(key) ?? { text, plugin, codes: new Set() };
      found.set(key, one);
      one.codes.add(code);
    }
  return [...found.values()];
}

/** Has a server plan the statements that were recorded in a folder. */
export async function planStatements(folder: string, { url, template }: PlanningServer): Promise<PlannedStatements> {
  const admin = await openStore({ databaseUrl: url, dataDir: "", poolSize: 2 });
  const database = `${template}_planned`;
  const address = new URL(url);
  address.pathname = `/${database}`;
  await admin.sql.unsafe(`create database ${database} template ${template}`);
  try {
    const runtime = await bootTestRuntime({ on: { databaseUrl: address.href }, env: { PLUGIN_ROLES: "all" } });
    try {
      return await planAll(runtime.store, recordedStatements(folder));
    } finally {
      await runtime.stop();
    }
  } finally {
    await admin.sql.unsafe(`drop database ${database} with (force)`);
    await admin.close();
  }
}

async function planAll({ sql }: Store, statements: readonly Recorded[]): Promise<PlannedStatements> {
  const session = await sql.reserve();
  const [server] = await session<{ version: string }[]>`select current_setting('server_version') as version,
    (select set_config('lc_messages', 'C', false) from pg_roles where rolname = current_user and rolsuper)`;
  const [roles, shipped] = [await rolesIn(session), await shippedTables(session)];
  const counts = { planned: 0, asAccount: 0, utility: 0, refusedByBoth: 0 };
  const leftOut: Record<string, number> = {};
  const refused = statements.length === 0 ? ["Nothing was recorded"] : [];
  for (const { text, plugin, codes } of statements) {
    const role = roles.get(plugin);
    const refusal = isPlannable(text) ? await refusalOf(session, text, role) : NOT_PLANNED;
    if (refusal === undefined) {
      counts.planned += 1;
      if (plugin !== "" && !role) counts.asAccount += 1;
      continue;
    }
    const foreign = foreignTable(refusal, shipped) ?? ownFunction(refusal, plugin);
    if (refusal.message === NOT_PLANNED.message) counts.utility += 1;
    else if ([...codes].every((code) => classOf(code) === classOf(refusal.code))) counts.refusedByBoth += 1;
    else if (foreign !== undefined) leftOut[foreign] = (leftOut[foreign] ?? 0) + 1;
    else refused.push(`${plugin || "the account"}: ${refusal.message} (${refusal.code})\n${text}`);
  }
  session.release();
  return { version: server?.version.split(" ")[0] ?? "", ...counts, leftOut, refused };
}

/** Whether a text begins with a statement that reads or writes rows. */
function isPlannable(text: string): boolean {
  const { kind } = readStatement(text);
  return kind !== undefined && kind !== "lock";
}

/** Plans a statement as a role, or as the account. */
async function refusalOf(session: Session, text: string, as: Role | undefined): Promise<Refusal | undefined> {
  const values = Array(Math.max(0, ...readStatement(text).parameters)).fill("null");
  const role = as ? `set local search_path = ${as.path}; set local role ${as.role};` : "";
  // Sent at once: what follows a refusal is refused with the transaction, until its end.
  const outcomes = await Promise.allSettled([
    session.unsafe(`begin; set local plan_cache_mode = force_generic_plan; ${role}`),
    // The simple protocol would execute what follows the statement.
    session.unsafe(`prepare one as ${text}`, [], { simple: false } as object),
    session.unsafe(`explain execute one${values.length > 0 ? `(${values.join()})` : ""}`),
    session.unsafe("rollback; deallocate all"),
  ]);
  return outcomes.find((outcome) => outcome.status === "rejected")?.reason as Refusal | undefined;
}

/** The class of an SQLSTATE. */
function classOf(code: string): string {
  return code.slice(0, 2);
}

/** The table that a statement lacks, if it is no shipped plugin's. */
function foreignTable({ code, message }: Refusal, shipped: ReadonlySet<string>): string | undefined {
  const table = code === UNDEFINED_TABLE ? /^relation "(.+)" does not exist$/.exec(message)?.[1] : undefined;
  return table !== undefined && shipped.has(table) ? undefined : table;
}

/** The function that a statement of a plugin that does not ship lacks. */
function ownFunction({ code, message }: Refusal, plugin: string): string | undefined {
  if (code !== UNDEFINED_FUNCTION || plugin === "" || plugins.some(({ name }) => name === plugin)) return undefined;
  return /^function (.+) does not exist$/.exec(message)?.[1];
}

/** The roles by plugin, as the functions that run their statements have them. */
async function rolesIn(session: Session): Promise<ReadonlyMap<string, Role>> {
  const found = await session<(Role & { plugin: string })[]>`
    select substr(proname, 5) as plugin, proowner::regrole::text as role, substr(proconfig[1], 13) as path
    from pg_proc where pronamespace = 'lectern_grants'::regnamespace and starts_with(proname, 'run:')`;
  return new Map(found.map(({ plugin, ...role }) => [plugin, role]));
}

/** Tables and views that are there, and those that a shipped plugin names though they are not. */
async function shippedTables(session: Session): Promise<ReadonlySet<string>> {
  const found = await session<{ name: string }[]>`select relname as name from pg_class`;
  const named = plugins.flatMap(({ grants: { read = [], write = [] } }) => [...read, ...write]);
  return new Set([...found.map(({ name }) => name), ...named]);
}
