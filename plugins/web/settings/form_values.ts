import { type InputValue, isUpload } from "lectern/core";

/** The texts of a list in a form. */
export function listIn(value: InputValue | undefined): string[] {
  return Object.values(objectIn(value)).filter((item): item is string => typeof item === "string");
}

/** The object of nested field names, such as `rules[3][view]`; empty where there is none. */
export function objectIn(value: InputValue | undefined): Readonly<Record<string, InputValue | undefined>> {
  if (typeof value !== "object" || value === null || isUpload(value)) return {};
  return value as Readonly<Record<string, InputValue>>;
}
