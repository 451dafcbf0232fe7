import { type ItemSchemas, schemaOf } from "lectern/core";
import type { DescribedRoute } from "./describe.ts";
import type { Json } from "./json.ts";

/** The media types in which every body may be sent. */
const TYPES = ["application/json", "multipart/form-data", "application/x-www-form-urlencoded"];

/** The body of a route from its rules; nothing for routes without a body. */
export function requestBody({ facts, action, method }: DescribedRoute, items: ItemSchemas): { requestBody?: Json } {
  if (!facts.rules || method === "GET" || Object.keys(facts.rules).length === 0) return {};
  const schema = schemaOf(facts.rules, items);
  const example = facts.example?.request === undefined ? {} : { example: facts.example.request };
  const content = TYPES.map((type) => [type, type.endsWith("json") ? { schema, ...example } : { schema }]);
  return { requestBody: { required: action === "create", content: Object.fromEntries(content) } };
}
