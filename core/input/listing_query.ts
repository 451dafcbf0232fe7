import type { InputObject } from "./body_parsing.ts";

/** Rows of a listing: by default and at most. */
export interface ListLimits {
  readonly defaultCount: number;
  readonly maxCount: number;
}

/** How a filter compares. */
export type FilterOperator = "eq" | "ne" | "gt" | "lt" | "gte" | "lte" | "like";

/** A filter as sent; the field may not exist. */
export interface ListingFilter {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly value: string;
}

/** The parameters of a listing request. */
export interface ListingQuery {
  readonly count: number;
  readonly offset: number;
  readonly sort: { readonly field: string; readonly direction: "asc" | "desc" } | undefined;
  readonly filters: readonly ListingFilter[];
}

const OPERATORS: readonly FilterOperator[] = ["eq", "ne", "gt", "lt", "gte", "lte", "like"];
/** Further filters are ignored. */
const MAX_FILTERS = 50;

/** Parses the parameters of a listing. Invalid ones are ignored: none is an error (content-api 3). */
export function parseListing(query: InputObject, limits: ListLimits): ListingQuery {
  const count = integer(query.count) ?? limits.defaultCount;
  return {
    count: Math.min(Math.max(count, 1), limits.maxCount),
    offset: Math.max(integer(query.offset) ?? 0, 0),
    sort: sortOf(query.sort),
    filters: filtersOf(query.filter),
  };
}

/** An integer without its fraction, at most the largest safe one; undefined for other text. */
function integer(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(value)) return undefined;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number : Math.sign(number) * Number.MAX_SAFE_INTEGER;
}

/** A plus sign in a query string arrives as a space. Of several signs the first one counts. */
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
      const [field = "", sent] = key.split(":");
      return [{ field: field.toLowerCase(), operator: OPERATORS.find((one) => one === sent) ?? "eq", value }];
    });
}
