import { invalidFields } from "lectern/core";
import { isObject } from "lectern/db";
import type { Entry } from "./contract.ts";

/** The entries that a body lists. Throws ApiError 422 for values that are no entries and for items named twice. */
export function entriesIn(items: readonly unknown[]): Entry[] {
  const errors: Record<string, string> = {};
  const named = new Set<string>();
  const isNew = (type: string, id: number) => !named.has(`${type} ${id}`) && named.add(`${type} ${id}`);
  const entries = items.flatMap((item, index): Entry[] => {
    const sent = isObject(item) ? item : {};
    const { type } = sent;
    const [id, pages] = [idIn(sent.id), idsIn(sent.pages)];
    const key = `items.${index}`;
    if ((type !== "chapter" && type !== "page") || id === undefined) errors[key] = `The ${key} is invalid.`;
    else if (sent.pages !== undefined && (type === "page" || !pages))
      errors[`${key}.pages`] = `The ${key}.pages is invalid.`;
    else if (![isNew(type, id), ...(pages ?? []).map((page) => isNew("page", page))].every(Boolean))
      errors[key] = `The ${key} has a duplicate value.`;
    else return [{ type, id, ...(pages && { pages }) }];
    return [];
  });
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
  return entries;
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
