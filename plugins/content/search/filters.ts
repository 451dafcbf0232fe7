/**
 * SQL conditions for the filters of a search, over one kind of content at a time. A filter that does not apply to a kind,
 * such as `is_template`, is false for it. Unknown filters, unknown users and invalid dates are ignored (content-api 14).
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { type Condition, contains, negateIf } from "./conditions.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { parseDate } from "./parse_date.ts";
import type { Filter, SearchQuery } from "./parse_query.ts";

const USER_FILTERS = new Set(["created_by", "updated_by", "owned_by"]);
const NO = sql<boolean>`false`;

const usersBySlugs = prepared("search.usersBySlugs", (db, p: { slugs: readonly string[] }) =>
  db
    .selectFrom("users")
    .select((eb) => ["id", eb.fn<string>("lower", ["slug"]).as("slug")])
    .where("slug", "=", sql<string>`any(${p.slugs}::text[])`),
);

/** What filters depend on beside the item. */
export interface FilterContext {
  readonly viewer: Viewer;
  readonly now: Date;
  /** Ids of the users that filters name, by slug. */
  readonly users: ReadonlyMap<string, number>;
  readonly hasTable: SearchContext["hasTable"];
  /** For `in_book` and `in_shelf`, which searches by relevance know; other searches ignore them. */
  readonly places?: Places;
}

/** The places that filters name. */
export interface Places {
  /** Condition on shelves that the viewer sees; undefined where there are no shelves. */
  readonly seesShelf: RawBuilder<boolean> | undefined;
}

/** Reads the users that filters name, if there are any. */
export async function loadFilterContext(
  { db, hasTable }: Pick<SearchContext, "db" | "hasTable">,
  viewer: Viewer,
  search: SearchQuery,
): Promise<FilterContext> {
  const slugs = search.filters.flatMap(({ name, value }) => (USER_FILTERS.has(name) ? [value.toLowerCase()] : []));
  const found = slugs.length === 0 ? [] : await usersBySlugs.execute(db, { slugs });
  const users = new Map(found.map(({ id, slug }) => [slug, id]));
  if (viewer.id !== null) users.set("me", viewer.id);
  return { viewer, now: new Date(), users, hasTable };
}

/** The kinds that filters such as {type:page} select. */
export function kindsIn(kinds: readonly SearchedKind[], { filters }: SearchQuery): readonly SearchedKind[] {
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

/** The conditions on rows of a kind. */
export function filterConditions(search: SearchQuery, searched: SearchedKind, context: FilterContext): Condition[] {
  return search.filters.flatMap((filter) => {
    const condition = conditionOf(filter, searched, context);
    return condition ? [negateIf(filter.negated, condition)] : [];
  });
}

function conditionOf({ name, value }: Filter, searched: SearchedKind, context: FilterContext): Condition | undefined {
  const { kind, body } = searched;
  const column = (one: string) => sql.ref(`${kind.table}.${one}`);
  const [, when, side] = /^(created|updated)_(after|before)$/.exec(name) ?? [];
  if (when && side) return comparedTo(column(`${when}_at`), side, parseDate(value, context.now));
  if (USER_FILTERS.has(name)) {
    const id = context.users.get(value.toLowerCase());
    return id === undefined ? undefined : sql<boolean>`${column(name)} is not distinct from ${id}::integer`;
  }
  switch (name) {
    case "in_name":
    case "in_title":
      return sql<boolean>`(${column("name_key")} like text_pattern(${patternOf(value)}::text) and ${contains(column("name"), value)})`;
    case "in_body":
      return contains(body, value);
    case "is_template":
      return kind.columns.includes("template") ? sql<boolean>`${column("template")}` : NO;
    case "is_restricted":
      if (!context.hasTable("entity_permissions")) return NO;
      return sql<boolean>`exists (select from entity_permissions
        where entity_permissions.kind = ${kind.kind} and entity_permissions.item_id = ${column("id")})`;
    case "in_book":
      return context.places && inBook(searched, sql`${idOf(value)}::integer`);
    case "in_shelf":
      return context.places && inShelf(searched, idOf(value), context.places);
    case "viewed_by_me":
      return viewedBy(context.viewer, kind.kind, column("id"));
    case "not_viewed_by_me":
      return negateIf(true, viewedBy(context.viewer, kind.kind, column("id")));
    default:
      return undefined;
  }
}

/** An id that filters name; 0, which no item has, for anything else. */
function idOf(value: string): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

/** The item is the book, or in it. */
function inBook({ kind }: SearchedKind, book: RawBuilder<unknown>): Condition {
  if (kind.kind === "book") return sql<boolean>`${sql.ref(`${kind.table}.id`)} = ${book}`;
  return kind.columns.includes("book_id") ? sql<boolean>`${sql.ref(`${kind.table}.book_id`)} = ${book}` : NO;
}

/** The item is the shelf, or in a book on it; only of a shelf that the viewer sees. */
function inShelf(searched: SearchedKind, shelf: number, { seesShelf }: Places): Condition {
  if (searched.kind.kind === "bookshelf")
    return sql<boolean>`${sql.ref(`${searched.kind.table}.id`)} = ${shelf}::integer`;
  if (!seesShelf) return NO;
  const books = sql`any(array(select bookshelf_books.book_id from bookshelf_books join bookshelves on bookshelves.id = bookshelf_books.shelf_id
    where bookshelf_books.shelf_id = ${shelf}::integer and ${seesShelf}))`;
  return inBook(searched, books);
}

/** A LIKE pattern that the trigram index finds names by. Quotes become wildcards, since stored keys distinguish their kinds. */
function patternOf(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&").replace(/['"‘’‚‛“”„‟]/g, "_")}%`;
}

function comparedTo(column: RawBuilder<unknown>, side: string, time: Date | undefined): Condition | undefined {
  if (time === undefined) return undefined;
  return side === "after"
    ? sql<boolean>`${column} >= ${time.toISOString()}::timestamptz`
    : sql<boolean>`${column} < ${time.toISOString()}::timestamptz`;
}

function viewedBy({ id }: Viewer, kind: string, item: RawBuilder<unknown>): Condition {
  return sql<boolean>`${item} in (select item_views.item_id from item_views
    where item_views.user_id = ${id}::integer and item_views.kind = ${kind})`;
}
