import type { Ui, Visit } from "lectern/contracts";
import { type InputValue, isUpload, notFound } from "lectern/core";

/** The most rows of a choice; further ones are found by their own screens. */
export const MOST_CHOICES = 500;

/** What listings answer. */
export interface Listed<T> {
  readonly data: readonly T[];
  readonly total: number;
}

/** The id of the address as a part of a path of the API, which says whether there is such a thing. */
export function idOf(visit: Visit): string {
  return encodeURIComponent(visit.params.id ?? "");
}

/** The texts of a list as forms send it. */
export function listIn(value: InputValue | undefined): string[] {
  if (typeof value !== "object" || value === null || isUpload(value)) return [];
  return Object.values(value).filter((item): item is string => typeof item === "string");
}

/** An object of a form's nested names, such as `rules[3][view]`; empty where there is none. */
export function objectIn(value: InputValue | undefined): Readonly<Record<string, InputValue | undefined>> {
  if (typeof value !== "object" || value === null || isUpload(value)) return {};
  return value as Readonly<Record<string, InputValue>>;
}

/** A number of bytes for people. */
export function sizeOf(bytes: number, ui: Ui): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = new Intl.NumberFormat(ui.language.replace("_", "-"), { maximumFractionDigits: 1 });
  return `${number.format(bytes / 1024 ** step)} ${units[step]}`;
}

/** The one row of a listing with an id. Throws 404 where there is none. */
export async function rowOf<T>(visit: Visit, path: string, noun: string): Promise<T> {
  const { data } = await visit.get<Listed<T>>(`${path}?count=1&filter[id]=${idOf(visit)}`);
  if (!data[0]) throw notFound(noun);
  return data[0];
}

/** Kinds of content in words. */
export const KINDS: Readonly<Record<string, string>> = {
  bookshelf: "Shelf",
  book: "Book",
  chapter: "Chapter",
  page: "Page",
};
