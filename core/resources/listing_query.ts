import type { InputObject } from "../input/body_parsing.ts";

/** How many rows a listing answers. */
export interface ListLimits {
  readonly defaultCount: number;
  readonly maxCount: number;
}

/** A filter as asked for; the field is not yet known to exist. */
export interface ListingFilter {
  readonly field: string;
  /** One of eq, ne, gt, lt, gte, lte, like. */
  readonly operator: string;
  readonly value: string;
}

/** What a listing request asks for. */
export interface ListingQuery {
  readonly count: number;
  readonly offset: number;
  readonly sort: { readonly field: string; readonly direction: "asc" | "desc" } | undefined;
  readonly filters: readonly ListingFilter[];
}

const OPERATORS = new Set(["eq", "ne", "gt", "lt", "gte", "lte", "like"]);
/** More filters than any client sends; further ones are ignored. */
const MAX_FILTERS = 50;

/** Reads the parameters of a listing; nothing in them is ever an error (content-api 3). */
export function parseListing(query: InputObject, limits: ListLimits): ListingQuery {
  const count = integer(query.count) ?? limits.defaultCount;
  return {
    count: Math.min(Math.max(count, 1), limits.maxCount),
    offset: Math.max(integer(query.offset) ?? 0, 0),
    sort: sortOf(query.sort),
    filters: filtersOf(query.filter),
  };
}

/** Fractions are cut off; numbers beyond all rows become the largest one there is. */
function integer(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(value)) return undefined;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number : Math.sign(number) * Number.MAX_SAFE_INTEGER;
}

/** A plus sign in a query string arrives as a space; of several signs the first one counts. */
function sortOf(value: unknown): ListingQuery["sort"] {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const field = text.replace(/^[-+\s]+/, "").toLowerCase();
  return field === "" ? undefined : { field, direction: text.startsWith("-") ? "desc" : "asc" };
}

function filtersOf(filter: unknown): ListingFilter[] {
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) return [];
  return Object.entries(filter)
    .slice(0, MAX_FILTERS)
    .flatMap(([key, value]) => {
      if (typeof value !== "string") return [];
      const [field = "", asked = "eq"] = key.split(":");
      return [{ field: field.toLowerCase(), operator: OPERATORS.has(asked) ? asked : "eq", value }];
    });
}
