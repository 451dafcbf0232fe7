/** The schemas of a route's input, its own and those of the guards around it, as the document describes them. */
import { Kind, type TSchema } from "@sinclair/typebox";
import type { Models } from "./elysia_internals.ts";

const PLACES = ["body", "query", "params", "headers", "cookie"] as const;
type Place = (typeof PLACES)[number];

/** TypeBox schemas by place; a guard and its route may each have one. Schemas of other libraries are left out. */
export type InputSchemas = Readonly<Record<Place, readonly TSchema[]>>;

type NamedSchemas = Partial<Record<Place, unknown>>;

/** Finds the schemas of a route by its options. Throws for the name of a model that the plugin has not added. */
export function inputSchemasOf(
  hooks: NamedSchemas & { readonly standaloneValidator?: readonly NamedSchemas[] },
  models: Models,
): InputSchemas {
  const all = [hooks, ...(hooks.standaloneValidator ?? [])];
  const of = (place: Place) => all.map((schemas) => modelOf(schemas[place], models)).filter(isTypeBox);
  return Object.fromEntries(PLACES.map((place) => [place, of(place)])) as Record<Place, TSchema[]>;
}

/** The schema that a route names, which may be the name of a model. Throws if there is no such model. */
export function modelOf(schema: unknown, models: Models): unknown {
  if (typeof schema !== "string") return schema;
  if (!Object.hasOwn(models, schema)) throw new Error(`its schema "${schema}" is not a model of the plugin`);
  return models[schema];
}

/** Whether a schema is one of TypeBox, and not of a library of the Standard Schema. */
export function isTypeBox(schema: unknown): schema is TSchema {
  return typeof schema === "object" && schema !== null && Kind in schema;
}
