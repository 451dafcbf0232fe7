/**
 * The schemas of answers. A route names them in Elysia's option `response`, which types its handler. Elysia would also check and
 * strip every answer by them, so the option is removed when the route is added: the schemas are kept for the document, and for
 * the judge, which checks answers in tests and in `dev` alone.
 */
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JudgeAnswer } from "./answer_judge.ts";

/** Schemas of success answers by status. */
export type AnswerSchemas = Readonly<Record<number, TSchema>>;

/** A route's own options, as far as they concern answers. */
interface RouteHook {
  readonly response?: TSchema | AnswerSchemas | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly afterHandle?: unknown;
  /** Schemas of a `guard` or `group` that encloses the route. */
  readonly standaloneValidator?: readonly GuardSchemas[];
}

interface GuardSchemas {
  readonly response?: TSchema | AnswerSchemas;
}

/**
 * The options of a route without `response`, its own and that of the guards around it. Its schemas are kept in `detail` as a function, since Elysia copies the objects
 * there without their symbols, by which TypeBox knows schemas.
 */
export function withoutResponse(
  hook: RouteHook,
  { method, path, judge }: { readonly method: string; readonly path: string; readonly judge: JudgeAnswer | undefined },
): RouteHook {
  const { response: named, standaloneValidator: guards, ...rest } = hook;
  const response = named ?? guards?.find((guard) => guard.response)?.response;
  const own = guards ? { ...rest, standaloneValidator: guards.map(({ response: _, ...guard }) => guard) } : rest;
  // The name of a model is for the compiler alone.
  const schemas = typeof response === "object" ? bySchemaStatus(response) : undefined;
  const detail = schemas ? { detail: { ...own.detail, "x-answers": () => schemas } } : {};
  if (!judge) return { ...own, ...detail };
  const check = (context: { readonly responseValue: unknown; readonly set: { readonly status?: unknown } }) =>
    judge({ route: `${method} ${path}`, schemas, value: context.responseValue, status: context.set.status });
  return { ...own, ...detail, afterHandle: [own.afterHandle ?? [], check].flat() };
}

/** The schemas that `withoutResponse` kept in the documentation of a route; undefined for a route without any. */
export function answersOf(detail: Readonly<Record<string, unknown>>): AnswerSchemas | undefined {
  const answers = detail["x-answers"];
  return typeof answers === "function" ? (answers() as AnswerSchemas) : undefined;
}

/** One schema is that of status 200. A schema has its kind under a symbol, a record by status has none. */
function bySchemaStatus(response: TSchema | AnswerSchemas): AnswerSchemas {
  return Object.getOwnPropertySymbols(response).length > 0 ? { 200: response as TSchema } : (response as AnswerSchemas);
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
