/**
 * Authenticates requests by the cookie of a session (platform 1.4 and 1.5). The API accepts it for GET alone, so that pages of
 * other sites cannot make a browser write. A cookie without a valid session is that of an anonymous visitor, who is the
 * guest if the instance is public. Requests with a token do not get here, as the resolver of tokens is called first.
 */
import type { InstanceSettings, Users } from "lectern/contracts";
import { ApiError, type Authenticate, frozenViewer, mayUseApi, type Viewer } from "lectern/core";
import { type CookieStyle, cookieOf } from "./cookie.ts";
import type { FindSession } from "./session_cache.ts";

/** The dependencies of the resolver. */
export interface SessionResolverOptions {
  readonly cookieStyle: CookieStyle;
  readonly users: Pick<Users, "needsConfirmation" | "viewer">;
  readonly settings: Pick<InstanceSettings, "fresh" | "value">;
  readonly findSession: FindSession;
  /** The guest as a viewer; undefined if there is none. */
  guest(): Viewer | undefined | Promise<Viewer | undefined>;
}

const NO_API = new ApiError(403, "The owner of the used API token does not have permission to make API calls");
const ONLY_GET = new ApiError(403, "Only GET requests are allowed when using the API with cookie-based authentication");
/** The 401 for accounts with an unconfirmed e-mail address (platform 1.3, A7). */
export const UNCONFIRMED = new ApiError(401, "The email address for the account in use needs to be confirmed");

const AS_GUEST = new WeakMap<Viewer, Viewer>();

/** The viewer of a user as an anonymous visitor: always the same object, so that values cached by viewer are found again. */
export function asGuest(viewer: Viewer): Viewer {
  const cached = AS_GUEST.get(viewer) ?? frozenViewer({ ...viewer, via: "guest" });
  AS_GUEST.set(viewer, cached);
  return cached;
}

/** Creates the resolver of sessions. */
export function sessionResolver(options: SessionResolverOptions): Authenticate {
  const { cookieStyle, findSession, guest, settings, users } = options;
  return (request) => {
    const cookie = cookieOf(request.headers.get("cookie"), cookieStyle);
    return cookie === undefined ? undefined : authenticate(cookie, request.method);
  };

  async function authenticate(cookie: string, method: string): Promise<Viewer | ApiError> {
    const session = await findSession(cookie);
    const viewer = session && (await users.viewer(session.userId));
    await settings.fresh();
    const final = viewer ?? (settings.value("app_public") ? await guest() : undefined);
    if (!final || !mayUseApi(final)) return NO_API;
    if (method !== "GET") return ONLY_GET;
    if (viewer && !session?.isConfirmed && users.needsConfirmation()) return UNCONFIRMED;
    return final;
  }
}
