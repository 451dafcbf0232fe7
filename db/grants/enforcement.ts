/**
 * Runs statements as the role of a plugin. A statement is described once by the server, which executes nothing: that gives the
 * types of its parameters and columns. It is then sent as a call of the role's function, with its text and the values as
 * texts, which the statement casts; the columns are declared in the call, so results are decoded as those of any statement.
 * Only statements that read or write rows pass: the server would keep what others leave in the session, such as a cursor
 * `with hold`, whose rows are fetched with the rights of the account at the commit.
 */
import type { Description, SentStatement, StatementResult } from "../connection/connection_types.ts";
import type { EnforcedRole, Outgoing, Sender } from "../connection/enforced_role.ts";
import { textOf } from "../connection/values.ts";
import { GrantError, SchemaDenied, StatementRefused } from "../query/errors.ts";
import { type Grants, isDenied } from "../query/grants.ts";
import { ident } from "../query/quoting.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import { refusedWord } from "./function_text.ts";
import type { FunctionKind } from "./names.ts";
import { functionOf } from "./roles.ts";
import {
  isSeveral,
  isTableChange,
  readStatement,
  type StatementText,
  statementsOf,
  wordsOf,
} from "./statement_text.ts";
import type { StepLook } from "./step_functions.ts";

/** The functions that statements go through. */
interface Via {
  readonly rows: FunctionKind;
  readonly count: FunctionKind;
  /** Whether statements other than those on rows pass, and several in one text: the functions of a step are there for its time. */
  readonly isStep: boolean;
  /** Whether those of a step are sent singly, and blocks are refused. */
  readonly isSingle?: boolean;
}

const STATEMENTS: Via = { rows: "run", count: "exec", isStep: false };
const STEP: Via = { rows: "step_run", count: "step_exec", isStep: true };

/** A described statement, compiled for a role. */
interface Known {
  readonly statement: StatementText;
  readonly description: Description;
  /** The text that the function executes. */
  readonly inner: string;
  /** The call of the function; the text of the statement is its first parameter. */
  readonly outer: string;
  readonly carried: SentStatement;
  readonly rows: boolean;
  /** The state of the functions that `step_look` has shown, for a statement that makes or alters a table. */
  readonly looked?: string;
}

/** Descriptions that are kept; a text beyond is described again. */
const MAX_KNOWN = 2_000;
const MAX_KEPT_LENGTH = 100_000;
const INSUFFICIENT_PRIVILEGE = "42501";
const MISMATCH = "42804";
const WRITES: ReadonlySet<string> = new Set(["insert", "update", "delete", "merge"]);
/** Names of common types by oid, with their schema; others are asked of the server. */
const TYPE_NAMES = new Map<number, string>(
  Object.entries({
    16: "bool",
    17: "bytea",
    20: "int8",
    21: "int2",
    23: "int4",
    25: "text",
    114: "json",
    199: "_json",
    700: "float4",
    701: "float8",
    1000: "_bool",
    1007: "_int4",
    1009: "_text",
    1015: "_varchar",
    1016: "_int8",
    1043: "varchar",
    1082: "date",
    1114: "timestamp",
    1184: "timestamptz",
    1185: "_timestamptz",
    1186: "interval",
    1700: "numeric",
    2950: "uuid",
    2951: "_uuid",
    3802: "jsonb",
    3807: "_jsonb",
  }).map(([oid, name]) => [Number(oid), `pg_catalog.${name}`]),
);

/** The role that owns what the migrations of a plugin make, during one step (`owner_role.ts`). */
export function ownerRole(plugin: string, isSingle: boolean): EnforcedRole {
  return enforcedRole(plugin, { read: [], write: [] }, { ...STEP, isSingle });
}

/** The role of a plugin. */
export function enforcedRole(plugin: string, grants: Grants, via: Via = STATEMENTS): EnforcedRole {
  const known = new Map<string, Known>();
  const types = new Map(TYPE_NAMES);
  const readable = new Set([...grants.read, ...grants.write]);

  async function learn(sender: Sender, text: string): Promise<Known> {
    const parts = via.isStep ? statementsOf(text) : [];
    if (parts.some(isTableChange) || (via.isSingle && parts.length > 1)) return learnSingly(sender, parts);
    const statement = readStatement(text);
    if (via.isSingle && statement.kind === undefined) await checkSingle(plugin, sender, text);
    if (via.isStep && (statement.kind === undefined || isSeveral(text)))
      return undescribed(plugin, text, statement, via);
    if (statement.kind === undefined) throw new StatementRefused(plugin, text);
    const description = await sender.describe(text);
    const oids = [...description.types, ...description.columns.map(({ type }) => type)];
    const missing = [...new Set(oids)].filter((oid) => !types.has(oid));
    if (missing.length > 0)
      // The columns are those of TYPES, which the type of an answer cannot know.
      for (const { oid, name } of (await sender.send(TYPES, [missing])) as unknown as { oid: number; name: string }[])
        types.set(oid, name);
    const made = compiled(plugin, { statement, description, types, via, carried: { text, plugin } });
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string);
    if (text.length <= MAX_KEPT_LENGTH) known.set(text, made);
    return made;
  }

  /** Runs all but the last of the statements of a text, and learns that. */
  async function learnSingly(sender: Sender, parts: readonly string[]): Promise<Known> {
    for (const [at, text] of parts.entries()) {
      const made = isTableChange(text) ? await tableChange(plugin, sender, text) : await learn(sender, text);
      if (at === parts.length - 1) return made;
      const { text: outer, parameters, carried, errorOf } = ready(made, text, []);
      await sender.send(outer, parameters, carried).catch((error: unknown) => {
        throw errorOf(error);
      });
    }
    throw new TypeError("A text has no statements");
  }

  function ready(made: Known, text: string, parameters: readonly unknown[]): Outgoing {
    const { types: oids, serialize } = made.description;
    const values = oids.map((oid, at) => textOf(parameters[at], at + 1, (value) => serialize(oid, value)));
    return {
      text: made.outer,
      parameters: [made.inner, ...(made.looked === undefined ? [] : [made.looked]), ...values],
      carried: made.carried,
      read: (result) => resultOf(made, result),
      isStale: (error) => codeOf(error) === MISMATCH && known.delete(text),
      errorOf: (error) => (codeOf(error) === INSUFFICIENT_PRIVILEGE ? denial(error, made.statement) : error),
    };
  }

  function denial(error: unknown, { kind = "select", target }: StatementText): unknown {
    if (via.isStep) return new SchemaDenied(plugin, error);
    const found = /^permission denied for (?:table|view|relation|sequence|column) "?(.+?)"?$/.exec(messageOf(error));
    const table = found?.[1] ?? target;
    if (!found || table === undefined) return new StatementRefused(plugin, messageOf(error), { cause: error });
    const wanted = readable.has(table) || (WRITES.has(kind) && table === target) ? "write" : "read";
    const columns = readable.has(table) ? undefined : grants.columns?.[table];
    return new GrantError(plugin, table, wanted, { denied: isDenied(grants, table, wanted), cause: error, columns });
  }

  return {
    outgoing(sender, text, parameters) {
      const made = known.get(text);
      if (made) return ready(made, text, parameters);
      return learn(sender, text).then((learned) => ready(learned, text, parameters));
    },
    describe: async (sender, text) => (known.get(text) ?? (await learn(sender, text))).description,
  };
}

/** Names of types; "" for pseudo-types, which columns of a call cannot have, except for records. */
const TYPES = `select t.oid::int4 as oid, case when t.typtype = 'p' and t.typname <> 'record' then ''
    else pg_catalog.format('%I.%I', n.nspname, t.typname) end as name
  from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace where t.oid = any($1::int4[]::oid[])`;

interface Parts {
  readonly statement: StatementText;
  readonly description: Description;
  readonly types: ReadonlyMap<number, string>;
  readonly carried: SentStatement;
  readonly via: Via;
}

/** Statements of a step that change the schema, and several in one text: they have neither parameters nor rows. */
function undescribed(plugin: string, text: string, statement: StatementText, { count }: Via): Known {
  const outer = `select ${functionOf(count, plugin)}($1, array[]::text[]) as n`;
  const description: Description = { types: [], columns: [], serialize: String };
  return { statement, description, inner: text, outer, carried: { text, plugin }, rows: false };
}

/** Refuses several statements, which the server parses as one, and blocks. */
async function checkSingle(plugin: string, sender: Sender, text: string): Promise<void> {
  if (wordsOf(text)[0] === "do") throw new SchemaDenied(plugin, "Found a block in a step of a plugin with content");
  await sender.describe(text);
}

/** A statement of a step that makes or alters a table, and may refer to those of others: see `step_functions.ts`. */
async function tableChange(plugin: string, sender: Sender, text: string): Promise<Known> {
  // The server parses it, and refuses several statements.
  await sender.describe(text);
  const [answer] = await sender.send(`select ${functionOf("step_look", plugin)}() as found`, [], { text, plugin });
  const { state, functions } = (answer as { found: StepLook }).found;
  for (const { name, source } of functions) {
    const word = refusedWord(source);
    if (word !== undefined) throw new SchemaDenied(plugin, `Found "${word}" in the function ${name}`);
  }
  const outer = `select ${functionOf("step_refer", plugin)}($1, $2) as n`;
  return { ...undescribed(plugin, text, readStatement(text), STEP), outer, looked: state };
}

function compiled(plugin: string, { statement, description, types, via, carried }: Parts): Known {
  const typed = statement.parameters.map((n) => `(($1)[${n}])::${types.get(description.types[n - 1] ?? 0)}`);
  let inner = statement.texts.map((text, at) => text + (typed[at] ?? "")).join("");
  const { columns } = description;
  const values = description.types.map((_, at) => `$${at + 2}`).join(", ");
  const args = `($1, array[${values}]::text[])`;
  const shared = { statement, description, carried };
  if (columns.length === 0 && statement.kind !== "select")
    return { ...shared, inner, outer: `select ${functionOf(via.count, plugin)}${args} as n`, rows: false };
  const own = columns.map((_, at) => `c${at + 1}`);
  // Columns of pseudo-types, such as void, are shown as their text, as the driver would.
  const isPseudo = (type: number) => types.get(type) === "";
  if (columns.some(({ type }) => isPseudo(type)))
    inner = `select ${columns.map(({ type }, at) => (isPseudo(type) ? `${own[at]}::text` : own[at])).join(", ")}
      from (${inner}\n) as t(${own.join(", ")})`;
  const declared = columns.map(({ type }, at) => `${own[at]} ${isPseudo(type) ? "text" : types.get(type)}`);
  const shown = columns.map(({ name }, at) => `${own[at]} as ${ident(name)}`);
  const call = `${functionOf(via.rows, plugin)}${args}`;
  // RETURN QUERY needs columns: a select of none has one that is not shown.
  if (columns.length === 0)
    return {
      ...shared,
      inner: `select null::text from (${inner}\n) as t`,
      outer: `select from ${call} as t(c1 text)`,
      rows: true,
    };
  return {
    ...shared,
    inner,
    outer: `select ${shown.join(", ")} from ${call} as t(${declared.join(", ")})`,
    rows: true,
  };
}

function resultOf({ statement: { kind = "select" }, rows }: Known, result: StatementResult) {
  if (!rows) return { rows: [], affected: WRITES.has(kind) ? BigInt((result[0] as { n: number }).n) : undefined };
  // A plain array: that of postgres.js refers to the statement.
  const found = result.slice() as unknown[];
  return { rows: found, affected: WRITES.has(kind) ? BigInt(found.length) : undefined };
}
