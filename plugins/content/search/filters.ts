/**
 * Filters of a search as SQL over one kind of content at a time. What a kind cannot meet, such as being a template, is
 * false for it. Filters nobody knows, people who do not exist and dates nobody can read are left out (content-api 14).
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { type Condition, holds, negatable } from "./conditions.ts";
import { timeOf } from "./dates.ts";
import type { SearchedKind } from "./index_items.ts";
import type { Filter, Search } from "./parse.ts";

const PEOPLE = new Set(["created_by", "updated_by", "owned_by"]);
const NO = sql<boolean>`false`;

/** What filters need to know beside the item: who asks, when, and the ids of the people named, by slug. */
export interface FilterFacts {
  readonly viewer: Viewer;
  readonly now: Date;
  readonly people: ReadonlyMap<string, number>;
}

/** Looks up the people that filters name; only where some do. */
export async function factsOf(db: Pick<Db, "executeQuery">, viewer: Viewer, search: Search): Promise<FilterFacts> {
  const slugs = search.filters.flatMap(({ name, value }) => (PEOPLE.has(name) ? [value.toLowerCase()] : []));
  const found =
    slugs.length === 0
      ? []
      : await rows<{ id: number; slug: string }>(
          db,
          sql`select id, lower(slug) as slug from users where slug = any(${slugs}::text[])`,
        );
  const people = new Map(found.map(({ id, slug }) => [slug, id]));
  if (viewer.id !== null) people.set("me", viewer.id);
  return { viewer, now: new Date(), people };
}

/** The kinds that filters such as {type:page} leave. */
export function kindsIn(kinds: readonly SearchedKind[], { filters }: Search): readonly SearchedKind[] {
  const tests = filters
    .filter(({ name }) => name === "type")
    .map(({ value, negated }) => ({
      types: value
        .toLowerCase()
        .split("|")
        .map((one) => one.trim()),
      negated,
    }));
  return kinds.filter(({ kind }) => tests.every(({ types, negated }) => types.includes(kind.kind) !== negated));
}

/** What filters ask of the rows of a kind. */
export function filtersOf(search: Search, searched: SearchedKind, facts: FilterFacts): Condition[] {
  return search.filters.flatMap((filter) => {
    const condition = conditionOf(filter, searched, facts);
    return condition ? [negatable(condition, filter.negated)] : [];
  });
}

function conditionOf({ name, value }: Filter, { kind, body }: SearchedKind, facts: FilterFacts): Condition | undefined {
  const column = (one: string) => sql.ref(`${kind.table}.${one}`);
  const [, when, side] = /^(created|updated)_(after|before)$/.exec(name) ?? [];
  if (when && side) return dated(column(`${when}_at`), side, timeOf(value, facts.now));
  if (PEOPLE.has(name)) {
    const id = facts.people.get(value.toLowerCase());
    return id === undefined ? undefined : sql<boolean>`${column(name)} is not distinct from ${id}::integer`;
  }
  switch (name) {
    case "in_name":
    case "in_title":
      return sql<boolean>`(${column("name_key")} like text_pattern(${patternOf(value)}::text) and ${holds(column("name"), value)})`;
    case "in_body":
      return holds(body, value);
    case "is_template":
      return kind.columns.includes("template") ? sql<boolean>`${column("template")}` : NO;
    case "is_restricted":
      return sql<boolean>`exists (select from entity_permissions
        where entity_permissions.kind = ${kind.kind} and entity_permissions.item_id = ${column("id")})`;
    case "viewed_by_me":
      return viewed(facts.viewer, kind.kind, column("id"));
    case "not_viewed_by_me":
      return negatable(viewed(facts.viewer, kind.kind, column("id")), true);
    default:
      return undefined;
  }
}

/** What an index of trigrams finds a name by. The store keeps kinds of quotes apart, which count as one here. */
function patternOf(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&").replace(/['"‘’‚‛“”„‟]/g, "_")}%`;
}

function dated(column: RawBuilder<unknown>, side: string, time: Date | undefined): Condition | undefined {
  if (time === undefined) return undefined;
  return side === "after"
    ? sql<boolean>`${column} >= ${time.toISOString()}::timestamptz`
    : sql<boolean>`${column} < ${time.toISOString()}::timestamptz`;
}

function viewed({ id }: Viewer, kind: string, item: RawBuilder<unknown>): Condition {
  return sql<boolean>`${item} in (select item_views.item_id from item_views
    where item_views.user_id = ${id}::integer and item_views.kind = ${kind})`;
}
