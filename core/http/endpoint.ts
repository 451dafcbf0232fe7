import type { Rules } from "../validation/validate.ts";

/** What the documentation tells of a route beside its method, path and permission. */
export interface EndpointSpec {
  /** Sentences, one paragraph a line. */
  readonly about: string;
  /** Rules of the body or, for a GET, of the query. */
  readonly rules?: Rules;
  /** The handler's name where it is not the method part of the endpoint, such as "exportHtml". */
  readonly handler?: string;
  /** "long" where an answer may take LONG_ANSWER_TIMEOUT_MS. */
  readonly takes?: "long";
  /** Samples for the documentation. */
  readonly example?: { readonly request?: unknown; readonly response?: unknown };
}

/** The facts of an endpoint under the keys the docs plugin and OpenAPI read them from. */
export interface EndpointDetail {
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Describes a route: `segment` is the first part of its path below /api, `action` the rest of its name in docs.json
 * (content-api 16), such as "books" and "list" for "books-list". Spread into the route's options.
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
