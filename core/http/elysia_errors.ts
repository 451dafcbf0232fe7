import {
  ElysiaCustomStatusResponse,
  InvalidCookieSignature,
  InvalidFileType,
  ParseError,
  ValidationError,
} from "elysia";
import { ApiError } from "../errors.ts";

/** What Elysia gives a hook for errors, as far as it is used. */
export interface ErrorContext {
  readonly code: unknown;
  readonly error: unknown;
  readonly request: Request;
  readonly set: { status?: number | string };
}

/**
 * The error to answer for what Elysia throws: schemas that refuse the input are a 422 with the errors by field, as rules are.
 * Elysia's own answers show the schema and the input. `isJudged` says that the schemas were judging the input: what
 * `Decode` of a `t.Transform` throws then is thrown as it is, with the status 422 set. Anything else is returned as it is.
 */
export function knownError(thrown: unknown, { status, isJudged }: { status: unknown; isJudged: boolean }): unknown {
  if (thrown instanceof ValidationError) return thrown.type === "response" ? responseError(thrown) : inputError(thrown);
  if (thrown instanceof InvalidFileType) return inputErrors({ [thrown.property]: [thrown.message] });
  if (thrown instanceof ParseError)
    return thrown.cause instanceof ApiError ? thrown.cause : new ApiError(400, "The request body could not be read.");
  if (thrown instanceof InvalidCookieSignature) return new ApiError(400, "A cookie of the request is invalid.");
  if (thrown instanceof ElysiaCustomStatusResponse && typeof thrown.response === "string")
    return new ApiError(thrown.code as number, thrown.response);
  return status === 422 && isJudged && thrown instanceof Error ? inputErrors({ input: [thrown.message] }) : thrown;
}

/**
 * The answer that a thrown value itself is, as Elysia's documentation says: `throw status(409, {…})`, a Response, or an error
 * with a `toResponse`. Undefined for anything else.
 */
export function answerOfError(thrown: unknown): Response | Promise<Response> | undefined {
  if (thrown instanceof Response) return thrown;
  if (thrown instanceof ElysiaCustomStatusResponse) {
    const { code, response } = thrown;
    return response instanceof Response ? response : Response.json(response, { status: Number(code) });
  }
  const { toResponse } = (thrown ?? {}) as { toResponse?: () => unknown };
  return typeof toResponse === "function" ? responseFrom(toResponse.call(thrown)) : undefined;
}

async function responseFrom(made: unknown): Promise<Response> {
  const answer = await made;
  return answer instanceof Response ? answer : Response.json(answer, { status: 500 });
}

function inputErrors(validation: Readonly<Record<string, readonly string[]>>): ApiError {
  return new ApiError(422, "validation.invalid", { validation });
}

/** One message for each field: TypeBox lists several for a missing one. A field of a list is `tags.0.name`. */
function inputError(error: ValidationError): ApiError {
  const messages: Record<string, string[]> = {};
  const errors = error.all;
  for (const one of errors) {
    const { path = "", message = "", schema } = one as Partial<FieldError>;
    // Schemas of other libraries name the whole input so.
    const field = path === "root" ? error.type : path.replace(/^\//, "").replaceAll("/", ".") || error.type;
    messages[field] ??= [ownMessage(schema?.error, error, { property: path, message, errors }) ?? message];
  }
  return inputErrors(messages);
}

/** The text that the option `error` of a schema gives, which may be a function as in Elysia's documentation. */
function ownMessage(option: unknown, error: ValidationError, about: object): string | undefined {
  const { type: on, validator, value } = error;
  const text =
    typeof option === "function"
      ? option({ type: "validation", on, value, found: value, ...about }, validator)
      : option;
  return typeof text === "string" ? text : undefined;
}

interface FieldError {
  readonly path: string;
  readonly message: string;
  readonly schema: { readonly error?: unknown };
}

/** An answer that its schema refuses is an error of the route; the answer itself is not logged. */
function responseError(error: ValidationError): Error {
  const [first] = error.all as readonly Partial<FieldError>[];
  return new Error(`An answer does not have the shape of its schema: ${first?.path ?? ""} ${first?.message ?? ""}`);
}
