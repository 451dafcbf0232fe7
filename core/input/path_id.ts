import { notFound } from "../errors.ts";

/** The largest PostgreSQL integer. */
const MAX_ID = 2_147_483_647;

/**
 * The id in a path. Throws the 404 of `noun` for anything else: that is a missing item (content-api 1.1).
 * @example
 * idOf("42", "Note"); // 42
 */
export function idOf(param: string, noun: string): number {
  const id = /^[1-9]\d{0,9}$/.test(param) ? Number(param) : 0;
  if (id === 0 || id > MAX_ID) throw notFound(noun);
  return id;
}
