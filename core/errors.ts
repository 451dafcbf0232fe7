import { filled } from "./std/filled.ts";

/** The details of an error beside its status and message. */
export interface ErrorDetails {
  /** Validation errors by field. */
  readonly validation?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message with its placeholders, and their values; absent if the message has none. */
  readonly text?: readonly [key: string, params: Readonly<Record<string, string>>];
  /** Further keys of the body beside `error`, for endpoints whose clients read another shape. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * An error whose message clients read; its status becomes the status of the answer. The English message is also the key of
 * its translations in the catalogue.
 * @example
 * throw new ApiError(409, "This note is being printed.");
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/**
 * The reason for which the runtime does not start, for operators.
 * @example
 * if (!context.settings.key) throw new BootError("Set NOTES_KEY to 32 letters or more");
 */
export class BootError extends Error {
  override readonly name = "BootError";
}

/**
 * An error whose message has placeholders, such as ":noun not found".
 * @example
 * throw localizedError(422, "At most :max notes fit on a page.", { max: "20" });
 */
export function localizedError(
  status: number,
  text: string,
  params: Readonly<Record<string, string>>,
  details: ErrorDetails = {},
): ApiError {
  return new ApiError(status, filled(text, params), { ...details, text: [text, params] });
}

/**
 * The 404 of an item that is missing or hidden: "Book not found" (content-api 1.4).
 * @example
 * if (!note) throw notFound("Note");
 */
export function notFound(noun: string): ApiError {
  return localizedError(404, ":noun not found", { noun });
}

/**
 * The 403 of the wire contract (content-api 1.4).
 * @example
 * if (note?.owned_by !== viewer.id) throw denied();
 */
export function denied(): ApiError {
  return new ApiError(403, "You do not have permission to perform the requested action.");
}

/**
 * The 422 of the wire contract for values of the body or the query, with one message or several by field (content-api 1.4).
 * @example
 * if (input.name === "") throw invalidFields({ name: "The name field is required." });
 */
export function invalidFields(errors: Readonly<Record<string, string | readonly string[]>>): ApiError {
  const validation = Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [field, typeof messages === "string" ? [messages] : messages]),
  );
  return new ApiError(422, "The given data was invalid.", { validation });
}

/** The body of an error: `{error: {message, validation?, code}}` (content-api 1.4); `message` may be a translation. */
export function errorBody(error: ApiError, message = error.message): Record<string, unknown> {
  const { extra, validation } = error.details;
  return { error: { message, ...(validation ? { validation } : {}), code: error.status }, ...extra };
}
