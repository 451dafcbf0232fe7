/**
 * The schemas of answers. A route names them in Elysia's option `response`, which types its handler. Elysia would also check and
 * strip every answer by them, so the option is removed when the route is added: the schemas are kept for the document, and for
 * the judge, which checks answers in tests and in `dev` alone.
 */
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JudgeAnswer } from "./answer_judge.ts";
import { isTypeBox, type Models, modelOf } from "./input_schemas.ts";

/** Schemas of success answers by status. */
export type AnswerSchemas = Readonly<Record<number, TSchema>>;

/** A route's own options, as far as they concern answers. */
interface RouteHook {
  readonly response?: NamedAnswers | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly afterHandle?: unknown;
  /** Schemas of a `guard` or `group` that encloses the route. */
  readonly standaloneValidator?: readonly GuardSchemas[];
}

/** A schema, or schemas by status; a text is the name of a model. */
type NamedAnswers = TSchema | string | Readonly<Record<number, TSchema | string>>;

interface GuardSchemas {
  readonly response?: NamedAnswers;
}

/** The route whose options `withoutResponse` changes. */
interface RecordedRoute {
  readonly method: string;
  readonly path: string;
  readonly judge: JudgeAnswer | undefined;
  /** The models of the app, which may be added after the route. */
  models(): Models;
}

/**
 * The options of a route without `response`, its own and that of the guards around it. Its schemas are kept in `detail` as a function, since Elysia copies the objects
 * there without their symbols, by which TypeBox knows schemas.
 */
export function withoutResponse(hook: RouteHook, { method, path, judge, models }: RecordedRoute): RouteHook {
  const { response: named, standaloneValidator: guards, ...rest } = hook;
  const response = named ?? guards?.find((guard) => guard.response)?.response;
  const own = guards ? { ...rest, standaloneValidator: guards.map(({ response: _, ...guard }) => guard) } : rest;
  let known: AnswerSchemas | undefined;
  const schemas = () => {
    known ??= response === undefined ? undefined : byStatus(response, models());
    return known;
  };
  const detail = response ? { detail: { ...own.detail, "x-answers": schemas } } : {};
  if (!judge) return { ...own, ...detail };
  const check = (context: { readonly responseValue: unknown; readonly set: { readonly status?: unknown } }) =>
    judge({ route: `${method} ${path}`, schemas: schemas(), value: context.responseValue, status: context.set.status });
  return { ...own, ...detail, afterHandle: [own.afterHandle ?? [], check].flat() };
}

/** The schemas that `withoutResponse` kept in the documentation of a route; undefined for a route without any. */
export function answersOf(detail: Readonly<Record<string, unknown>>): AnswerSchemas | undefined {
  const answers = detail["x-answers"];
  return typeof answers === "function" ? (answers() as AnswerSchemas | undefined) : undefined;
}

/**
 * One schema is that of status 200. A schema has its kind under a symbol, a record by status has none. Undefined for schemas of
 * other libraries. Throws for the name of a model that there is not.
 */
function byStatus(response: NamedAnswers, models: Models): AnswerSchemas | undefined {
  const isOne =
    typeof response === "string" || "~standard" in response || Object.getOwnPropertySymbols(response).length > 0;
  const named = Object.entries(isOne ? { 200: response } : response);
  const schemas = named.map(([status, schema]) => [status, modelOf(schema, models)] as const);
  return schemas.every(([, schema]) => isTypeBox(schema)) ? (Object.fromEntries(schemas) as AnswerSchemas) : undefined;
}

/**
 * The schema of an answer that is no JSON. Media types are separated by commas; a star stands for any
 * subtype.
 * @example
 * context.app.get("/notes.csv", () => new Response("id,name", { headers: { "content-type": "text/csv" } }), {
 *   permit: "access-api",
 *   response: fileAnswer("text/csv"),
 * });
 */
export function fileAnswer(mediaTypes: string): TUnsafe<Response | string> {
  return Type.Unsafe<Response | string>({ type: "string", format: "binary", "x-media-type": mediaTypes });
}

/**
 * The media types of a schema made by `fileAnswer`; undefined for JSON.
 * @example
 * mediaTypeOf(fileAnswer("text/csv")); // text/csv
 */
export function mediaTypeOf(schema: TSchema): string | undefined {
  return schema["x-media-type"] as string | undefined;
}
