/**
 * What is searched for, as the address of the screen says it, and the query of the API that it makes. Every filter is a field of the
 * address, so that a search can be sent to others, and the screen works by links and a form alone. Filters come before the words in the
 * query of the API, as of a very long query the end is not read.
 */
import { type InputObject, type InputValue, isUpload } from "lectern/core";

/** The orders of results. */
export const ORDERS = ["relevance", "updated", "created", "name"] as const;

/** A search. */
export interface SearchState {
  /** What was typed. */
  readonly query: string;
  /** Kinds, several separated by bars; "" for all. */
  readonly type: string;
  /** The ids of a book and of a shelf that results are in. */
  readonly book: number | undefined;
  readonly shelf: number | undefined;
  /** Tests of tags as in a query: "team", "team=ops". */
  readonly tags: readonly string[];
  /** The slug of who created results. */
  readonly author: string;
  /** Days such as 2026-01-05: results were changed since the one, and before the other. */
  readonly after: string;
  readonly before: string;
  readonly order: (typeof ORDERS)[number];
}

/** The fields of the address that are filters. */
export const FILTERS = ["type", "book", "shelf", "tags", "author", "after", "before"] as const;

const MAX_ID = 2_147_483_647;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const MAX_TAGS = 10;
const NOTHING: SearchState = {
  ...{ query: "", type: "", book: undefined, shelf: undefined, tags: [], author: "", after: "", before: "" },
  order: "relevance",
};

/** Reads the address; what makes no sense is left out. `kinds` are those that can be searched. */
export function stateOf(input: InputObject, kinds: readonly string[]): SearchState {
  const text = (name: string): string => textOf(input[name]);
  const day = (name: string): string => (DAY.test(text(name)) ? text(name) : "");
  const types = [...new Set(text("type").split("|"))].filter((kind) => kinds.includes(kind));
  return {
    // The original calls the field `term`.
    query: text("query") === "" ? text("term") : text("query"),
    type: types.join("|"),
    book: idOf(text("book")),
    shelf: idOf(text("shelf")),
    tags: [...new Set(textsOf(input.tags))].filter(isTagTest).slice(0, MAX_TAGS),
    author: isPlain(text("author")) ? text("author") : "",
    after: day("after"),
    before: day("before"),
    order: ORDERS.find((order) => order === text("sort")) ?? "relevance",
  };
}

/** Whether a text can be the test of a tag within brackets. */
export function isTagTest(text: string): boolean {
  return text !== "" && !/[\]\n\r\u2028\u2029]/.test(text);
}

/** Whether anything is searched for. */
export function isSearch(state: SearchState): boolean {
  return state.query !== "" || hasFilters(state);
}

/** Whether there are filters beside what was typed. */
export function hasFilters(state: SearchState): boolean {
  return FILTERS.some((name) => state[name] !== undefined && state[name] !== "" && !isNone(state[name]));
}

/** A search without its filters. */
export function withoutFilters({ query, order }: SearchState): SearchState {
  return { ...NOTHING, query, order };
}

/** The fields of the address, in the order of the screen. */
export function fieldsOf(state: SearchState): Record<string, string> {
  const { query, type, book, shelf, tags, author, after, before, order } = state;
  return {
    query,
    ...(type !== "" && { type }),
    ...(book !== undefined && { book: String(book) }),
    ...(shelf !== undefined && { shelf: String(shelf) }),
    ...Object.fromEntries(tags.map((tag, at) => [`tags[${at}]`, tag])),
    ...(author !== "" && { author }),
    ...(after !== "" && { after }),
    ...(before !== "" && { before }),
    ...(order !== "relevance" && { sort: order }),
  };
}

/** The address of a search, from its first page. */
export function searchPath(state: SearchState): string {
  return `/search?${new URLSearchParams(fieldsOf(state))}`;
}

/** The query string of the API. */
export function apiQuery(state: SearchState, { page, size }: { readonly page: number; readonly size: number }): string {
  const { query, type, book, shelf, tags, author, after, before, order } = state;
  const filters = [
    type !== "" && `{type:${type}}`,
    book !== undefined && `{in_book:${book}}`,
    shelf !== undefined && `{in_shelf:${shelf}}`,
    ...tags.map((tag) => `[${tag}]`),
    author !== "" && `{created_by:${author}}`,
    after !== "" && `{updated_after:${after}}`,
    before !== "" && `{updated_before:${before}}`,
  ].filter((filter) => filter !== false);
  return String(
    new URLSearchParams({
      ...{ mode: "better", facets: "true", query: [...filters, query].join(" ").trim() },
      ...{ page: String(page), count: String(size) },
      ...(order !== "relevance" && { sort: order }),
    }),
  );
}

function isNone(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function idOf(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id > 0 && id <= MAX_ID ? id : undefined;
}

/** Whether a text can be the value of a filter as it is. */
function isPlain(text: string): boolean {
  return /^[^\s{}|]{1,255}$/.test(text);
}

function textOf(value: InputValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

function textsOf(value: InputValue | undefined): string[] {
  if (typeof value === "string") return [value.trim()];
  if (typeof value !== "object" || value === null || isUpload(value)) return [];
  return Object.values(value).map(textOf);
}
