import type { ItemSchemas, Rules } from "../validation/validate.ts";

/** The documentation of a route, beside its method, path and permission. */
export interface EndpointSpec {
  /** Sentences; each line is a paragraph. */
  readonly about: string;
  /** Rules of the body or, for a GET, of the query. */
  readonly rules?: Rules;
  /** JSON schemas of fields of the body that say more than their rules, added to these: elements of a list, the format of a text. */
  readonly fields?: ItemSchemas;
  /** Statuses of errors that follow neither from the path nor from permit and body, such as the 404 of a parent. */
  readonly errors?: readonly number[];
  /** Rules of parameters in the query of a route that does not validate them, or that has a body too. */
  readonly query?: Rules;
  /** The name of the handler if it differs from the action, such as "exportHtml". */
  readonly handler?: string;
  /** "long" if an answer may take LONG_ANSWER_TIMEOUT_MS. */
  readonly takes?: "long";
  /** Examples of a body and an answer. */
  readonly example?: { readonly request?: unknown; readonly response?: unknown };
}

/** The documentation of a route as an option of Elysia; OpenAPI documents are made from it. */
export interface EndpointDetail {
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Documents a route; spread it into the options of the route. `segment` is the first part of the path below /api, `action` the
 * rest of the name in docs.json (content-api 16): "books" and "list" for "books-list".
 * @example
 * context.app.get("/notes/:id", ({ params }) => ({ id: idOf(params.id, "Note") }), {
 *   permit: "access-api",
 *   ...endpoint("notes", "read", { about: "Reads a note." }),
 * });
 */
export function endpoint(segment: string, action: string, facts: EndpointSpec): EndpointDetail {
  return {
    detail: {
      operationId: `${segment}-${action}`,
      tags: [segment],
      description: facts.about,
      "x-action": action,
      "x-facts": facts,
      ...(facts.takes ? { "x-takes": facts.takes } : {}),
    },
  };
}
