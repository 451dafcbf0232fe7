import { isObject } from "lectern/db";

/** A JSON object of a document. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isJson(value: unknown): value is Json {
  return isObject(value) && !Array.isArray(value);
}

/** The object in a value; an empty one for any other value. */
export function objectIn(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The objects in a list; none for any other value. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The members of an object that are objects, such as the schemas of properties. */
export function partsOf(value: unknown): readonly (readonly [name: string, part: Json])[] {
  return Object.entries(objectIn(value)).flatMap(([name, part]) => (isJson(part) ? [[name, part] as const] : []));
}
