import { ApiError } from "lectern/core";
import type { Entry } from "./contract.ts";

/** The entries that a body lists. Throws ApiError 422 for values that are no entries and for items named twice. */
export function entriesIn(items: readonly unknown[]): Entry[] {
  const errors: Record<string, string[]> = {};
  const named = new Set<string>();
  const isNew = (type: string, id: number) => !named.has(`${type} ${id}`) && named.add(`${type} ${id}`);
  const entries = items.flatMap((item, index): Entry[] => {
    const { type, id, pages } = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
    const key = `items.${index}`;
    if ((type !== "chapter" && type !== "page") || !isId(id)) errors[key] = [`The ${key} is invalid.`];
    else if (pages !== undefined && (type === "page" || !Array.isArray(pages) || !pages.every(isId)))
      errors[`${key}.pages`] = [`The ${key}.pages is invalid.`];
    else if (![isNew(type, id), ...((pages ?? []) as number[]).map((page) => isNew("page", page))].every(Boolean))
      errors[key] = [`The ${key} has a duplicate value.`];
    else return [{ type, id, ...(pages !== undefined && { pages: pages as number[] }) }];
    return [];
  });
  if (Object.keys(errors).length > 0) throw new ApiError(422, "The given data was invalid.", { validation: errors });
  return entries;
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31;
}
