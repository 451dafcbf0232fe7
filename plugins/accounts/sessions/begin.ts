/**
 * The end of every sign-in, whatever its method: further steps, then the event `auth_login` with the session. Each session has
 * a new random value and ends the one of the request's cookie, so that a value planted in a browser beforehand is useless
 * (session fixation). A sign-in that needs a step is stored as a pending one, and nothing of a session exists before the last
 * step is completed.
 */
import type {
  Allowed,
  PendingSignIn,
  Sessions,
  SignInClient,
  SignInOptions,
  SignInOutcome,
  SignInStep,
} from "lectern/contracts";
import {
  ApiError,
  type EventTransaction,
  networkOf,
  ownPath,
  randomText,
  sha256,
  trimEndChars,
  type Viewer,
} from "lectern/core";
import { UNCONFIRMED } from "./authenticate.ts";
import { insertSession, NO_MATCH } from "./changes.ts";
import type { Session, SessionsContext, SignIn } from "./contract.ts";
import { cookieOf, setCookie } from "./cookie.ts";
import { dropPending, insertPending, type Pending, passStep, pendingOf, takePending } from "./pending.ts";
import { readAccount } from "./queries.ts";
import { LENGTH } from "./session_cache.ts";
import { checkMethod, nextStep } from "./steps.ts";

const WINDOW_SECONDS = 300;
/** The 401 of a step: the browser has no pending sign-in, or another one than the step needs. */
const NOT_PENDING = new ApiError(401, "No sign-in is pending. Sign in again.");
/** The 422 of a step whose verification failed. */
const STEP_FAILED = new ApiError(422, "This step of the sign-in failed. Try again.");

/** An account that a method has authenticated. */
export interface Verified {
  readonly user: Viewer;
  readonly method: string;
  /** The seal of the verified password; absent for other methods. */
  readonly seal?: string;
  readonly returnTo: string;
}

/** A started session, or the step that comes before it. */
export type Started = { readonly path: string; readonly cookies: readonly string[] } & (
  | { readonly session: Session; readonly user: Viewer }
  | { readonly step: SignInStep }
);

type Verify = Parameters<Sessions["complete"]>[2];

/** A limit of sign-ins within five minutes. */
export const limitBy = (key: string, attempts: number): Allowed => ({
  name: `sign in by ${key}`,
  attempts,
  seconds: WINDOW_SECONDS,
});

/** Starts the session of an authenticated account, or keeps it as a pending sign-in. Throws as `Sessions.begin`. */
export async function start(context: SessionsContext, verified: Verified, client: SignInClient): Promise<Started> {
  const { db, pendingMinutes: minutes, pendingStyle } = context;
  const { user, method, seal = null, returnTo } = verified;
  const step = await nextStep(context, { user, method, passed: [] });
  const dropped = await dropPending(context, client.request);
  if (!step) return startSession(context, verified, client, dropped === undefined ? [] : [dropped]);
  const value = randomText(LENGTH);
  const row = { hash: sha256(value), userId: user.id, seal, method, step: step.name, returnTo, minutes };
  if (!(await insertPending.executeTakeFirst(db, row))) throw NO_MATCH;
  return { step, path: step.path, cookies: [setCookie(value, pendingStyle)] };
}

/** `Sessions.begin`. Logs a refusal, for operators and for tools that block addresses. */
export async function begin(
  context: SessionsContext,
  userId: number,
  client: SignInClient,
  options: SignInOptions,
): Promise<SignInOutcome> {
  checkMethod(options.method);
  const facts = { user: userId, method: options.method };
  return outcomeOf(context, await beginNow(context, userId, client, options).catch(refused(context, client, facts)));
}

async function beginNow(
  context: SessionsContext,
  userId: number,
  client: SignInClient,
  { method, returnTo }: SignInOptions,
): Promise<Started> {
  const { contracts, limits } = context;
  await contracts.throttle.take(limitBy("address", limits.address), networkOf(client.address));
  await contracts.throttle.take(limitBy("user", limits.account), String(userId));
  const user = await confirmedUser(context, userId);
  return start(context, { user, method, returnTo: ownPath(returnTo) }, client);
}

/** `Sessions.complete`. Logs a refusal likewise. */
export async function complete(
  context: SessionsContext,
  step: string,
  client: SignInClient,
  verify: Verify,
): Promise<SignInOutcome> {
  return outcomeOf(context, await completeNow(context, step, client, verify).catch(refused(context, client, { step })));
}

async function completeNow(
  context: SessionsContext,
  name: string,
  client: SignInClient,
  verify: Verify,
): Promise<Started> {
  const { contracts, db, limits } = context;
  const pending = await pendingOf(context, client.request);
  if (pending?.step !== name) throw NOT_PENDING;
  const limit = limitBy("step", limits.step);
  await contracts.throttle.take(limitBy("address", limits.address), networkOf(client.address));
  await contracts.throttle.take(limit, String(pending.user.id));
  if (!(await verify(publicPart(pending)))) throw STEP_FAILED;
  const user = await confirmedUser(context, pending.user.id);
  const passed = [...pending.passed, name];
  const step = await nextStep(context, { user, method: pending.method, passed });
  if (step) {
    if (!(await passStep.executeTakeFirst(db, { hash: pending.hash, step: name, next: step.name }))) throw NOT_PENDING;
    await contracts.throttle.forgive(limit, String(user.id));
    return { step, path: step.path, cookies: [] };
  }
  const cookies = [setCookie("", context.pendingStyle)];
  const { method, returnTo, hash } = pending;
  const started = await startSession(context, { user, method, returnTo }, client, cookies, async ({ db: within }) => {
    if (!(await takePending.executeTakeFirst(within, { hash }))) throw NOT_PENDING;
  });
  await contracts.throttle.forgive(limit, String(user.id));
  return started;
}

/** The members of a pending sign-in that other plugins get. */
export function publicPart({ user, method, step, passed, expires_at }: Pending): PendingSignIn {
  return { user, method, step, passed, expires_at };
}

/** The outcome for other plugins. */
function outcomeOf({ baseUrl }: Pick<SessionsContext, "baseUrl">, started: Started): SignInOutcome {
  const { path, cookies } = started;
  const root = trimEndChars(new URL(baseUrl).pathname, "/");
  return {
    state: "session" in started ? "signed_in" : "pending",
    path,
    cookies,
    response() {
      const headers = new Headers({ location: root + path });
      for (const cookie of cookies) headers.append("set-cookie", cookie);
      return new Response(null, { status: 303, headers });
    },
  };
}

async function startSession(
  context: SessionsContext,
  { user, method, seal, returnTo }: Verified,
  { request, address }: SignInClient,
  cookies: readonly string[],
  within: (tx: EventTransaction) => Promise<void> = async () => {},
): Promise<Started> {
  const { cookieStyle, endSessionWithin, findSession, perform } = context;
  const before = await findSession(cookieOf(request.headers.get("cookie"), cookieStyle));
  const value = randomText(LENGTH);
  const { id, name, slug } = user;
  const agent = request.headers.get("user-agent") ?? "";
  const draft: SignIn = { user: { id, name, slug }, method, address, agent };
  const { session } = await perform("auth_login", user, draft, async (final, tx) => {
    await within(tx);
    if (before) await endSessionWithin(before.id, tx);
    return insertSession(final, { cookieHash: sha256(value), seal }, tx);
  });
  return { session, user, path: returnTo, cookies: [setCookie(value, cookieStyle), ...cookies] };
}

/** Logs a refused sign-in with its address, and throws its error again. */
function refused({ log }: SessionsContext, { address }: SignInClient, facts: Record<string, unknown>) {
  return (error: unknown): never => {
    if (error instanceof ApiError) log.info("A sign-in was refused", { address, ...facts, status: error.status });
    throw error;
  };
}

/** The user as a viewer. Throws 401 for an unknown id, the guest, and an address that has to be confirmed. */
async function confirmedUser({ contracts, db }: SessionsContext, id: number): Promise<Viewer> {
  const account = Number.isSafeInteger(id) ? await readAccount.executeTakeFirst(db, { id }) : undefined;
  const user = account && (await contracts.users.viewer(id));
  if (!user) throw NO_MATCH;
  if (!account.isConfirmed && contracts.users.needsConfirmation()) throw UNCONFIRMED;
  return user;
}
