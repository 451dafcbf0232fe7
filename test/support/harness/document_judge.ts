/**
 * Judges answers by an OpenAPI document alone, as a client would that has nothing else: the status is named, the media type is one
 * of those of the status, and JSON fits its schema (ajv, with formats), in which objects have no keys beside those that are named.
 * The judge of the runtime (`core/http/answer_judge.ts`) compares with the schemas that plugins declare, before a document is made
 * of them.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Json }>>;

/** An answer as it was received. */
export interface ReceivedAnswer {
  readonly status: number;
  /** The header `content-type`. */
  readonly type: string | null;
  /** JSON that was parsed, or text; "" for an empty body. */
  readonly body: unknown;
}

/** Says what is wrong with an answer to an operation; nothing if it is as the document says. */
export type DocumentJudge = (method: string, path: string, answer: ReceivedAnswer) => string[];

/** Makes a judge from a document. Paths are those of the document, such as `/api/books/{id}`. */
export function documentJudge(document: Json): DocumentJudge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("binary", true);
  const { paths, components } = closed(document) as {
    paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
    components: { responses: Record<string, Json> };
  };
  ajv.addSchema({ $id: "document", components });
  const checks = new Map<Json, ValidateFunction>();
  const checkOf = (schema: Json): ValidateFunction => {
    const known = checks.get(schema) ?? ajv.compile(absolute(schema) as Json);
    checks.set(schema, known);
    return known;
  };
  return (method, path, { status, type, body }) => {
    const named = paths[path]?.[method.toLowerCase()]?.responses[status];
    if (named === undefined) return [`no status ${status} is named`];
    const reference = typeof named.$ref === "string" ? named.$ref.split("/").at(-1) : undefined;
    const answer = reference === undefined ? named : components.responses[reference];
    const content = answer?.content as Content | undefined;
    if (body === "" && content === undefined) return [];
    const media = Object.keys(content ?? {}).find((one) => fits(one, type));
    if (media === undefined) return [`${type} is none of ${Object.keys(content ?? {})}`];
    if (media !== "application/json") return [];
    const check = checkOf(content?.[media]?.schema as Json);
    if (check(body)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** Whether a media type is one of the document, which may end in `*`. */
function fits(wanted: string, type: string | null): boolean {
  const own = type?.split(";")[0] ?? "";
  return wanted === own || (wanted.endsWith("*") && own.startsWith(wanted.slice(0, -1)));
}

/** A copy in which objects have no keys beside those that are named, unless they allow them. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  const isObject = copy.type === "object" || (Array.isArray(copy.type) && copy.type.includes("object"));
  return isObject && typeof copy.properties === "object" && !("additionalProperties" in copy)
    ? { ...copy, unevaluatedProperties: false }
    : copy;
}

/** A copy whose references lead into the document. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string" ? part.replace(/^#/, "document#") : absolute(part),
    ]),
  );
}
