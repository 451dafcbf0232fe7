/**
 * The OpenAPI 3.1 document, generated from the routes and the rules of their bodies. Responses are described by status and
 * envelope; their fields are shown by samples, since responses have no schema in production.
 */
import type { ListItemSchema } from "lectern/contracts";
import { type ItemSchemas, type RouteInfo, schemaOf } from "lectern/core";
import { type DescribedRoute, described, templated } from "./describe.ts";

/** A JSON object of a document. */
type Json = Record<string, unknown>;

const ERRORS: Readonly<Record<string, string>> = {
  "401": "No usable credentials",
  "403": "Not permitted",
  "404": "There is no such item, or the caller may not see it",
  "422": "The given data was invalid",
  "429": "Too many requests",
};

const LIST_PARAMETERS: readonly Json[] = [
  {
    name: "count",
    in: "query",
    description: "Records returned; clamped",
    schema: { type: "integer", default: 100, minimum: 1, maximum: 500 },
  },
  { name: "offset", in: "query", description: "Records skipped", schema: { type: "integer", default: 0, minimum: 0 } },
  { name: "sort", in: "query", description: "Field name, with - in front for descending", schema: { type: "string" } },
  {
    name: "filter",
    in: "query",
    style: "deepObject",
    explode: true,
    description: "filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like",
    schema: { type: "object", additionalProperties: { type: "string" } },
  },
];

/** The input of the document. */
export interface DocumentSource {
  readonly routes: readonly RouteInfo[];
  /** The slot `list_item_schema`. */
  readonly items: readonly ListItemSchema[];
  readonly baseUrl: string;
  readonly version: string;
}

/** Generates the document. */
export function openApi({ routes, items, baseUrl, version }: DocumentSource): Json {
  const schemas = Object.fromEntries(items.map(({ field, schema }) => [field, schema]));
  const paths: Record<string, Json> = {};
  for (const route of described(routes)) {
    const path = templated(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lectern",
      version,
      description: "REST API of this instance, compatible with BookStack's.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(described(routes).map(({ segment }) => segment))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "apiKey", in: "header", name: "Authorization", description: "Token <token_id>:<token_secret>" },
      },
      schemas: { Error: errorSchema(), Listing: listingSchema() },
    },
    security: [{ token: [] }],
  };
}

function operation(route: DescribedRoute, items: ItemSchemas): Json {
  const { segment, action, facts, method, path, permit } = route;
  const body = facts.rules && method !== "GET" && method !== "DELETE" ? { requestBody: requestBody(route, items) } : {};
  return {
    operationId: `${segment}-${action}`,
    tags: [segment],
    summary: facts.about.split(/(?<=\.)\s/)[0],
    description: facts.about,
    "x-permission": permit,
    ...(permit === "public" ? { security: [] } : {}),
    parameters: [...pathParameters(path), ...(action === "list" ? LIST_PARAMETERS : [])],
    ...body,
    responses: { ...success(route), ...refusals(permit) },
  };
}

function requestBody({ facts, action }: DescribedRoute, items: ItemSchemas): Json {
  const schema = schemaOf(facts.rules ?? {}, items);
  const example = facts.example?.request === undefined ? {} : { example: facts.example.request };
  const types = ["application/json", "multipart/form-data", "application/x-www-form-urlencoded"];
  return {
    required: action === "create",
    content: Object.fromEntries(
      types.map((type) => [type, type.endsWith("json") ? { schema, ...example } : { schema }]),
    ),
  };
}

function success({ action, facts, method }: DescribedRoute): Json {
  if (method === "DELETE") return { "204": { description: "Deleted" } };
  const schema = action === "list" ? { $ref: "#/components/schemas/Listing" } : { type: "object" };
  const example = facts.example?.response === undefined ? {} : { example: facts.example.response };
  return { "200": { description: "Success", content: { "application/json": { schema, ...example } } } };
}

function refusals(permit: string | undefined): Json {
  const wanted = permit === "public" ? ["429"] : Object.keys(ERRORS);
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(wanted.map((status) => [status, { description: ERRORS[status], content }]));
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "id" ? { type: "integer", minimum: 1 } : { type: "string" },
  }));
}

function errorSchema(): Json {
  const validation = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };
  const error = {
    type: "object",
    required: ["code", "message"],
    properties: { code: { type: "integer" }, message: { type: "string" }, validation },
  };
  return { type: "object", required: ["error"], properties: { error } };
}

function listingSchema(): Json {
  return {
    type: "object",
    required: ["data", "total"],
    properties: { data: { type: "array", items: { type: "object" } }, total: { type: "integer" } },
  };
}
