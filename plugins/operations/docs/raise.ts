/**
 * Turns the document of @elysiajs/swagger (OpenAPI 3.0.3) into a valid one of OpenAPI 3.1: it adds what the package leaves out
 * (descriptions of answers, errors, security, media types), removes what it copies from schemas to answers, and writes
 * references and nullable values as 3.1 does.
 */
import { mediaTypeOf, type TSchema } from "lectern/core";
import type { DescribedRoute } from "./describe.ts";
import { type ErrorShape, errorAnswers, type Security } from "./errors_and_security.ts";
import { isJson, type Json, objectIn, objectsIn, partsOf } from "./json.ts";

/** A type of media without a name, as a document has to say one. */
const ANY_FILE = "application/octet-stream";

/** What the raised document says beside the operations. */
export interface DocumentFrame {
  readonly info: Json;
  readonly baseUrl: string;
  readonly shapes: readonly ErrorShape[];
  readonly security: Security;
}

/** Raises a document. `routes` are those it was made from. */
export function raised(document: Json, routes: readonly DescribedRoute[], frame: DocumentFrame): Json {
  const { info, baseUrl, shapes, security } = frame;
  const paths = objectIn(document.paths);
  const operations: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    const method = route.method.toLowerCase();
    const operation = objectIn(paths[path])[method];
    if (isJson(operation))
      operations[path] = { ...operations[path], [method]: raisedOperation(operation, route, frame) };
  }
  const named = partsOf(objectIn(document.components).schemas).map(([name, schema]) => [name, plainSchema(schema)]);
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ segment }) => segment))].map((name) => ({ name })),
    paths: operations,
    components: {
      securitySchemes: security.schemes,
      responses: Object.assign({}, ...shapes.map(({ responses }) => responses)),
      schemas: Object.fromEntries(named),
    },
    security: security.byDefault,
  };
}

function raisedOperation(operation: Json, route: DescribedRoute, { security, shapes }: DocumentFrame): Json {
  const { parameters, responses, ...rest } = operation;
  const answers = partsOf(responses).map(([status, answer]) => [status, raisedAnswer(answer, status, route)]);
  // A route may answer without a schema.
  if (answers.length === 0) answers.push(["200", { description: "Success" }]);
  return {
    ...rest,
    ...security.of(route),
    parameters: objectsIn(parameters).map(raisedParameter),
    responses: { ...errorAnswers(route, shapes), ...Object.fromEntries(answers) },
  };
}

function raisedParameter({ name, in: place, required, description, schema }: Json): Json {
  const { description: own, ...plain } = plainSchema(objectIn(schema));
  const text = description ?? own;
  const style = plain.type === "object" ? { style: "deepObject", explode: true } : {};
  return { name, in: place, required, ...style, ...(text === undefined ? {} : { description: text }), schema: plain };
}

/** Only `description` and `content` belong to an answer; the package copies the options of its schema there. */
function raisedAnswer(answer: Json, status: string, { facts, response }: DescribedRoute): Json {
  const schema = response?.[Number(status)] as TSchema;
  const description = schema.description ?? descriptionOf(status);
  const media = mediaTypeOf(schema);
  if (media !== undefined) {
    const types = media
      .split(/,\s*/)
      .map((type) => [type || ANY_FILE, { schema: { type: "string", format: "binary" } }]);
    return { description, content: Object.fromEntries(types) };
  }
  const json = objectIn(objectIn(answer.content)["application/json"]).schema;
  if (!isJson(json)) return { description: status === "204" ? "No content" : description };
  const example = facts.example?.response === undefined ? {} : { example: facts.example.response };
  return { description, content: { "application/json": { schema: plainSchema(json), ...example } } };
}

function descriptionOf(status: string): string {
  if (status === "101") return "Switched to a WebSocket";
  return Number(status) < 400 ? "Success" : "Error";
}

/** A schema of JSON schema 2020-12, without options of the runtime. */
export function plainSchema(schema: Json): Json {
  if (typeof schema.$ref === "string")
    return { $ref: schema.$ref.startsWith("#") ? schema.$ref : `#/components/schemas/${schema.$ref}` };
  const entries = Object.entries(schema)
    .filter(([key, value]) => value !== undefined && key !== "$id" && !key.startsWith("x-"))
    .map(([key, value]) => [key, plainPart(key, value)]);
  return simplified(Object.fromEntries(entries));
}

function plainPart(key: string, value: unknown): unknown {
  if (key === "properties" || key === "patternProperties")
    return Object.fromEntries(partsOf(value).map(([name, part]) => [name, plainSchema(part)]));
  if (key === "example" || key === "examples" || key === "default" || key === "enum") return value;
  if (Array.isArray(value)) return value.map((one) => (isJson(one) ? plainSchema(one) : one));
  return isJson(value) ? plainSchema(value) : value;
}

/** Alternatives of constants are an enumeration, a plain type or null is a list of types. */
function simplified({ anyOf, patternProperties, ...schema }: Json): Json {
  // A record of TypeBox has a pattern for any name.
  if (patternProperties && schema.properties === undefined)
    return { ...schema, additionalProperties: Object.values(objectIn(patternProperties))[0] };
  const rest = patternProperties ? { ...schema, patternProperties } : schema;
  if (!Array.isArray(anyOf)) return rest;
  const options = objectsIn(anyOf);
  const others = options.filter(({ type }) => type !== "null");
  const isNullable = others.length < options.length;
  const [first] = others;
  if (others.length > 0 && others.every((option) => "const" in option))
    return {
      ...rest,
      type: isNullable ? [first?.type, "null"] : first?.type,
      enum: [...others.map((one) => one.const), ...(isNullable ? [null] : [])],
    };
  if (isNullable && others.length === 1 && first && typeof first.type === "string" && !("enum" in first))
    return { ...rest, ...first, type: [first.type, "null"] };
  return { ...rest, anyOf };
}
