/**
 * SQL of plugins that do not ship, in statements of others. These run with the rights of the account, or of the plugin that sends
 * them, so nothing of it stands there as its plugin wrote it: conditions and texts are expressions whose trees are checked against the
 * plugin's grants (`db/query/checked_expression.ts`), and selected fields are read by a statement of the plugin's own. Names
 * that become parts of statements and triggers are those of tables that the plugin was granted.
 */
import { type Expression, sql } from "kysely";
import {
  checkedExpression,
  type Db,
  type ExpressionPlace,
  ExpressionRefused,
  GrantError,
  isDenied,
  rows,
} from "../../db/mod.ts";
import type { ContentKind, ResponseFields, Searchable } from "../contracts/content.ts";
import { BootError } from "../errors.ts";
import type { AnswerSource, TableDependency } from "../events/cached_answers.ts";
import type { VisibilityReads, VisibilityRule } from "../resources/visibility.ts";

/** Whose SQL it is and what it may name. */
export type GivenSql = Omit<ExpressionPlace, "over">;

/** What the check of a contribution needs beside it. */
export interface Contributing {
  readonly given: GivenSql;
  /** The plugin's own store. */
  readonly db: Db;
  /** The kinds of content that were contributed so far. */
  readonly kinds: readonly ContentKind[];
}

/** Names that are put into statements: of kinds, tables and columns. */
const NAME = /^[A-Za-z][\w-]{0,62}$/;

/** A contribution as other plugins may use it. Throws BootError, GrantError and ExpressionRefused. */
export function fencedContribution<C>(slot: string, contribution: C, contributing: Contributing): C {
  const fence = Object.hasOwn(FENCES, slot) ? FENCES[slot as keyof typeof FENCES] : undefined;
  // Each fence takes and returns what its slot declares.
  return fence
    ? (fence(contribution as never, contributing) as unknown as C)
    : fencedService(contribution, contributing.given);
}

const FENCES = {
  content: fencedKind,
  searchable: fencedText,
  response_fields: fencedFields,
  page_content: (hook: { dependsOn?: readonly TableDependency[] }, { given }: Contributing) => {
    checkDependencies(given, hook.dependsOn);
    return hook;
  },
};

/** A rule whose conditions are checked; one that a shipped service made stays as it is. Throws GrantError for `reads` beyond the grants. */
export function fencedRule(
  given: GivenSql,
  table: string,
  rule: VisibilityRule,
  reads: VisibilityReads = {},
): VisibilityRule {
  if (TRUSTED.has(rule)) return rule;
  const all = [reads, rule.reads ?? {}];
  for (const one of all)
    for (const [name, columns] of Object.entries(one) as [string, readonly string[]][])
      for (const column of columns) checkReadable(given, name, column);
  return (viewer) => {
    const condition = rule(viewer);
    return condition === true ? true : checkedExpression(condition, { ...given, over: [table] });
  };
}

/** Visibility rules that services of shipped plugins have made: their SQL is that of Lectern. */
const TRUSTED = new WeakSet<object>();

/** Services of plugins that do not ship. */
const FENCED = new WeakSet<object>();

/** Notes that a plugin which does not ship provides a service. Returns it. */
export function notedFenced<Service>(service: Service): Service {
  if (typeof service === "object" && service !== null) FENCED.add(service);
  return service;
}

/** Functions of services that make SQL for the caller's own statement of the SQL of a column, such as `users.ref`. */
const OF_COLUMNS: ReadonlySet<string> = new Set(["of", "ref"]);

/**
 * A service for a plugin that does not ship, `own` as it calls it: SQL is no value for it, and rules that a shipped one makes are known
 * as such, and cannot be altered.
 */
export function servedApart<Service>(service: unknown, own: Service, given: GivenSql): Service {
  if (typeof own !== "object" || own === null) return own;
  const isTrusted = !FENCED.has(Object(service));
  const members = Object.entries(own).flatMap(([name, call]) => {
    if (typeof call !== "function") return [];
    const noting = function (this: unknown, ...args: unknown[]) {
      if (!OF_COLUMNS.has(name)) for (const arg of args) withoutSql(arg, given);
      const made: unknown = call.apply(this, args);
      if (isTrusted && typeof made === "function") TRUSTED.add(Object.freeze(made));
      return made;
    };
    return [[name, { value: noting, enumerable: true }]];
  });
  // No prototype of it has the members without the checks, which a plugin would find there.
  const isPlain = Object.getPrototypeOf(own) === Object.prototype;
  const kept = isPlain ? Object.getOwnPropertyDescriptors(own) : {};
  return Object.create(isPlain ? Object.prototype : own, { ...kept, ...Object.fromEntries(members) });
}

function fencedKind(kind: ContentKind, { given }: Contributing): ContentKind {
  const { selectContents, ...own } = kind;
  const names = [
    own.kind,
    own.table,
    own.segment,
    ...own.columns,
    ...own.parents.flatMap((one) => [one.kind, one.column]),
  ];
  for (const name of own.ownOnly === undefined ? names : [...names, own.ownOnly])
    if (!NAME.test(name))
      throw new BootError(
        `The plugin "${given.plugin}" contributes the kind "${own.kind}" with "${name}": wanted letters, digits, "_" and "-" alone`,
      );
  // Others show, move, restore and delete its rows.
  if (!given.grants.write.includes(own.table))
    throw new GrantError(given.plugin, own.table, "write", { denied: isDenied(given.grants, own.table, "write") });
  if (selectContents && !own.contents)
    throw new BootError(
      `The plugin "${given.plugin}" contributes the kind "${own.kind}" with "selectContents" alone, whose SQL is read by other ` +
        `plugins: wanted "contents", which reads its entries by a statement of its own`,
    );
  checkDependencies(given, own.contentsDependOn);
  return { ...own, path: checkedExpression(own.path, { ...given, over: [own.table] }) };
}

function fencedText(text: Searchable, { given, kinds }: Contributing): Searchable {
  const over = kinds.filter(({ kind }) => kind === text.kind).map(({ table }) => table);
  if (over.length === 0)
    throw new BootError(
      `The plugin "${given.plugin}" contributes to "searchable" for the kind "${text.kind}" before it is contributed to "content"`,
    );
  const place = { ...given, over };
  return {
    ...text,
    body: checkedExpression(text.body, place),
    ...(text.html && { html: checkedExpression(text.html, place) }),
  };
}

/** Fields that are selected with an item are read by a second statement, as the plugin's role, for all items of an answer. */
function fencedFields(fields: ResponseFields, { given, db }: Contributing): ResponseFields {
  checkDependencies(given, fields.cached?.dependsOn);
  const { select, present, ...own } = fields;
  if (!select || own.moment !== "read") return own;
  return {
    ...own,
    async add(ids, viewer) {
      const selected = await rows(
        db,
        sql<{ id: number; fields: Record<string, unknown> | null }>`
          select item.id, ${select.call(fields, sql.ref("item.id"), viewer) ?? sql`null`} as fields
          from unnest(${[...ids]}::integer[]) as item(id)`,
      );
      const shown = selected.map(async (row): Promise<[number, Record<string, unknown>]> => {
        const found = row.fields ?? {};
        return [row.id, (await present?.call(fields, found, viewer)) ?? found];
      });
      return new Map(await Promise.all(shown));
    },
  };
}

/**
 * A service or contribution whose functions may return SQL: it is checked, over the tables of the columns that they are called with. SQL
 * that is a member itself is refused.
 */
export function fencedService<Service>(service: Service, given: GivenSql): Service {
  if (typeof service === "function") return fencedCall(service as unknown as Call, given, []) as unknown as Service;
  if (typeof service !== "object" || service === null || Object.getPrototypeOf(service) !== Object.prototype)
    return service;
  const members = Object.entries(Object.getOwnPropertyDescriptors(service)).map(([name, member]) => {
    if (isSql(member.value)) throw new ExpressionRefused(given.plugin, `the member "${name}"`, []);
    return [
      name,
      typeof member.value === "function" ? { ...member, value: fencedCall(member.value as Call, given, []) } : member,
    ];
  });
  return Object.create(Object.prototype, Object.fromEntries(members)) as Service;
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** A function, with what it returns checked; a function that it returns is one too, such as a rule. */
function fencedCall(call: Call, given: GivenSql, outer: readonly string[]): Call {
  return function (...args) {
    const made = call.apply(this, args);
    if (typeof made !== "function" && !isSql(made)) return made;
    const over = [...new Set([...outer, ...args.flatMap(tablesIn)])].filter((table) => mayRead(given, table));
    if (typeof made === "function") return Object.assign(fencedCall(made as Call, given, over), made);
    return checkedExpression(made, { ...given, over });
  };
}

/** The tables of columns, as `sql.ref` names them, and a table by its name. */
function tablesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const names: string[] = [];
  if (isSql(value))
    JSON.stringify(value.toOperationNode(), (key, node) => {
      if (key === "table" && node?.kind === "TableNode") names.push(node.table.identifier.name);
      return node;
    });
  return names;
}

function mayRead({ grants }: GivenSql, table: string): boolean {
  return grants.read.includes(table) || grants.write.includes(table) || Object.hasOwn(grants.columns ?? {}, table);
}

function isSql(value: unknown): value is Expression<unknown> {
  return typeof value === "object" && value !== null && "toOperationNode" in value;
}

/**
 * A value that a plugin gives to others, such as a draft that it has filtered: they put it into their statements, where SQL in the place of a
 * text or a number would run. Throws ExpressionRefused for SQL at any depth.
 */
export function withoutSql<V>(value: V, { plugin }: GivenSql): V {
  const seen = new Set<unknown>();
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined || open.length > 0; one = open.pop()) {
    if (typeof one !== "object" || one === null || seen.has(one) || ArrayBuffer.isView(one)) continue;
    if (isSql(one)) throw new ExpressionRefused(plugin, "SQL in the place of a value", []);
    seen.add(one);
    if (one instanceof Map) open.push(...one.keys(), ...one.values());
    else open.push(...(one instanceof Set ? one : Object.values(one)));
  }
  return value;
}

/** A source of cached answers. Throws GrantError for tables that the plugin may not read. */
export function fencedAnswers<A extends object>(given: GivenSql, source: AnswerSource<A>): AnswerSource<A> {
  checkDependencies(given, [...(source.notes ?? []), ...(source.aliasNotes ?? [])]);
  const dependsOn = () => {
    const found = source.dependsOn();
    checkDependencies(given, found);
    return found;
  };
  return Object.create(source, { dependsOn: { value: dependsOn } });
}

/** Triggers are made for what answers depend on. */
function checkDependencies(given: GivenSql, dependencies: readonly TableDependency[] = []): void {
  for (const { table, column, only = [] } of dependencies) {
    if (column === undefined && only.length === 0) checkReadable(given, table);
    for (const name of column === undefined ? only : [column, ...only]) checkReadable(given, table, name);
  }
}

/** Throws GrantError for a table, or a column of one, that the plugin may not read. Without a column some have to be readable. */
function checkReadable({ plugin, grants }: GivenSql, table: string, column?: string): void {
  if (grants.read.includes(table) || grants.write.includes(table)) return;
  const columns = grants.columns?.[table];
  if (columns && (column === undefined || columns.includes(column))) return;
  throw new GrantError(plugin, table, "read", {
    denied: isDenied(grants, table, "read"),
    columns,
    ...(columns && column !== undefined && { column }),
  });
}
