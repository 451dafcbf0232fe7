/**
 * The OpenAPI 3.0 document that @elysiajs/swagger makes of the routes. It is made from an Elysia app of its own, which answers
 * nothing else: the routes' methods and paths, parameters, schemas and descriptions. The package is loaded when the document
 * is first requested; its page, which would load scripts from other sites, is never served.
 */
import { Elysia } from "elysia";
import type { ResponseFields } from "lectern/contracts";
import { schemaOf, type TSchema, t, withContributedFields } from "lectern/core";
import { Components } from "./components.ts";
import type { DescribedRoute } from "./describe.ts";
import { type Json, objectIn, partsOf } from "./json.ts";
import { asForm } from "./media_types.ts";
import { fieldsOfInput, requestBody } from "./request_body.ts";

/** What the document is made from. */
export interface DocumentedRoutes {
  readonly routes: readonly DescribedRoute[];
  /** The slot `response_fields`. */
  readonly fields: readonly ResponseFields[];
  /** Schemas of elements of lists in bodies, by field. */
  readonly items: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Further schemas that the document refers to. */
  readonly named: readonly TSchema[];
}

const JSON_PATH = "/openapi-3.0.json";
const ORIGIN = "http://localhost";

/** The parameters of listings (content-api 3). */
const LIST_PARAMETERS = {
  count: t.Optional(t.Integer({ default: 100, minimum: 1, maximum: 500, description: "Records returned; clamped" })),
  offset: t.Optional(t.Integer({ default: 0, minimum: 0, description: "Records skipped" })),
  sort: t.Optional(t.String({ description: "Field name, with - in front for descending" })),
  filter: t.Optional(
    t.Record(t.String(), t.String(), {
      description: "filter[field] or filter[field:op] with op one of eq, ne, gt, lt, gte, lte, like",
    }),
  ),
};

/** Makes the document of @elysiajs/swagger. */
export async function swaggerDocument({ routes, fields, items, named }: DocumentedRoutes): Promise<Json> {
  const { swagger } = await import("@elysiajs/swagger");
  const components = new Components();
  const added = routes.map((route) => ({ route, answers: answersOf(route, fields, components) }));
  for (const schema of named) components.add(schema);
  const app = new Elysia({ aot: false });
  app.use(swagger({ path: "/page", specPath: JSON_PATH, excludeStaticFile: false }));
  app.model(components.schemas());
  for (const { route, answers } of added) {
    const { segment, action, facts, method, path, permit } = route;
    const detail = {
      operationId: `${segment}-${action}`,
      tags: [segment],
      summary: facts.about.split(/(?<=\.)\s/)[0],
      description: facts.about,
      "x-permission": permit,
      ...requestBody(route, items),
    };
    const hook = {
      parse: "application/json",
      params: pathParameters(route),
      query: queryOf(route),
      headers: headersOf(route),
      response: answers,
      detail,
    };
    // The options are data of plugins, whose types are not known here.
    app.route(method, path, () => new Response(), hook as never);
  }
  const response = await app.handle(new Request(ORIGIN + JSON_PATH));
  return objectIn(await response.json());
}

/** The answers of a route by status: the name of a component, or a schema without a name. */
function answersOf(
  { response = {} }: DescribedRoute,
  fields: readonly ResponseFields[],
  components: Components,
): Record<string, TSchema | string> {
  const answers = Object.entries(response).map(([status, schema]): [string, TSchema | string] => {
    const shown = components.add(withContributedFields(schema, fields));
    return [status, typeof shown.$ref === "string" ? shown.$ref : shown];
  });
  return Object.fromEntries(answers);
}

function pathParameters({ input, path }: DescribedRoute): TSchema | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  if (names.length === 0) return undefined;
  const own = fieldsOfInput(input.params);
  const schemaFor = (name: string) => (/^(?:id|\w+Id)$/.test(name) ? t.Integer({ minimum: 1 }) : t.String());
  return t.Object(Object.fromEntries(names.map((name) => [name, own[name] ?? schemaFor(name)])));
}

function headersOf({ input }: DescribedRoute): TSchema | undefined {
  const fields = fieldsOfInput(input.headers);
  return Object.keys(fields).length > 0 ? t.Object(fields) : undefined;
}

/** The query of a route: the parameters of listings, its rules where it has no body, its schemas, and those that it names itself. */
function queryOf({ facts, input, method, response }: DescribedRoute): TSchema | undefined {
  const rules = { ...(method === "GET" ? facts.rules : {}), ...facts.query };
  const { properties, required } = schemaOf(rules);
  const own = partsOf(properties).map(([name, schema]) => {
    const property = t.Unsafe(asForm(schema));
    return [name, Array.isArray(required) && required.includes(name) ? property : t.Optional(property)];
  });
  const isListing = response?.[200]?.["x-listing"] === true;
  const query = { ...Object.fromEntries(own), ...fieldsOfInput(input.query), ...(isListing ? LIST_PARAMETERS : {}) };
  return Object.keys(query).length > 0 ? t.Object(query) : undefined;
}
