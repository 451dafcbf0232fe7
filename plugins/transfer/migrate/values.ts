/**
 * Reads values in responses of another server. Versions differ, so a value of an unexpected type counts as absent, which
 * affects only that field and not the item.
 */
import type { Json } from "lectern/cli";
import { sha256, storable } from "lectern/core";
import { isObject } from "lectern/db";

/** A string, made storable; "" for none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? storable(value) : "";
}

/** A 32-bit integer; undefined for none. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : undefined;
}

/** An object; empty for none. */
export function objectOf(value: unknown): Json {
  return isObject(value) && !Array.isArray(value) ? value : {};
}

/** The objects of a list; empty for none. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** The id in a reference, which is a number or an object with an id. */
export function idIn(value: unknown): number | undefined {
  return numberOf(isObject(value) ? value.id : value);
}

/** A timestamp; the Unix epoch for none, so that the result is stable. */
export function timeOf(value: unknown): string {
  const text = textOf(value);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : "1970-01-01T00:00:00.000000Z";
}

/** Tags as they are stored. */
export function tagsOf(value: unknown): { name: string; value: string; order: number }[] {
  return listOf(value)
    .map((tag) => ({ name: textOf(tag.name), value: textOf(tag.value), order: numberOf(tag.order) ?? 0 }))
    .filter(({ name }) => name !== "");
}

/** The hash of an item's desired state. */
export function hashOf(desired: object): string {
  return sha256(JSON.stringify(desired)).slice(0, 32);
}
