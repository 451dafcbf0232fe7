/**
 * Signing in by password, and signing out: `/session` is the session of the request's own cookie. The routes are public, since
 * the request has no credential yet, or a cookie that the API accepts for GET alone; they read the cookie themselves. What
 * follows a right password is in begin.ts. Cross-site requests are refused.
 */
import { ApiError, endpoint, GUEST, type InputObject, isCrossSite, networkOf, noContent, ownPath } from "lectern/core";
import { UNCONFIRMED } from "./authenticate.ts";
import { limitBy, type Started, start } from "./begin.ts";
import { NO_MATCH } from "./changes.ts";
import { pendingSchema, type SessionsContext, signedInSchema, signInRules } from "./contract.ts";
import { cookieOf, setCookie } from "./cookie.ts";
import { about } from "./docs.ts";
import { dropPending } from "./pending.ts";
import { presentSession } from "./presenter.ts";
import { readSession } from "./queries.ts";

/** The number of password attempts within five minutes. */
export interface SignInLimits {
  /** For one account from one address. */
  readonly pair: number;
  /** For one account from any address; far more, since otherwise anybody could lock its user out by wrong passwords. */
  readonly account: number;
  /** From one address for any account. */
  readonly address: number;
  /** For one user at further steps. */
  readonly step: number;
}

/** The maximum length of an e-mail address, in characters. */
const MAX_LOGGED_EMAIL = 254;
/** The method of a sign-in by e-mail address and password. */
const PASSWORD = "standard";

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
    async ({ request, input, address, set, status }) => {
      refuseCrossSite(request, baseUrl);
      const attempt = { request, input, address };
      const started = await signIn(context, attempt).catch((error: unknown) => {
        if (error instanceof ApiError && error.status !== 422) logRefusal(context, attempt, error);
        throw error;
      });
      set.headers["set-cookie"] = [...started.cookies];
      if ("session" in started) return presentSession(context, started.user, started.session);
      return status(202, { pending: { step: started.step.name, path: started.path } });
    },
    {
      permit: "public",
      response: { 200: signedInSchema, 202: pendingSchema },
      ...endpoint("session", "create", { about: about.create, rules: signInRules, errors: [401, 403] }),
    },
  );
  app.get(
    "/session",
    async ({ request }) => {
      const found = await current(request);
      if (!found) throw new ApiError(401, "No session found on the request");
      return presentSession(context, found.viewer, found.session);
    },
    {
      permit: "public",
      response: signedInSchema,
      ...endpoint("session", "read", { about: about.read, errors: [401] }),
    },
  );
  app.delete(
    "/session",
    async ({ request, set }) => {
      refuseCrossSite(request, baseUrl);
      const found = await current(request);
      if (found) await endSession(found.session, found.viewer);
      const dropped = await dropPending(context, request);
      set.headers["set-cookie"] = [setCookie("", cookieStyle), ...(dropped === undefined ? [] : [dropped])];
      set.status = 204;
    },
    { permit: "public", response: noContent, ...endpoint("session", "delete", { about: about.delete, errors: [403] }) },
  );
}

interface Attempt {
  readonly request: Request;
  readonly input: InputObject;
  readonly address: string;
}

/** Signs in by password. The field `next` of a screen is the path to return to. */
async function signIn(context: SessionsContext, { request, input, address }: Attempt): Promise<Started> {
  const { contracts, limits, validate } = context;
  const { throttle, users } = contracts;
  const { email, password } = await validate(signInRules, input, GUEST);
  const account = email.toLowerCase();
  const pairLimit = limitBy("account and address", limits.pair);
  const pair = `${account}\n${networkOf(address)}`;
  await throttle.take(limitBy("address", limits.address), networkOf(address));
  await throttle.take(pairLimit, pair);
  await throttle.take(limitBy("account", limits.account), account);
  const found = await users.byPassword(email, password);
  const user = found && (await users.viewer(found.id));
  if (!user) throw NO_MATCH;
  if (!found.isConfirmed && users.needsConfirmation()) throw UNCONFIRMED;
  const verified = { user, method: PASSWORD, seal: found.seal, returnTo: ownPath(input.next) };
  const started = await start(context, verified, { request, address });
  await throttle.forgive(pairLimit, pair);
  return started;
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
