/**
 * Errors and credentials of the routes. Most routes take a token of the API; the slot `credential_scheme` names others, such as
 * a session's cookie, and paths with credentials and an error shape of their own.
 */
import type { CredentialScheme } from "lectern/contracts";
import { type TSchema, t } from "lectern/core";
import type { DescribedRoute } from "./describe.ts";
import type { Json } from "./json.ts";

/** The body of an error (content-api 1.4). */
export const errorSchema = t.Object(
  {
    error: t.Object({
      code: t.Integer(),
      message: t.String(),
      validation: t.Optional(t.Record(t.String(), t.Array(t.String()), { description: "Messages by field" })),
    }),
  },
  { $id: "Error" },
);

const ERRORS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  "400": ["BadRequest", "The request cannot be read, or asks for what makes no sense"],
  "401": ["Unauthorized", "No usable credentials"],
  "403": ["Forbidden", "Not permitted"],
  "404": ["NotFound", "There is no such item, or the caller may not see it"],
  "409": ["Conflict", "Somebody else has changed it, or its state does not permit it"],
  "413": ["TooLarge", "The body is too large"],
  "415": ["UnsupportedEncoding", "The body is encoded in a way that is not read"],
  "422": ["Unprocessable", "The given data was invalid"],
  "429": ["TooManyRequests", "Too many requests"],
  "500": ["Refused", "What was asked for cannot be done; the message says why"],
  "501": ["NotAvailable", "The operator has not set this up"],
  "503": ["Unavailable", "Not possible at the moment; try again later"],
  default: ["Failure", "Any other error, such as 405 for a method in disguise or 507 for a full disk"],
};

/** The errors of paths that share a shape. */
export interface ErrorShape {
  /** Below /api; undefined for all other paths. */
  readonly prefixes: readonly string[] | undefined;
  readonly schema: TSchema;
  /** The name of each component by status. */
  readonly names: Readonly<Record<string, string>>;
  /** The components. */
  readonly responses: Json;
}

/** The shapes of errors: those of the slot, and that of the API at the end. */
export function errorShapes(schemes: readonly CredentialScheme[]): ErrorShape[] {
  const own = schemes.flatMap(({ prefixes, error }) => (prefixes && error ? [shapeOf(error, prefixes)] : []));
  return [...own, shapeOf(errorSchema)];
}

function shapeOf(schema: TSchema, prefixes?: readonly string[]): ErrorShape {
  const kind = String(schema.$id);
  const prefix = prefixes ? kind.replace(/Error$/, "") : "";
  const names = Object.fromEntries(Object.entries(ERRORS).map(([status, [name]]) => [status, prefix + name]));
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${kind}` } } };
  const responses = Object.entries(ERRORS).map(([status, [, description]]) => [
    names[status],
    { description, content },
  ]);
  return { prefixes, schema, names, responses: Object.fromEntries(responses) };
}

/** The errors of a route, as references to components. */
export function errorAnswers(
  { facts, input, method, path, permit, response }: DescribedRoute,
  shapes: readonly ErrorShape[],
): Json {
  const shape = shapes.find(({ prefixes }) => !prefixes || isBelow(path, prefixes));
  const isListing = response?.[200]?.["x-listing"] === true;
  const checksInput = facts.rules !== undefined || isListing || Object.values(input).some(({ length }) => length > 0);
  const statuses = new Set([
    ...(method === "GET" ? [] : ["400", "413"]),
    ...(permit === "public" ? [] : ["401", "403"]),
    ...(path.includes(":") ? ["404"] : []),
    ...(checksInput ? ["422"] : []),
    "429",
    "503",
    ...(facts.errors ?? []).map(String),
    "default",
  ]);
  return Object.fromEntries(
    [...statuses].map((status) => [status, { $ref: `#/components/responses/${shape?.names[status]}` }]),
  );
}

/** The credentials of a document. */
export interface Security {
  readonly schemes: Json;
  readonly byDefault: readonly Json[];
  /** The member `security` of an operation that differs from the default. */
  of(route: DescribedRoute): { readonly security?: readonly Json[] };
}

const TOKEN = { type: "apiKey", in: "header", name: "Authorization", description: "Token <token_id>:<token_secret>" };

/** The credentials of the API and those of the slot. */
export function securityOf(contributed: readonly CredentialScheme[]): Security {
  const requirement = ({ schemes }: CredentialScheme): Json =>
    Object.fromEntries(Object.keys(schemes).map((name) => [name, []]));
  return {
    schemes: Object.assign({ token: TOKEN }, ...contributed.map(({ schemes }) => schemes)),
    byDefault: [{ token: [] }, ...contributed.filter(({ prefixes }) => !prefixes).map(requirement)],
    of({ path, permit }) {
      if (permit === "public") return { security: [] };
      const own = contributed.find(({ prefixes }) => prefixes && isBelow(path, prefixes));
      return own ? { security: [requirement(own)] } : {};
    },
  };
}

function isBelow(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => path === `/api${prefix}` || path.startsWith(`/api${prefix}/`));
}
