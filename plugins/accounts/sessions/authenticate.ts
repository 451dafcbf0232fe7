/**
 * Who asks, from the cookie of a session (platform 1.4 and 1.5). The API takes it for GET alone, so no page elsewhere can
 * make a browser write. A cookie that names no living session is an anonymous visitor's: the guest, where the instance
 * is public. Requests with a token never come here, as the resolver of tokens is asked first.
 */
import type { Users } from "lectern/contracts";
import { ApiError, type Authenticate, mayUseApi, type Viewer } from "lectern/core";
import { type CookieStyle, cookieOf } from "./cookie.ts";
import type { FindSession } from "./session_cache.ts";

/** What recognising needs of the plugin. */
export interface AuthenticateParts {
  readonly style: CookieStyle;
  readonly users: Pick<Users, "viewer">;
  readonly find: FindSession;
  /** The guest as a viewer; undefined where there is none. */
  guest(): Promise<Viewer | undefined>;
  /** Whether visitors may be guests (setting app-public). */
  readonly isPublic: boolean;
  /** Whether accounts whose e-mail address is not confirmed are refused. */
  readonly needsConfirmation: boolean;
}

const NO_API = new ApiError(403, "The owner of the used API token does not have permission to make API calls");
const ONLY_GET = new ApiError(403, "Only GET requests are allowed when using the API with cookie-based authentication");
/** The 401 for accounts whose address is not confirmed (platform 1.3, A7). */
export const UNCONFIRMED = new ApiError(401, "The email address for the account in use needs to be confirmed");

const AS_GUEST = new WeakMap<Viewer, Viewer>();

/** A user as an anonymous visitor: always the same viewer, so that what is kept for it is found again. */
export function asGuest(viewer: Viewer): Viewer {
  const known = AS_GUEST.get(viewer) ?? { ...viewer, via: "guest" as const };
  AS_GUEST.set(viewer, known);
  return known;
}

/** Makes the resolver of sessions. */
export function sessionResolver(parts: AuthenticateParts): Authenticate {
  const { find, guest, isPublic, needsConfirmation, style, users } = parts;
  return (request) => {
    const cookie = cookieOf(request.headers.get("cookie"), style);
    return cookie === undefined ? undefined : recognised(cookie, request.method);
  };

  async function recognised(cookie: string, method: string): Promise<Viewer | ApiError> {
    const session = await find(cookie);
    const viewer = session && (await users.viewer(session.userId));
    const final = viewer ?? (isPublic ? await guest() : undefined);
    if (!final || !mayUseApi(final)) return NO_API;
    if (method !== "GET") return ONLY_GET;
    if (viewer && needsConfirmation && !session?.isConfirmed) return UNCONFIRMED;
    return final;
  }
}
