import type { Visit } from "lectern/contracts";
import { notFound } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";

/** Most options of a select. */
export const MAX_OPTIONS = 500;

/** The answer of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}

/** The row of a listing with the id of the URL. Throws 404 where there is none. */
export async function rowOf<T>(visit: Visit, path: string, noun: string): Promise<T> {
  const { data } = await visit.get<Listing<T>>(`${path}?count=1&filter[id]=${idOf(visit)}`);
  if (!data[0]) throw notFound(noun);
  return data[0];
}
