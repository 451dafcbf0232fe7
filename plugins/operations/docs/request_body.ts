import { type ItemSchemas, mapSchema, schemaOf, type TSchema } from "lectern/core";
import type { DescribedRoute } from "./describe.ts";
import { type Json, partsOf } from "./json.ts";
import { mediaTypes } from "./media_types.ts";
import { plainSchema } from "./raise.ts";

/** The body of a route from its rules, or from its schemas; nothing for routes without a body. */
export function requestBody(route: DescribedRoute, items: ItemSchemas): { requestBody?: Json } {
  const { facts, action, input, method } = route;
  if (method === "GET") return {};
  const hasRules = Object.keys(facts.rules ?? {}).length > 0;
  const schema = hasRules ? withFields(schemaOf(facts.rules ?? {}, items), facts.fields) : bodySchema(input.body);
  if (!schema) return {};
  const required = action === "create" || (Array.isArray(schema.required) && !hasRules);
  return { requestBody: { required, content: mediaTypes(schema, facts.example?.request, route) } };
}

/** A schema with what a route says of single fields. */
function withFields(schema: Json, fields: ItemSchemas = {}): Json {
  const properties = partsOf(schema.properties);
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, field]) => [name, { ...field, ...fields[name] }])),
  };
}

/** The fields of the schemas of a route and its guards, with the types that JSON has; `t.Optional` in place of `required`. */
export function fieldsOfInput(schemas: readonly TSchema[]): Record<string, TSchema> {
  return Object.assign({}, ...schemas.map((schema) => (jsonTypes(schema).properties ?? {}) as Record<string, TSchema>));
}

function bodySchema(schemas: readonly TSchema[]): Json | undefined {
  const all = schemas.map((schema) => plainSchema(jsonTypes(schema)));
  return all.length > 1 ? { allOf: all } : all[0];
}

/** Formats of texts that Elysia's types convert, such as `t.Numeric`: a document says the type that they are converted to. */
const CONVERTED = ["numeric", "integer", "boolean", "ObjectString", "ArrayString", "date"];
/** Types that JSON does not have. */
const FOREIGN = ["Date", "undefined"];

/**
 * A schema without what JSON schema does not know: texts that are converted, dates as objects, messages. Elysia marks the objects
 * of schemas it has compiled as closed, but ignores further keys.
 */
function jsonTypes(schema: TSchema): TSchema {
  return mapSchema(schema, (part) => {
    const { additionalProperties, elysiaMeta, error, nullable, ...rest } = part;
    const kept = (additionalProperties ? { ...rest, additionalProperties } : rest) as TSchema;
    if (!Array.isArray(part.anyOf)) return kept;
    const options = (part.anyOf as TSchema[]).filter(
      ({ format, type }) => !FOREIGN.includes(type) && !CONVERTED.includes(format),
    );
    const { anyOf, ...others } = kept;
    return (options.length === 1 ? { ...options[0], ...others } : { ...kept, anyOf: options }) as TSchema;
  });
}
