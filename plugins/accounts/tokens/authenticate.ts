/**
 * Who asks, from the header `Authorization: Token id:secret`; the order of the refusals and their texts are those of
 * platform 1.3. Every request of the API passes here, so the usual case touches no store and creates no promise: token
 * and user are remembered until a commit changes them. Sessions are another plugin's business.
 */
import type { Users } from "lectern/contracts";
import { ApiError, type Authenticate, type Cached, matchesSecret, mayUseApi, type Viewer } from "lectern/core";
import { credentialsOf } from "./header.ts";
import { byToken } from "./scope.ts";
import { type KnownToken, UNKNOWN } from "./token_cache.ts";

/** What recognising needs of the plugin. */
export interface AuthenticateParts {
  readonly known: Cached<KnownToken>;
  readonly users: Users;
  /** Whether accounts whose e-mail address is not confirmed are refused. */
  readonly needsConfirmation: boolean;
  /** Notes that a token was used. */
  used(token: KnownToken): void;
  /** Checks a bcrypt hash and replaces it with a fast one. */
  upgrade(token: KnownToken, secret: string): Promise<boolean>;
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

/** Makes the resolver of tokens. */
export function tokenResolver(parts: AuthenticateParts): Authenticate {
  const { known, users, needsConfirmation } = parts;
  const judge = (token: KnownToken, viewer: Viewer | undefined, method: string) => {
    if (token.endsAt <= Date.now()) return EXPIRED;
    // The user is gone, and word of it has not reached what is remembered of the token.
    if (!viewer) return UNAUTHORIZED;
    if (!mayUseApi(viewer)) return NO_API;
    if (needsConfirmation && !token.isConfirmed) return UNCONFIRMED;
    if (token.readOnly && !READING.has(method)) return READ_ONLY;
    parts.used(token);
    return byToken(viewer, token);
  };
  const owned = (token: KnownToken, method: string) => {
    const viewer = users.viewer(token.userId);
    return viewer instanceof Promise
      ? viewer.then((found) => judge(token, found, method))
      : judge(token, viewer, method);
  };
  const open = (token: KnownToken, secret: string, method: string) => {
    if (matchesSecret(secret, token.hash)) return owned(token, method);
    if (!token.hash.startsWith("$2")) return WRONG_SECRET;
    return parts.upgrade(token, secret).then((fits) => (fits ? owned(token, method) : WRONG_SECRET));
  };
  return (request) => {
    const header = request.headers.get("authorization");
    // Another scheme is another's business, such as a proxy's, where a cookie may say who asks (platform 1.4).
    if (header !== null && !/^\s*token\b/i.test(header) && request.headers.has("cookie")) return undefined;
    const credentials = credentialsOf(header);
    if (credentials === undefined) return undefined;
    if (credentials === "malformed") return MALFORMED;
    const token = known.get(credentials.tokenId);
    const { secret } = credentials;
    if (!(token instanceof Promise)) return open(token, secret, request.method);
    return token.then((found) => open(found, secret, request.method), refused);
  };
}

function refused(error: unknown): ApiError {
  if (error === UNKNOWN) return UNKNOWN;
  throw error;
}
