/**
 * Reading what another server says. Nothing in an answer is taken for granted: versions differ, and what is missing or of
 * another type counts as absent, so that one odd field costs that field and not the item.
 */
import type { Json } from "lectern/cli";
import { sha256, storable } from "lectern/core";

/** A text that the store can hold; "" where there is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? storable(value) : "";
}

/** A whole number the store can hold; undefined where there is none. */
export function numberOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31 ? (value as number) : undefined;
}

/** An object; empty where there is none. */
export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The objects of a list; empty where there is none. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** The id of something that is named by its number or shown as an object. */
export function idIn(value: unknown): number | undefined {
  return numberOf(typeof value === "object" && value !== null ? (value as Json).id : value);
}

/** A time on the wire; the beginning of time where there is none, so that asking again gives the same. */
export function timeOf(value: unknown): string {
  const text = textOf(value);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : "1970-01-01T00:00:00.000000Z";
}

/** Tags as they are kept. */
export function tagsOf(value: unknown): { name: string; value: string; order: number }[] {
  return listOf(value)
    .map((tag) => ({ name: textOf(tag.name), value: textOf(tag.value), order: numberOf(tag.order) ?? 0 }))
    .filter(({ name }) => name !== "");
}

/** A hash of what an item shall be. */
export function hashOf(wanted: object): string {
  return sha256(JSON.stringify(wanted)).slice(0, 32);
}
