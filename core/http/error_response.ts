import { ApiError, errorBody } from "../errors.ts";
import { noteCallError } from "../events/joined_calls.ts";
import type { Texts } from "../i18n/catalogue.ts";
import { chosenLanguage } from "../i18n/languages.ts";
import type { Log } from "../log.ts";
import { defaultHeaders, JSON_TYPE } from "./default_headers.ts";
import type { RequestState } from "./request_context.ts";
import { pathOf } from "./request_rewrite.ts";
import { unexpectedError } from "./unexpected_error.ts";

/** Dependencies of `ErrorResponses`. */
export interface ErrorResponseParts {
  readonly log: Log;
  readonly texts: Texts;
}

/** Makes the answers to errors: one shape for all, or that of the route scope, in the language of the client. */
export class ErrorResponses {
  readonly #parts: ErrorResponseParts;

  constructor(parts: ErrorResponseParts) {
    this.#parts = parts;
  }

  /** The answer to whatever was thrown, with the default headers. */
  of(request: Request, state: RequestState, thrown: unknown): Response {
    const { log, texts } = this.#parts;
    noteCallError(thrown);
    const about = { method: request.method, path: pathOf(request.url), requestId: state.requestId };
    const error = thrown instanceof ApiError ? thrown : unexpectedError(log, thrown, about);
    // The wire contract has refusals with status 500.
    if (thrown === error && error.status >= 500)
      log.warn("Refused a request", { requestId: state.requestId, reason: error.message });
    const [text, params] = error.details.text ?? [error.message, {}];
    const message = this.#translate(text, params, this.languageOf(request, state) ?? texts.language());
    const body = state.scope?.formatError
      ? state.scope.formatError(error.status, message, error)
      : errorBody(error, message);
    const headers = { ...defaultHeaders(state), "content-type": JSON_TYPE, ...error.details.headers };
    return Response.json(body, { status: error.status, headers });
  }

  /** The preferred language of a request: the viewer's, else the best of `Accept-Language`. */
  languageOf({ headers }: Request, { viewer }: RequestState): string | undefined {
    return chosenLanguage(viewer.language, headers.get("accept-language"), this.#parts.texts.languages());
  }

  /** Translates a message and the values of its placeholders, such as "Book" in ":noun not found". */
  #translate(text: string, params: Readonly<Record<string, string>>, language: string): string {
    const { texts } = this.#parts;
    const translated = Object.entries(params).map(([name, value]) => [name, texts.say(value, {}, language)]);
    return texts.say(text, Object.fromEntries(translated), language);
  }
}
