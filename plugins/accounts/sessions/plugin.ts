/**
 * Sessions: signing in with a password, and the cookie that follows (platform 1.4). The value of a cookie is random and only
 * its hash is stored. Sessions are cached, and the times at which they were last seen are written in batches, so that a
 * request with a cookie costs no query. This plugin boots after tokens: resolvers are called in that order, so a token
 * takes precedence over a cookie. Other plugins begin sessions by the contract `sessions`, and add steps to every sign-in by
 * the slot `sign_in_step`, such as a second factor; `mfa_enforced` of roles is for these.
 */
import type { Sessions } from "lectern/contracts";
import { signInSlots } from "lectern/contracts";
import { type Cached, definePlugin, type EventTransaction, HOUR_MS } from "lectern/core";
import { sessionResolver } from "./authenticate.ts";
import { begin, complete, publicPart } from "./begin.ts";
import { removeSession, removeSessionsOf } from "./changes.ts";
import type { SessionsContext } from "./contract.ts";
import { cookieOf, cookieStyleFor } from "./cookie.ts";
import { sessionsSeen } from "./last_used.ts";
import { hasEnded, lifetimesOf } from "./lifetimes.ts";
import { migrations } from "./migrations.ts";
import { endPendingOf, pendingOf, sweepPending } from "./pending.ts";
import { guestOf, readGuestId } from "./queries.ts";
import { mountSessions } from "./routes.ts";
import { type CachedSession, createSessionFinder, readCachedSession } from "./session_cache.ts";
import { settings } from "./settings.ts";
import { mountSignIn } from "./sign_in.ts";
import { checkSteps } from "./steps.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";

const SWEEP_MS = HOUR_MS;

/** Sessions: signing in with a password, and the cookie that follows. Listed after tokens, which take precedence. */
export default definePlugin({
  name: "sessions",
  requires: ["instance_settings", "users", "throttle"],
  provides: ["sessions"],
  grants: { read: ["users"], write: ["sessions", "pending_sign_ins", "users"], impersonate: true, auth: true },
  settings,
  migrations,
  events: ["auth_login", "session_end"],
  slots: signInSlots,
  setup(plugin) {
    const { auth, baseUrl, cache, contracts, db, jobs, log, visibilityRule, on, onStop, perform } = plugin;
    const { attempts, attemptsByAccount, attemptsByAddress, cookie, isPublic, stepAttempts, stepLifetime } =
      plugin.settings;
    const { instance_settings: instanceSettings, users } = contracts;
    const lifetimes = lifetimesOf(plugin.settings);
    const cookieStyle = cookieStyleFor(cookie, baseUrl);
    const sessions = cache.values("sessions", (hash) => readCachedSession(db, hash));
    const lastSeen = sessionsSeen(db, log);
    const findSession = createSessionFinder({ db, sessions, lastSeen, lifetimes });
    const endSessionWithin = async (id: number, tx: EventTransaction) => {
      const hash = await removeSession(id, tx);
      if (hash !== undefined) await sessions.forget(tx, hash);
    };
    const context: SessionsContext = {
      ...plugin,
      cookieStyle,
      pendingStyle: cookieStyleFor(`${cookie}_pending`, baseUrl),
      pendingMinutes: stepLifetime,
      findSession,
      lastSeen,
      lifetimes,
      limits: { pair: attempts, account: attemptsByAccount, address: attemptsByAddress, step: stepAttempts },
      endSessionWithin,
      async endSession(session, viewer) {
        await perform("session_end", viewer, session, async (final, tx) => {
          await endSessionWithin(final.id, tx);
          return final;
        });
      },
    };
    const guests = cache.values("guest", () => readGuestId(db));
    const guest = () => guestOf(guests.get(""), contracts.users);
    // One that there was not is not cached, and the account may be deleted and made again.
    on("user_delete", { inTransaction: (_, tx) => guests.forget(tx) });
    const viewerOf = (session: CachedSession | undefined) =>
      session && (session.isConfirmed || !users.needsConfirmation())
        ? contracts.users.viewer(session.userId)
        : undefined;
    onStop(() => lastSeen.flush());
    visibilityRule("sessions", () => true);
    auth(
      sessionResolver({
        cookieStyle,
        users,
        settings: instanceSettings,
        findSession,
        guest,
      }),
    );
    plugin.contribute("instance_setting", {
      ...{ name: "app_public", group: "access", label: "Visitors may read", control: "switch", default: false },
      help: "What the role Public permits, without signing in.",
      ...{ rules: { app_public: ["boolean"] }, variable: "APP_PUBLIC", given: isPublic },
    });
    plugin.contribute("credential_scheme", {
      schemes: { session: { type: "apiKey", in: "cookie", name: cookie, description: "The cookie of a sign-in" } },
    });
    const service: Sessions = {
      viewer(request) {
        const session = findSession(cookieOf(request.headers.get("cookie"), cookieStyle));
        return session instanceof Promise ? session.then(viewerOf) : viewerOf(session);
      },
      guest: () => (instanceSettings.value("app_public") ? guest() : undefined),
      begin: (...given) => begin(context, ...given),
      async pending(request) {
        const found = await pendingOf(context, request);
        return found && publicPart(found);
      },
      complete: (...given) => complete(context, ...given),
    };
    // Whom they sign in is up to the caller.
    plugin.provide("sessions", service, { begin: "auth", complete: "auth" });
    contributeThemeHooks(context);
    on("app_boot", { inTransaction: async () => checkSteps(plugin.slot("sign_in_step")) });
    mountSignIn(context);
    mountSessions(context);
    endWithUsers(context, sessions);
    on("session_end", {
      veto: ({ user_id }, tx) =>
        user_id === tx.viewer.id ? undefined : contracts.users.guardedAdmin(tx.viewer, user_id, tx),
    });
    jobs.every("sweep", SWEEP_MS, async () => {
      await db.deleteFrom("sessions").where(hasEnded(lifetimes)).execute();
      await sweepPending.execute(db, {});
    });
  },
});

/** Ends the sessions of a user whose password changes or who is deleted. */
function endWithUsers({ on }: SessionsContext, sessions: Cached<CachedSession>): void {
  on("user_update", {
    async inTransaction({ id }, tx, { draft }) {
      if (draft.draft.password_hash === undefined) return;
      for (const hash of await removeSessionsOf(id, tx)) await sessions.forget(tx, hash);
      await endPendingOf(id, tx.db);
    },
  });
  // The sessions of a deleted user are deleted with it, so their hashes are not known: all are forgotten.
  on("user_delete", { inTransaction: (_, tx) => sessions.forget(tx) });
}
