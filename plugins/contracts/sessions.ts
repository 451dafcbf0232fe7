/**
 * Sessions and sign-ins, for other plugins: who is signed in, how a plugin signs somebody in whom it has authenticated, and how
 * it adds a further step to every sign-in. Cookies, limits and the store of sessions are the provider's.
 */
import { deepFreeze, type SlotSpecs, type Viewer } from "lectern/core";

/** The status of a sign-in that needs a further step. */
const PENDING = 202;

/** The request of a sign-in, as handlers of routes and of screens (`Visit`) have it. */
export interface SignInClient {
  /** Its cookies name the browser's earlier session and its pending sign-in. */
  readonly request: Request;
  /** The client's address, which is counted and stored with the session. */
  readonly address: string;
}

/** Options of `Sessions.begin`. */
export interface SignInOptions {
  /** How the account was authenticated, such as "oidc": lower-case letters, digits, "_" and "-"; part of the audit log. */
  readonly method: string;
  /** The path to which the browser goes when it is signed in; anything but a path of this instance becomes "/". */
  readonly returnTo?: string | undefined;
}

/** A sign-in that needs a further step. There is no session yet. */
export interface PendingSignIn {
  /** The user, with the permissions they will have. */
  readonly user: Viewer;
  /** How the account was authenticated: "standard" is a password. */
  readonly method: string;
  /** The name of the step that comes next. */
  readonly step: string;
  /** The names of the steps that are done. */
  readonly passed: readonly string[];
  /** When it expires, as ISO 8601 with microseconds. */
  readonly expires_at: string;
}

/** The result of a sign-in. */
export interface SignInOutcome {
  /** "signed_in", or "pending" where a further step is needed; there is no session then. */
  readonly state: "signed_in" | "pending";
  /** Where the browser goes next: the return path, or the screen of the step; without the path of APP_URL. */
  readonly path: string;
  /** Values of `Set-Cookie` headers, which the answer must have. */
  readonly cookies: readonly string[];
  /** A redirect (303) to `path` with these cookies. */
  response(): Response;
}

/**
 * A further step of sign-ins, such as a code of an authenticator: the contribution to the slot `sign_in_step`. It applies to
 * every method, passwords included. API tokens have no sign-in and are not affected.
 * @example
 * const hashes = new Map<number, string>(); // SHA-256 of codes, by user
 * context.contribute("sign_in_step", {
 *   name: "code",
 *   path: "/login/code",
 *   isNeeded: ({ user, method }) => method === "standard" && hashes.has(user.id),
 * });
 * const { sessions, web } = context.contracts;
 * web.screen(context.app.site, "/login/code", "public", async ({ request, ui }) => {
 *   if (!(await sessions.pending(request))) throw new ApiError(401, "Sign in first");
 *   const fields = web.parts.field(ui, { name: "code", label: ui.t("Code"), required: true });
 *   return { title: ui.t("Code"), body: web.parts.form(ui, { action: ui.url("/login/code"), fields, submit: ui.t("Sign in") }) };
 * });
 * web.form(context.app.site, "/login/code", "public", async (visit) => {
 *   const isRight = (id: number) => matchesSecret(visit.text("code"), hashes.get(id) ?? "");
 *   return (await sessions.complete("code", visit, ({ user }) => isRight(user.id))).response();
 * });
 */
export interface SignInStep {
  /** Unique: lower-case letters, digits, "_" and "-". */
  readonly name: string;
  /** The path of its screen, whose permit has to be "public". */
  readonly path: string;
  /** Smaller ones come first; 50 by default. */
  readonly order?: number;
  /**
   * Whether a sign-in needs this step. It is called after the account was authenticated, outside of a transaction, and again
   * after each completed step. An error refuses the sign-in.
   */
  isNeeded(signIn: Pick<PendingSignIn, "user" | "method" | "passed">): Promise<boolean> | boolean;
}

/**
 * Sessions: the signed-in viewer of a screen, and sign-ins. Screens check for cross-site requests themselves.
 * @example
 * export default definePlugin({
 *   name: "greeting",
 *   requires: ["sessions"],
 *   setup({ contracts: { sessions }, app }) {
 *     app.site.get(
 *       "/greeting",
 *       async ({ request }) => {
 *         const reader = (await sessions.viewer(request)) ?? (await sessions.guest());
 *         return { text: reader ? `Hello ${reader.name}` : "Please sign in" };
 *       },
 *       { permit: "public" },
 *     );
 *   },
 * });
 */
export interface Sessions {
  /**
   * The viewer of a request's cookie, for any method, and extends the session; undefined where there is no session or the
   * e-mail address of the account is not confirmed. At once where both are cached.
   */
  viewer(request: Request): Viewer | undefined | Promise<Viewer | undefined>;
  /** The viewer for visitors who are not signed in; undefined where the instance is not public. At once where it is cached. */
  guest(): Viewer | undefined | Promise<Viewer | undefined>;
  /**
   * Signs in a user whom the caller has authenticated, by OpenID Connect for instance: performs `auth_login`, ends the session
   * of the request's cookie and starts one with a new cookie. Where a `sign_in_step` is needed, nothing of that happens yet:
   * the sign-in is kept as a pending one and the outcome leads to the step. Throws ApiError 401 for an unknown id, the guest
   * user and an unconfirmed e-mail address, 403 for a veto, 429 beyond the limits of sign-ins by address and by account;
   * RangeError for a malformed method.
   *
   * The caller has to make sure that this browser began the sign-in (`state` of OpenID Connect, `RelayState` of SAML): without
   * that, another site could sign a browser in to an account of its choice.
   * @example
   * context.app.site.get("/oidc/callback", async ({ request, address, query }) => {
   *   const { userId, next } = await verified(query.code, query.state);
   *   const outcome = await context.contracts.sessions.begin(userId, { request, address }, { method: "oidc", returnTo: next });
   *   return outcome.response();
   * }, { permit: "public" });
   */
  begin(userId: number, client: SignInClient, options: SignInOptions): Promise<SignInOutcome>;
  /** The pending sign-in of a browser; undefined if there is none, it has expired, or the password was changed meanwhile. */
  pending(request: Request): Promise<PendingSignIn | undefined>;
  /**
   * Completes the current step of the pending sign-in of a browser, if `verify` resolves to true. The outcome is the session,
   * or the next step. Attempts are counted before `verify` is called. Throws ApiError 422 if `verify` resolves to
   * false; 401 if no sign-in is pending or another step comes next, for which screens lead to the sign-in; 429 after too many
   * attempts (SIGN_IN_STEP_ATTEMPTS); the errors of `begin`.
   * @example
   * const outcome = await context.contracts.sessions.complete("code", visit, ({ user }) => matchesCode(user.id, visit.text("code")));
   * return outcome.response();
   */
  complete(
    step: string,
    client: SignInClient,
    verify: (pending: PendingSignIn) => Promise<boolean> | boolean,
  ): Promise<SignInOutcome>;
}

/**
 * The path to which a screen goes after `POST /api/session`: `next`, or the screen of the further step that the answer (202)
 * names.
 * @example
 * const credentials = { email: visit.text("email"), password: visit.text("password") };
 * const response = await visit.call("POST", "/api/session", { ...credentials, next });
 * if (response.ok) return visit.goTo(await pathAfterSignIn(response, next));
 */
export async function pathAfterSignIn(response: Response, next: string): Promise<string> {
  if (response.status !== PENDING) return next;
  const { pending } = (await response.json()) as { pending: { path: string } };
  return pending.path;
}

declare module "lectern/core" {
  interface Contracts {
    sessions: Sessions;
  }
  interface Slots {
    sign_in_step: SignInStep;
  }
}

/** What is known of these slots beside their types. */
export const signInSlots = deepFreeze({
  sign_in_step: {
    members: { name: "text", path: "text", order: "optional_number", isNeeded: "function" },
    ships: ["isNeeded"],
  },
} as const satisfies SlotSpecs);
