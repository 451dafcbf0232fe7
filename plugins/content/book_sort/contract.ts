import { ApiError, rules } from "lectern/core";

/** The body: entries of the book in their new order, judged one by one by `entriesIn`. */
export const orderRules = rules({ items: ["required", "array"] });

/** A chapter or a page directly in its book, where it shall stand. */
export interface Entry {
  readonly type: "chapter" | "page";
  readonly id: number;
  /** The pages that shall be in the chapter, in order; absent where they stay as they are. */
  readonly pages?: readonly number[];
}

/** A book as the event carries it. */
export interface SortedBook {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

declare module "lectern/core" {
  interface Events {
    /** `page_move` is performed within for pages that go to another chapter, or out of one. */
    book_sort: { draft: { row: SortedBook; items: readonly Entry[] }; result: SortedBook };
  }
}

/** Entries as they were sent. Throws ApiError 422 for what is none, and for what is named twice. */
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
