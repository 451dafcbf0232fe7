import { invalidFields } from "lectern/core";
import { isObject } from "lectern/db";
import type { Entry } from "./contract.ts";

/** The contents of one book in a body. */
export interface SentOrder {
  readonly items: readonly Entry[];
  /** Undefined where the body does not say it. */
  readonly seen: readonly Entry[] | undefined;
}

/** The entries that a body lists for its book, and for further ones with their ids. */
export interface SentOrders extends SentOrder {
  readonly books: readonly (SentOrder & { readonly id: number })[];
}

interface Body {
  readonly items: readonly unknown[];
  readonly seen?: readonly unknown[] | undefined;
  readonly books?: readonly unknown[] | undefined;
}

/** What a body for a book lists. Throws ApiError 422 for values that are no entries or books, and for items and books named twice. */
export function ordersIn(bookId: number, { items, seen, books = [] }: Body): SentOrders {
  const errors: Record<string, string> = {};
  const [named, sawn] = [new Set<string>(), new Set<string>()];
  const ids = new Set([bookId]);
  const own = {
    items: entriesIn(items, { at: "items", named, errors }),
    seen: seen && entriesIn(seen, { at: "seen", named: sawn, errors }),
  };
  const others = books.flatMap((sent, index) => {
    const at = `books.${index}`;
    const { items: listed, seen: shown, ...book } = isObject(sent) ? sent : {};
    const id = idIn(book.id);
    if (id === undefined) errors[`${at}.id`] = `The ${at}.id is invalid.`;
    else if (ids.has(id)) errors[`${at}.id`] = `The ${at}.id has a duplicate value.`;
    if (!Array.isArray(listed)) errors[`${at}.items`] = `The ${at}.items is invalid.`;
    if (shown !== undefined && !Array.isArray(shown)) errors[`${at}.seen`] = `The ${at}.seen is invalid.`;
    if (id === undefined || !Array.isArray(listed)) return [];
    ids.add(id);
    return {
      id,
      items: entriesIn(listed, { at: `${at}.items`, named, errors }),
      seen: Array.isArray(shown) ? entriesIn(shown, { at: `${at}.seen`, named: sawn, errors }) : undefined,
    };
  });
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
  return { ...own, books: others };
}

interface Place {
  /** The field, such as "items". */
  readonly at: string;
  /** The items that are named so far, and the faults by field: both are added to. */
  readonly named: Set<string>;
  readonly errors: Record<string, string>;
}

/** The entries of a list. */
function entriesIn(items: readonly unknown[], { at, named, errors }: Place): Entry[] {
  const isNew = (type: string, id: number) => !named.has(`${type} ${id}`) && named.add(`${type} ${id}`);
  return items.flatMap((item, index): Entry[] => {
    const sent = isObject(item) ? item : {};
    const { type } = sent;
    const [id, pages] = [idIn(sent.id), idsIn(sent.pages)];
    const key = `${at}.${index}`;
    if ((type !== "chapter" && type !== "page") || id === undefined) errors[key] = `The ${key} is invalid.`;
    else if (sent.pages !== undefined && (type === "page" || !pages))
      errors[`${key}.pages`] = `The ${key}.pages is invalid.`;
    else if (![isNew(type, id), ...(pages ?? []).map((page) => isNew("page", page))].every(Boolean))
      errors[key] = `The ${key} has a duplicate value.`;
    else return [{ type, id, ...(pages && { pages }) }];
    return [];
  });
}

/** An id, which forms have as text; undefined for other values. */
function idIn(value: unknown): number | undefined {
  const id = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : undefined;
}

/** A list of ids; undefined for other values. */
function idsIn(value: unknown): number[] | undefined {
  const ids = Array.isArray(value) ? value.map(idIn) : [undefined];
  return ids.every((id) => id !== undefined) ? ids : undefined;
}
