/**
 * What a search asks for, as SQL over one kind of content at a time. Every value is a parameter. Conditions that a kind
 * cannot meet, such as being a template, are false for it; filters nobody knows are left out, as in the original.
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import type { SearchedKind } from "./index_items.ts";
import type { Filter, Search, TagTest } from "./parse.ts";

type Condition = RawBuilder<boolean>;

const PEOPLE = new Set(["created_by", "updated_by", "owned_by"]);
const OPERATORS: Readonly<Record<string, RawBuilder<unknown>>> = {
  "=": sql`=`,
  "!=": sql`<>`,
  ">": sql`>`,
  "<": sql`<`,
  ">=": sql`>=`,
  "<=": sql`<=`,
};
const WORD = /[\p{L}\p{N}_]+/gu;
/** Far longer than any word; the index cannot look for ones of more than two thousand bytes. */
const MAX_WORD = 200;
const NUMBER = "^-?[0-9]{1,20}([.][0-9]{1,10})?$";

/** The words as a query of the index, each as a beginning; undefined where there are none that could be found. */
export function wordsOf({ terms }: Search): string | undefined {
  const words = terms.flatMap((term) => term.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD));
  return words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(" | ");
}

/** Conditions on rows of a kind's table, beside words. */
export function conditionsOf(search: Search, searched: SearchedKind, viewer: Viewer): Condition[] {
  const column = (name: string) => sql.ref(`${searched.kind.table}.${name}`);
  const text = sql`${column("name")} || ' ' || ${searched.body}`;
  return [
    ...search.exacts.map(({ text: wanted, negated }) => not(holds(text, wanted), negated)),
    ...search.tags.map((tag) => not(tagged(tag, searched), tag.negated)),
    ...search.filters.flatMap((filter) => {
      const condition = filtered(filter, searched, viewer);
      return condition ? [not(condition, filter.negated)] : [];
    }),
  ];
}

function not(condition: Condition, negated: boolean): Condition {
  return negated ? sql<boolean>`not coalesce(${condition}, false)` : condition;
}

function holds(text: RawBuilder<unknown>, wanted: string): Condition {
  return sql<boolean>`position(lower(${wanted}::text) in lower(${text})) > 0`;
}

function tagged({ name, operator, value }: TagTest, { kind: { kind, table } }: SearchedKind): Condition {
  const named = name === "" ? sql`true` : sql`lower(tags.name) = lower(${name}::text)`;
  return sql<boolean>`exists (select from tags where tags.kind = ${kind}
    and tags.item_id = ${sql.ref(`${table}.id`)} and ${named} and ${valued(operator, value)})`;
}

function valued(operator: TagTest["operator"], value: string | undefined): RawBuilder<unknown> {
  if (value === undefined) return sql`true`;
  if (operator === "like") return sql`lower(tags.value) like lower(${closed(value)}::text)`;
  const sign = OPERATORS[operator] as RawBuilder<unknown>;
  if (!new RegExp(NUMBER).test(value)) return sql`lower(tags.value) ${sign} lower(${value}::text)`;
  // Only what is a number is compared as one; the store must not try with others.
  return sql`case when tags.value ~ ${NUMBER} then tags.value::numeric ${sign} ${value}::numeric
    else lower(tags.value) ${sign} lower(${value}::text) end`;
}

/** A pattern that ends in a lone escape would be an error of the store. */
function closed(pattern: string): string {
  return (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 1 ? `${pattern}\\` : pattern;
}

function filtered({ name, value }: Filter, searched: SearchedKind, viewer: Viewer): Condition | undefined {
  const { kind, body } = searched;
  const column = (one: string) => sql.ref(`${kind.table}.${one}`);
  if (name === "type")
    return sql<boolean>`${kind.kind}::text = any(${value
      .toLowerCase()
      .split("|")
      .map((one) => one.trim())}::text[])`;
  if (PEOPLE.has(name)) {
    if (value === "me") return sql<boolean>`${column(name)} = ${viewer.id}::integer`;
    return sql<boolean>`${column(name)} = (select users.id from users where users.slug = ${value})`;
  }
  const [, when, side] = /^(created|updated)_(after|before)$/.exec(name) ?? [];
  if (when && side) {
    const day = dayOf(value);
    if (day === undefined) return sql<boolean>`false`;
    return side === "after"
      ? sql<boolean>`${column(`${when}_at`)} >= ${day}::timestamptz`
      : sql<boolean>`${column(`${when}_at`)} < ${day}::timestamptz`;
  }
  if (name === "in_name" || name === "in_title") return holds(column("name"), value);
  if (name === "in_body") return holds(body, value);
  if (name === "is_template")
    return kind.columns.includes("template") ? sql<boolean>`${column("template")}` : sql<boolean>`false`;
  if (name === "is_restricted")
    return sql<boolean>`exists (select from entity_permissions
      where entity_permissions.kind = ${kind.kind} and entity_permissions.item_id = ${column("id")})`;
  return undefined;
}

/** A day of the calendar as ISO 8601 in UTC; undefined for anything else. */
function dayOf(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && !text.startsWith("0000");
  return isDay ? date.toISOString() : undefined;
}
