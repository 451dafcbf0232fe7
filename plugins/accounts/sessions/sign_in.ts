/**
 * Signing in and out: `/session` is the session of the request's own cookie. The routes are public, since the request has no
 * credential yet, or a cookie that the API accepts for GET alone; they read the cookie themselves. Each sign-in creates a
 * session with a new random value and ends the one of the request's cookie, so a value planted in a browser beforehand is
 * useless (session fixation). Cross-site requests are refused.
 */
import type { Allowed } from "lectern/contracts";
import { ApiError, endpoint, GUEST, type InputObject, isCrossSite, noContent, randomText, sha256 } from "lectern/core";
import { networkOf } from "./address.ts";
import { UNCONFIRMED } from "./authenticate.ts";
import { insertSession, NO_MATCH } from "./changes.ts";
import { type SessionsContext, type SignIn, signedInSchema, signInRules } from "./contract.ts";
import { cookieOf, setCookie } from "./cookie.ts";
import { about } from "./docs.ts";
import { presentSession } from "./presenter.ts";
import { readSession } from "./queries.ts";
import { type CachedSession, LENGTH } from "./session_cache.ts";

/** The number of password attempts within five minutes. */
export interface SignInLimits {
  /** For one account from one address. */
  readonly pair: number;
  /** For one account from any address; far more, since otherwise anybody could lock its user out by wrong passwords. */
  readonly account: number;
  /** From one address for any account. */
  readonly address: number;
}

const WINDOW_SECONDS = 300;
/** The maximum length of an e-mail address, in characters. */
const MAX_LOGGED_EMAIL = 254;
const limitBy = (key: string, attempts: number): Allowed => ({
  name: `sign in by ${key}`,
  attempts,
  seconds: WINDOW_SECONDS,
});

/** Mounts sign-in, sign-out, and the route that shows the signed-in user. */
export function mountSignIn(context: SessionsContext): void {
  const { app, baseUrl, contracts, cookieStyle, db, endSession, findSession } = context;
  const current = async (request: Request) => {
    const cached = await findSession(cookieOf(request.headers.get("cookie"), cookieStyle));
    const viewer = cached && (await contracts.users.viewer(cached.userId));
    const session = cached && (await readSession.executeTakeFirst(db, { id: cached.id }));
    return viewer && session && { session, viewer };
  };
  app.post(
    "/session",
    async ({ request, input, address, set }) => {
      refuseCrossSite(request, baseUrl);
      const before = await findSession(cookieOf(request.headers.get("cookie"), cookieStyle));
      const attempt = { request, input, address, before };
      const { value, session, viewer } = await signIn(context, attempt).catch((error: unknown) => {
        if (error instanceof ApiError && error.status !== 422) logRefusal(context, attempt, error);
        throw error;
      });
      set.headers["set-cookie"] = setCookie(value, cookieStyle);
      return presentSession(context, viewer, session);
    },
    {
      permit: "public",
      response: signedInSchema,
      ...endpoint("session", "create", { about: about.create, rules: signInRules }),
    },
  );
  app.get(
    "/session",
    async ({ request }) => {
      const found = await current(request);
      if (!found) throw new ApiError(401, "No session found on the request");
      return presentSession(context, found.viewer, found.session);
    },
    { permit: "public", response: signedInSchema, ...endpoint("session", "read", { about: about.read }) },
  );
  app.delete(
    "/session",
    async ({ request, set }) => {
      refuseCrossSite(request, baseUrl);
      const found = await current(request);
      if (found) await endSession(found.session, found.viewer);
      set.headers["set-cookie"] = setCookie("", cookieStyle);
      set.status = 204;
    },
    { permit: "public", response: noContent, ...endpoint("session", "delete", { about: about.delete }) },
  );
}

interface Attempt {
  readonly request: Request;
  readonly input: InputObject;
  readonly address: string;
  /** The session of the request's cookie. */
  readonly before: CachedSession | undefined;
}

async function signIn(context: SessionsContext, { request, input, address, before }: Attempt) {
  const { contracts, endSessionWithin, limits, needsConfirmation, perform, validate } = context;
  const { throttle, users } = contracts;
  const { email, password } = await validate(signInRules, input, GUEST);
  const account = email.toLowerCase();
  const pairLimit = limitBy("account and address", limits.pair);
  const pair = `${account}\n${networkOf(address)}`;
  await throttle.take(limitBy("address", limits.address), networkOf(address));
  await throttle.take(pairLimit, pair);
  await throttle.take(limitBy("account", limits.account), account);
  const found = await users.byPassword(email, password);
  const viewer = found && (await users.viewer(found.id));
  if (!viewer) throw NO_MATCH;
  if (needsConfirmation && !found.isConfirmed) throw UNCONFIRMED;
  const value = randomText(LENGTH);
  const { id, name, slug } = viewer;
  const agent = request.headers.get("user-agent") ?? "";
  const draft: SignIn = { user: { id, name, slug }, method: "standard", address, agent };
  const { session } = await perform("auth_login", viewer, draft, async (final, tx) => {
    if (before) await endSessionWithin(before.id, tx);
    return insertSession(final, { cookieHash: sha256(value), passwordHash: found.hash }, tx);
  });
  await throttle.forgive(pairLimit, pair);
  return { value, session, viewer };
}

/** Logs the address and the account of a refused sign-in, for operators and for tools that block addresses. */
function logRefusal({ log }: SessionsContext, { address, input }: Attempt, { status }: ApiError): void {
  const email = String(input.email)
    .slice(0, MAX_LOGGED_EMAIL)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
  log.info("A sign-in was refused", { address, email, status });
}

/** Throws 403 if a browser sends the request on behalf of another site. */
function refuseCrossSite(request: Request, baseUrl: string): void {
  if (isCrossSite(request, new URL(baseUrl).origin))
    throw new ApiError(403, "Sessions begin and end on this site, not on behalf of another one");
}
