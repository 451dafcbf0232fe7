/**
 * SQL of plugins that do not ship, in statements of others. These run with the rights of the account, or of the plugin that sends
 * them, so nothing of it stands there as its plugin wrote it: conditions and texts are expressions whose trees are checked against the
 * plugin's grants (`db/query/checked_expression.ts`), and selected fields are read by a statement of the plugin's own. Names
 * that become parts of statements and triggers are those of tables that the plugin was granted.
 */
import { type Expression, sql } from "kysely";
import { checkedExpression, type Db, type ExpressionPlace, GrantError, isDenied, rows } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { AnswerSource, TableDependency } from "../events/cached_answers.ts";
import type { ContentKind, ResponseFields, Searchable, SearchedParts } from "../resources/content.ts";
import type { VisibilityReads, VisibilityRule } from "../resources/visibility.ts";
import { type Giving, givenValue, takenArguments } from "./given_values.ts";
import { type Call, readMembers } from "./read_members.ts";
import { readOnce } from "./read_once.ts";
import { isSql, isWhole } from "./whole_values.ts";

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
  const read = membersOnce(contribution, contributing.given.plugin);
  const { dependsOn } = Object(read) as { dependsOn?: readonly TableDependency[] };
  if (Array.isArray(dependsOn)) checkDependencies(contributing.given, dependsOn);
  // Each fence takes and returns what its slot declares.
  const checked = fence ? (fence(read as never, contributing) as C) : read;
  return fencedService(checked, contributing.given, `slot ${slot}`);
}

/** A contribution with its members read once, and what is in them: the fences check data that is used later. */
function membersOnce<C>(contribution: C, plugin: string): C {
  const read = readMembers(contribution, plugin);
  if (typeof read !== "object" || read === null || read === contribution) return readOnce(read);
  const members = Object.getOwnPropertyDescriptors(read);
  for (const member of Object.values<PropertyDescriptor>(members))
    if (!member.get) member.value = readOnce(member.value);
  return Object.create(Object.prototype, members) as C;
}

const FENCES = {
  content: fencedKind,
  searchable: fencedText,
  searched_parts: fencedParts,
  response_fields: fencedFields,
};

/** A rule whose conditions are checked; one of `access.visibilityRuleOf` stays as it is. Throws GrantError for `reads` beyond the grants. */
export function fencedRule(
  given: GivenSql,
  table: string,
  rule: VisibilityRule,
  reads: VisibilityReads = {},
): VisibilityRule {
  if (TRUSTED.has(rule)) return rule;
  const { dependsOn } = rule;
  const all = [reads, rule.reads ?? {}];
  for (const one of all)
    for (const [name, columns] of Object.entries(one) as [string, readonly string[]][])
      for (const column of columns) checkReadable(given, name, column);
  const checked: VisibilityRule = (viewer) => {
    const condition = rule(viewer);
    return condition === true ? true : checkedExpression(condition, { ...given, over: [table] });
  };
  return dependsOn === undefined ? checked : Object.assign(checked, { dependsOn });
}

/** Visibility rules that `visibilityRuleOf` of the contract "access" has made for plugins: their SQL is that of Lectern. */
const TRUSTED = new WeakSet<object>();

/** Services of plugins that do not ship. */
const FENCED = new WeakSet<object>();

/** Notes that a plugin which does not ship provides a service. Returns it. */
export function notedFenced<Service>(service: Service): Service {
  if (typeof service === "object" && service !== null) FENCED.add(service);
  return service;
}

/**
 * Functions of services and contributions that make SQL for the caller's own statement of the SQL of a column, such as `users.ref`.
 */
const OF_COLUMNS: ReadonlySet<string> = new Set(["of", "ref", "select", "selectContents", "selectOutline"]);
/** The function of "access" that makes visibility rules. */
const RULE_MAKER = "visibilityRuleOf";

/**
 * The service of a contract for a plugin that does not ship, `own` as it calls it: SQL is no value for it, and visibility rules that the
 * shipped one makes are known as such, and cannot be altered.
 */
export function servedApart<Service>(contract: string, service: unknown, own: Service, given: GivenSql): Service {
  const makesRules = contract === "access" && !FENCED.has(Object(service));
  return withValues(own, given, contract, (name, made) => {
    if (makesRules && name === RULE_MAKER && typeof made === "function") TRUSTED.add(Object.freeze(made));
  });
}

/** A contribution of another plugin for one that does not ship, `own` as it calls it: SQL is no value for its functions. */
export function readApart<Contribution>(slot: string, own: Contribution, given: GivenSql): Contribution {
  return withValues(own, given, `slot ${slot}`);
}

/** What a function has made for the plugin. */
type Note = (name: string, made: unknown) => void;

/** An object whose functions, or a function that, a plugin calls with copies of its values. */
function withValues<Given>(own: Given, given: GivenSql, place: string, note: Note = () => {}): Given {
  const calling = (call: Call, name: string, at: string): Call =>
    function (...args) {
      const giving = { plugin: given.plugin, place: `an argument of ${at}` };
      const made = call.apply(this, OF_COLUMNS.has(name) ? args : givenValue(args, giving));
      note(name, made);
      return made;
    };
  // It takes and returns what the function does.
  if (typeof own === "function") return calling(own as Call, "", place) as Given;
  if (typeof own !== "object" || own === null) return own;
  const members = Object.entries(own).flatMap(([name, call]) =>
    typeof call === "function"
      ? [[name, { value: calling(call as Call, name, `${place}.${name}`), enumerable: true }]]
      : [],
  );
  // No prototype of it has the members without the checks, which a plugin would find there.
  const isPlain = Object.getPrototypeOf(own) === Object.prototype;
  const kept = isPlain ? Object.getOwnPropertyDescriptors(own) : {};
  return Object.create(isPlain ? Object.prototype : own, { ...kept, ...Object.fromEntries(members) });
}

function fencedKind(kind: ContentKind, { given }: Contributing): ContentKind {
  const { selectContents, selectOutline, ...own } = kind;
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
  if ((selectContents || selectOutline) && !own.contents)
    throw new BootError(
      `The plugin "${given.plugin}" contributes the kind "${own.kind}" with "${selectContents ? "selectContents" : "selectOutline"}" alone, whose SQL is read by other ` +
        `plugins: wanted "contents", which reads its entries by a statement of its own`,
    );
  checkDependencies(given, own.contentsDependOn);
  return { ...own, path: checkedMember(own.path, { ...given, over: [own.table] }) };
}

/** Expressions of contributions that were checked. */
const CHECKED = new WeakSet<object>();

function checkedMember<T>(expression: Expression<T>, place: ExpressionPlace): Expression<T> {
  const checked = checkedExpression(expression, place);
  CHECKED.add(checked);
  return checked;
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
    body: checkedMember(text.body, place),
    ...(text.html && { html: checkedMember(text.html, place) }),
  };
}

/** Plugins that read all content read the table, so it has to be one that the plugin may write. */
function fencedParts(parts: SearchedParts, { given }: Contributing): SearchedParts {
  const { table, idColumn, itemColumn, nameColumn, textColumn, wordsColumn } = parts;
  for (const name of [table, idColumn, itemColumn, nameColumn, textColumn, wordsColumn])
    if (!NAME.test(name))
      throw new BootError(
        `The plugin "${given.plugin}" contributes to "searched_parts" with "${name}": wanted letters, digits, "_" and "-" alone`,
      );
  if (!given.grants.write.includes(table))
    throw new GrantError(given.plugin, table, "write", { denied: isDenied(given.grants, table, "write") });
  return parts;
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
 * that is a member itself is refused, unless a fence has checked it. All else is copied, see `given_values.ts`. `place` is its contract or slot.
 */
export function fencedService<Service>(service: Service, given: GivenSql, place: string): Service {
  const giving = { plugin: given.plugin, place };
  const copied = (value: unknown) => givenValue(value, giving, (run) => fencedCall(run, { given, giving }, []));
  if (typeof service !== "object" || service === null || Array.isArray(service) || isWhole(service))
    return copied(service) as Service;
  const members = Object.getOwnPropertyDescriptors(readMembers(service, given.plugin));
  for (const member of Object.values<PropertyDescriptor>(members))
    if (!member.get && !CHECKED.has(member.value)) member.value = copied(member.value);
  return Object.create(Object.prototype, members) as Service;
}

/** Whose function it is. */
interface Fence {
  readonly given: GivenSql;
  readonly giving: Giving;
}

/** A function, with what it returns checked; a function that it returns is one too, such as a rule. */
function fencedCall(call: Call, { given, giving }: Fence, outer: readonly string[]): Call {
  return function (...args) {
    const over = [...new Set([...outer, ...args.flatMap(tablesIn)])].filter((table) => mayRead(given, table));
    const made = call.apply(this, takenArguments(args, given.plugin));
    if (isSql(made)) return checkedExpression(made, { ...given, over });
    return givenValue(made, giving, (run) => fencedCall(run, { given, giving }, over));
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

/** A source of cached answers, or of what is made of them. Throws GrantError for tables that the plugin may not read. */
export function fencedAnswers<Source extends Pick<AnswerSource, "dependsOn" | "notes" | "aliasNotes" | "shared">>(
  given: GivenSql,
  asGiven: Source,
): Source {
  const source = membersOnce(asGiven, given.plugin);
  checkDependencies(given, [...(source.notes ?? []), ...(source.aliasNotes ?? [])]);
  const dependsOn = () => {
    const found = readOnce(source.dependsOn());
    checkDependencies(given, found);
    return found;
  };
  // Its facts are read with the rights of the server, so all its SQL is checked.
  const shared = () => {
    const found = readOnce(source.shared?.());
    if (!found) return undefined;
    checkReadable(given, found.table);
    return {
      ...found,
      ...(found.isSame && { isSame: checkedExpression(found.isSame, { ...given, over: [found.table] }) }),
    };
  };
  return Object.create(source, { dependsOn: { value: dependsOn }, shared: { value: shared } });
}

/** Triggers are made for what answers depend on. */
function checkDependencies(given: GivenSql, dependencies: readonly TableDependency[] = []): void {
  for (const { table, column, only = [], shown } of dependencies) {
    if (shown !== undefined)
      throw new BootError(
        `The plugin "${given.plugin}" says "shown" of rows of "${table}": who is shown what is known of plugins that ship alone, so leave it out`,
      );
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
