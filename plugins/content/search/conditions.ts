/**
 * Exact texts and tags of a search as SQL over one kind of content at a time. Every value is a parameter, and no condition
 * is ever null, so that it may be negated.
 */
import { type RawBuilder, sql } from "lectern/core";
import { fold, holdsFolded } from "./fold.ts";
import type { SearchedKind } from "./index_items.ts";
import type { Search, TagTest } from "./parse.ts";

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
/** Letters of keys that the indexes of tags hold. */
const INDEXED = 200;
const NUMBER = /^[+-]?(\d{1,100}(\.\d{0,100})?|\.\d{1,100})(e[+-]?\d{1,3})?$/i;

/** What exact texts ask of the rows of a kind: to stand in the name or in the body. */
export function exactsOf({ exacts }: Search, { kind, body }: SearchedKind): Condition[] {
  const name = sql.ref(`${kind.table}.name`);
  return exacts.map(({ text, negated }) =>
    negatable(sql<boolean>`(${holds(name, text)} or ${holds(body, text)})`, negated),
  );
}

/** What tags ask of an item, by SQL for its kind and id. */
export function tagsOf({ tags }: Search, kind: RawBuilder<unknown>, id: RawBuilder<unknown>): Condition[] {
  return tags.map((tag) => negatable(tagged(tag, kind, id), tag.negated));
}

/** The condition, or what it leaves out. */
export function negatable(condition: Condition, negated: boolean): Condition {
  return negated ? sql<boolean>`not coalesce(${condition}, false)` : condition;
}

/** Whether a text holds another one, whatever the case and accents. */
export function holds(text: RawBuilder<unknown>, wanted: string): Condition {
  return holdsFolded(text, fold(wanted));
}

function tagged({ name, operator, value }: TagTest, kind: RawBuilder<unknown>, id: RawBuilder<unknown>): Condition {
  const named = name === "" ? sql`true` : isKey("name_key", name);
  return sql<boolean>`exists (select from tags where tags.kind = ${kind} and tags.item_id = ${id}
    and ${named} and ${valued(operator, value)})`;
}

function valued(operator: TagTest["operator"], value: string | undefined): RawBuilder<unknown> {
  if (value === undefined) return sql`true`;
  if (operator === "like") return sql`tags.value_key like text_pattern(${value}::text)`;
  const sign = OPERATORS[operator] as RawBuilder<unknown>;
  if (!NUMBER.test(value))
    return operator === "=" ? isKey("value_key", value) : sql`tags.value_key ${sign} text_key(${value}::text)`;
  return sql`tags.value_number ${sign} ${value}::numeric`;
}

/** Whether a key of a tag is that of a text: by the index alone, unless it holds the beginning alone. */
function isKey(key: "name_key" | "value_key", text: string): RawBuilder<unknown> {
  const [column, wanted, letters] = [sql.ref(`tags.${key}`), sql`text_key(${text}::text)`, sql.lit(INDEXED)];
  return sql`left(${column}, ${letters}) = left(${wanted}, ${letters})
    and (char_length(${wanted}) < ${letters} or ${column} = ${wanted})`;
}
