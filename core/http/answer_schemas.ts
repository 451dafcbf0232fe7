/**
 * The schemas of answers. A route names them in Elysia's option `response`, which types its handler. Elysia would also check and
 * strip every answer by them, so the routes of the root have none: the schemas are kept for the document, and for the judge, which checks
 * answers in tests and in `dev` alone.
 */
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JudgeAnswer } from "./answer_judge.ts";
import type { Models } from "./elysia_internals.ts";
import { isTypeBox, modelOf } from "./input_schemas.ts";

/** Schemas of success answers by status. */
export type AnswerSchemas = Readonly<Record<number, TSchema>>;

/** A schema, or schemas by status; a text is the name of a model. */
type NamedAnswers = TSchema | string | Readonly<Record<number, TSchema | string>>;

interface GuardSchemas {
  readonly response?: NamedAnswers;
}

/** The options of a route, as far as they concern answers. */
interface AnswerOptions extends GuardSchemas {
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Schemas of a `guard` or `group` that encloses the route. */
  readonly standaloneValidator?: readonly GuardSchemas[];
}

const ANSWERS = "x-answers";

/**
 * The options of a route, with its own `response` in `detail`: Elysia would replace it by that of a guard. It is kept there as a function, since
 * Elysia copies objects without their symbols, by which TypeBox knows schemas.
 */
export function keepAnswers(options: AnswerOptions): AnswerOptions {
  const { response, ...rest } = options;
  return response ? { ...rest, detail: { ...rest.detail, [ANSWERS]: () => response } } : options;
}

/** The schemas of a route's success answers, else those of the guards around it. Throws for the name of a model that there is not. */
export function answersOf(options: AnswerOptions, models: Models): AnswerSchemas | undefined {
  const { response, detail = {}, standaloneValidator: guards } = options;
  const kept = detail[ANSWERS];
  const own = typeof kept === "function" ? (kept() as NamedAnswers) : response;
  const named = own ?? guards?.find((guard) => guard.response)?.response;
  return named === undefined ? undefined : byStatus(named, models);
}

/** The options of a route without the schemas of answers, its own and those of the guards around it. */
export function withoutAnswers({ response: _, standaloneValidator: guards, ...rest }: AnswerOptions): object {
  return guards ? { ...rest, standaloneValidator: guards.map(({ response: _, ...guard }) => guard) } : rest;
}

/** A hook that has the answers of a route judged. */
export function judging(route: RecordedRoute, judge: JudgeAnswer) {
  const { method, path, response: schemas } = route;
  return (context: { readonly responseValue: unknown; readonly set: { readonly status?: unknown } }) =>
    judge({ route: `${method} ${path}`, schemas, value: context.responseValue, status: context.set.status });
}

/** The route whose answers are judged. */
interface RecordedRoute {
  readonly method: string;
  readonly path: string;
  readonly response: AnswerSchemas | undefined;
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
