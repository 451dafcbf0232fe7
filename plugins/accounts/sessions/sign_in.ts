/**
 * Signing in and out: `/session` is the session of the request that asks. These routes are public, as who comes here has
 * no credential yet or carries a cookie the API would take for GET alone; they look at the cookie themselves. Every
 * sign-in makes a new session under a new random value and ends the one it came with, so a value planted in a browser
 * beforehand is worth nothing. Requests that a browser sends on behalf of another site are refused.
 */
import type { Allowed } from "lectern/contracts";
import {
  ApiError,
  type EventTransaction,
  endpoint,
  GUEST,
  type InputObject,
  isCrossSite,
  type PluginContext,
  randomText,
  sha256,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { networkOf } from "./address.ts";
import { UNCONFIRMED } from "./authenticate.ts";
import { type Session, type SignIn, signInRules } from "./contract.ts";
import { type CookieStyle, cookieOf, setCookie } from "./cookie.ts";
import { type FindSession, type KnownSession, LENGTH } from "./session_cache.ts";
import { insertSession, NO_MATCH, readShown } from "./write.ts";

/** How often a password may be tried within five minutes. */
export interface SignInLimits {
  /** For one account from one address: what somebody who guesses gets. */
  readonly pair: number;
  /** For one account from anywhere: far more, or anybody could keep its owner out by guessing wrong. */
  readonly account: number;
  /** From one address for any account. */
  readonly address: number;
}

const WINDOW_SECONDS = 300;
/** The longest e-mail address there is, in characters. */
const MAX_LOGGED_EMAIL = 254;
const allowed = (by: string, attempts: number): Allowed => ({
  name: `sign in by ${by}`,
  attempts,
  seconds: WINDOW_SECONDS,
});

type Context = Pick<
  PluginContext<"users" | "throttle", "users" | "sessions">,
  "app" | "baseUrl" | "contracts" | "db" | "log" | "perform" | "validate"
>;

/** What the routes need beside the context. */
export interface SignInParts {
  readonly style: CookieStyle;
  readonly find: FindSession;
  readonly needsConfirmation: boolean;
  readonly lifetimeMs: number;
  readonly limits: SignInLimits;
  /** Ends a session by event. */
  end(session: Session, viewer: Viewer): Promise<void>;
  /** Ends a session within another event. */
  endWithin(id: number, tx: EventTransaction): Promise<void>;
}

/** Mounts sign-in, sign-out and the question who is signed in. */
export function mountSession(context: Context, parts: SignInParts): void {
  mountSignIn(context, parts);
  const { app, baseUrl, contracts, db } = context;
  const { end, find, lifetimeMs, style } = parts;
  const current = async (request: Request) => {
    const known = await find(cookieOf(request.headers.get("cookie"), style));
    const viewer = known && (await contracts.users.viewer(known.userId));
    const session = known && (await readShown(db, sql`sessions.id = ${known.id}`));
    return viewer && session && { session, viewer };
  };
  app.get(
    "/session",
    async ({ request }) => {
      const found = await current(request);
      if (!found) throw new ApiError(401, "No session found on the request");
      return shown(db, found.viewer, found.session, lifetimeMs);
    },
    { permit: "public", ...endpoint("session", "read", { about: "Shows who is signed in, with their permissions." }) },
  );
  app.delete(
    "/session",
    async ({ request, set }) => {
      refuseForeign(request, baseUrl);
      const found = await current(request);
      if (found) await end(found.session, found.viewer);
      set.headers["set-cookie"] = setCookie("", style);
      set.status = 204;
    },
    { permit: "public", ...endpoint("session", "delete", { about: "Signs out: ends the session and its cookie." }) },
  );
}

function mountSignIn(context: Context, parts: SignInParts): void {
  const { find, lifetimeMs, style } = parts;
  const { baseUrl } = context;
  const about = "Signs in with e-mail address and password, and sets the cookie of a new session.";
  context.app.post(
    "/session",
    async ({ request, input, address, set }) => {
      refuseForeign(request, baseUrl);
      const before = await find(cookieOf(request.headers.get("cookie"), style));
      const attempt = { request, input, address, before };
      const { value, session, viewer } = await signIn(context, parts, attempt).catch((error: unknown) => {
        if (error instanceof ApiError && error.status !== 422) logRefusal(context, attempt, error);
        throw error;
      });
      set.headers["set-cookie"] = setCookie(value, style);
      return shown(context.db, viewer, session, lifetimeMs);
    },
    { permit: "public", ...endpoint("session", "create", { about, rules: signInRules }) },
  );
}

interface Attempt {
  readonly request: Request;
  readonly input: InputObject;
  readonly address: string;
  /** The session that the request came with. */
  readonly before: KnownSession | undefined;
}

async function signIn(context: Context, parts: SignInParts, { request, input, address, before }: Attempt) {
  const { contracts, perform, validate } = context;
  const { throttle, users } = contracts;
  const { email, password } = await validate(signInRules, input, GUEST);
  const account = email.toLowerCase();
  const { limits } = parts;
  const byPair = allowed("account and address", limits.pair);
  const pair = `${account}\n${networkOf(address)}`;
  await throttle.take(allowed("address", limits.address), networkOf(address));
  await throttle.take(byPair, pair);
  await throttle.take(allowed("account", limits.account), account);
  const found = await users.byPassword(email, password);
  const viewer = found && (await users.viewer(found.id));
  if (!viewer) throw NO_MATCH;
  if (parts.needsConfirmation && !found.isConfirmed) throw UNCONFIRMED;
  const value = randomText(LENGTH);
  const { id, name, slug } = viewer;
  const agent = request.headers.get("user-agent") ?? "";
  const draft: SignIn = { user: { id, name, slug }, method: "standard", address, agent };
  const { session } = await perform("auth_login", viewer, draft, async (final, tx) => {
    if (before) await parts.endWithin(before.id, tx);
    return insertSession(final, { cookieHash: sha256(value), passwordHash: found.hash }, tx);
  });
  await throttle.forgive(byPair, pair);
  return { value, session, viewer };
}

/** For operators and the tools that shut out who guesses: where a refused sign-in came from, and for which account. */
function logRefusal({ log }: Context, { address, input }: Attempt, { status }: ApiError): void {
  const email = String(input.email)
    .slice(0, MAX_LOGGED_EMAIL)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
  log.info("A sign-in was refused", { address, email, status });
}

/** Browsers say where a request comes from; a form on another site must sign nobody in or out. */
function refuseForeign(request: Request, baseUrl: string): void {
  if (isCrossSite(request, new URL(baseUrl).origin))
    throw new ApiError(403, "Sessions begin and end on this site, not on behalf of another one");
}

async function shown(db: Context["db"], { id, name, slug, permissions }: Viewer, session: Session, lifetimeMs: number) {
  const [user] = await rows(db, sql<{ email: string }>`select email from users where id = ${id}`);
  const expires_at = new Date(Date.now() + lifetimeMs).toISOString().replace("Z", "000Z");
  return {
    user: { id, name, slug, email: user?.email ?? "" },
    permissions: [...permissions].sort(),
    session: { id: session.id, created_at: session.created_at, expires_at },
  };
}
