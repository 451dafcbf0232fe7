/**
 * Authenticates requests by the header `Authorization: Token id:secret`. The order and the texts of the errors are those of
 * platform 1.3. Every request of the API passes here, so the usual case neither queries the store nor creates a promise:
 * token and user are cached until a commit changes them. The plugin sessions authenticates by cookie.
 */
import type { Users } from "lectern/contracts";
import { ApiError, type Authenticate, type Cached, matchesSecret, mayUseApi, type Viewer } from "lectern/core";
import { credentialsOf } from "./credentials.ts";
import { byToken } from "./scope.ts";
import { type CachedToken, UNKNOWN } from "./token_cache.ts";

/** The dependencies of the resolver. */
export interface TokenResolverOptions {
  readonly tokens: Cached<CachedToken>;
  readonly users: Users;
  /** Records a use of a token. */
  used(token: CachedToken): void;
  /** Verifies a secret against a bcrypt hash; if it matches, replaces the hash by a fast one. */
  upgrade(token: CachedToken, secret: string): Promise<boolean>;
}

const MALFORMED = new ApiError(
  401,
  "An authorization token was found on the request but the format appeared incorrect",
);
const WRONG_SECRET = new ApiError(401, "The secret provided for the given used API token is incorrect");
const EXPIRED = new ApiError(403, "The authorization token used has expired");
const NO_API = new ApiError(403, "The owner of the used API token does not have permission to make API calls");
const UNCONFIRMED = new ApiError(401, "The email address for the account in use needs to be confirmed");
const UNAUTHORIZED = new ApiError(401, "Unauthorized");

const READ_ONLY = new ApiError(403, "The API token used is read-only: it allows the methods GET and HEAD alone");
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Creates the resolver of tokens. */
export function tokenResolver(options: TokenResolverOptions): Authenticate {
  const { tokens, users } = options;
  const check = (token: CachedToken, viewer: Viewer | undefined, method: string) => {
    if (token.expiresAt <= Date.now()) return EXPIRED;
    // The user was deleted, and the cached token has not been invalidated yet.
    if (!viewer) return UNAUTHORIZED;
    if (!mayUseApi(viewer)) return NO_API;
    if (!token.isConfirmed && users.needsConfirmation()) return UNCONFIRMED;
    if (token.readOnly && !READING.has(method)) return READ_ONLY;
    options.used(token);
    return byToken(viewer, token);
  };
  const withUser = (token: CachedToken, method: string) => {
    const viewer = users.viewer(token.userId);
    return viewer instanceof Promise
      ? viewer.then((found) => check(token, found, method))
      : check(token, viewer, method);
  };
  const verify = (token: CachedToken, secret: string, method: string) => {
    if (matchesSecret(secret, token.hash)) return withUser(token, method);
    if (!token.hash.startsWith("$2")) return WRONG_SECRET;
    return options.upgrade(token, secret).then((fits) => (fits ? withUser(token, method) : WRONG_SECRET));
  };
  return (request) => {
    const header = request.headers.get("authorization");
    // Another scheme may be meant for a proxy, while a cookie authenticates the request (platform 1.4).
    if (header !== null && !/^\s*token\b/i.test(header) && request.headers.has("cookie")) return undefined;
    const credentials = credentialsOf(header);
    if (credentials === undefined) return undefined;
    if (credentials === "malformed") return MALFORMED;
    const token = tokens.get(credentials.tokenId);
    const { secret } = credentials;
    if (!(token instanceof Promise)) return verify(token, secret, request.method);
    return token.then((found) => verify(found, secret, request.method), rejected);
  };
}

function rejected(error: unknown): ApiError {
  if (error === UNKNOWN) return UNKNOWN;
  throw error;
}
