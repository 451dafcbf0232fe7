/**
 * SQL conditions for the exact texts and tags of a search, over one kind of content at a time. Every value is a parameter,
 * never SQL.
 */
import { type Expression, type RawBuilder, sql } from "lectern/core";
import type { SearchedKind } from "./contract.ts";
import { containsNormalized, containsWord, equalsNormalized, normalizeText } from "./normalize_text.ts";
import type { SearchQuery, TagTest } from "./parse_query.ts";

/** A condition on rows of a kind's table. */
export type Condition = RawBuilder<boolean>;

const OPERATORS: Readonly<Record<string, RawBuilder<unknown>>> = {
  "=": sql`=`,
  "!=": sql`<>`,
  ">": sql`>`,
  "<": sql`<`,
  ">=": sql`>=`,
  "<=": sql`<=`,
};
/** Characters of a key in the indexes of tags. */
const INDEXED = 200;
const NUMBER = /^[+-]?(\d{1,100}(\.\d{0,100})?|\.\d{1,100})(e[+-]?\d{1,3})?$/i;

/** Each exact text has to be in the name or in the body. */
export function exactTextConditions({ exacts }: SearchQuery, { kind, body }: SearchedKind): Condition[] {
  const name = sql.ref(`${kind.table}.name`);
  return exacts.map(({ text, negated }) =>
    negateIf(negated, sql<boolean>`(${contains(name, text)} or ${contains(body, text)})`),
  );
}

/** One of the normalised texts has to be in the name, the body or a tag, not within a word. */
export function anyTextCondition(texts: readonly string[], { kind, body }: SearchedKind): Condition {
  const [name, id] = [sql.ref(`${kind.table}.name`), sql.ref(`${kind.table}.id`)];
  const isIn = (text: string) => sql<boolean>`(${containsWord(name, text)} or ${containsWord(body, text)}
    or exists (select from tags where tags.kind = ${kind.kind} and tags.item_id = ${id}
      and (${containsWord(sql.ref("tags.name"), text)} or ${containsWord(sql.ref("tags.value"), text)})))`;
  return sql<boolean>`(${sql.join(texts.map(isIn), sql` or `)})`;
}

/** The words of the query are this whole name of an item. Queries without terms are not ranked, so that names make no difference. */
export function isNamed({ terms, typed }: SearchQuery, name: Expression<unknown>): Condition {
  return terms.length === 0 ? sql<boolean>`false` : equalsNormalized(name, normalizeText(typed));
}

/** The item, given by SQL for its kind and id, has to have each tag. */
export function tagConditions({ tags }: SearchQuery, kind: RawBuilder<unknown>, id: RawBuilder<unknown>): Condition[] {
  return tags.map((tag) => negateIf(tag.negated, hasTag(tag, kind, id)));
}

/** The condition or, if `negated`, its negation. Null counts as false. */
export function negateIf(negated: boolean, condition: Condition): Condition {
  return negated ? sql<boolean>`not coalesce(${condition}, false)` : condition;
}

/** A text contains another one, ignoring case and accents. */
export function contains(text: Expression<unknown>, wanted: string): Condition {
  return containsNormalized(text, normalizeText(wanted));
}

function hasTag({ name, operator, value }: TagTest, kind: RawBuilder<unknown>, id: RawBuilder<unknown>): Condition {
  const hasName = name === "" ? sql`true` : isKey("name_key", name);
  return sql<boolean>`exists (select from tags where tags.kind = ${kind} and tags.item_id = ${id}
    and ${hasName} and ${hasValue(operator, value)})`;
}

function hasValue(operator: TagTest["operator"], value: string | undefined): RawBuilder<unknown> {
  if (value === undefined) return sql`true`;
  if (operator === "like") return sql`tags.value_key like text_pattern(${value}::text)`;
  // All operators but "like" are in the table.
  const symbol = OPERATORS[operator] as RawBuilder<unknown>;
  if (!NUMBER.test(value))
    return operator === "=" ? isKey("value_key", value) : sql`tags.value_key ${symbol} text_key(${value}::text)`;
  return sql`tags.value_number ${symbol} ${value}::numeric`;
}

/** The key of a tag equals that of a text. Keys shorter than the indexed prefix are compared by the index only. */
function isKey(key: "name_key" | "value_key", text: string): RawBuilder<unknown> {
  const [column, wanted, length] = [sql.ref(`tags.${key}`), sql`text_key(${text}::text)`, sql.lit(INDEXED)];
  return sql`left(${column}, ${length}) = left(${wanted}, ${length})
    and (char_length(${wanted}) < ${length} or ${column} = ${wanted})`;
}
