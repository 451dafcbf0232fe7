/**
 * Sessions: signing in with a password, and the cookie that follows (platform 1.4). A cookie's value is random and only
 * its hash is stored; what is known of a session is remembered, and when it was last seen is written in batches, so a
 * request by cookie costs the store nothing. This plugin stands after that of tokens: resolvers are asked in that order,
 * and a token wins over a cookie. It asks for no second factor; `mfa_enforced` of roles is kept for a plugin that does.
 */
import type { Users } from "lectern/contracts";
import {
  type Cached,
  definePlugin,
  type EventTransaction,
  type PluginContext,
  sql,
  t,
  type Viewer,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import { asGuest, sessionResolver } from "./authenticate.ts";
import type { Session } from "./contract.ts";
import { cookieOf, cookieStyle } from "./cookie.ts";
import { sessionsSeen } from "./last_used.ts";
import { migrations } from "./migrations.ts";
import { mountSessions } from "./routes.ts";
import { type KnownSession, readSession, sessionFinder } from "./session_cache.ts";
import { mountSession } from "./sign_in.ts";
import { removeSession, removeSessionsOf } from "./write.ts";

const MINUTE_MS = 60_000;
const SWEEP_MS = 3_600_000;

/** Sessions: signing in with a password, and the cookie that follows (platform 1.4). Listed after tokens, which win. */
export default definePlugin({
  name: "sessions",
  requires: ["users", "throttle"],
  provides: ["sessions"],
  permissions: { read: ["users"], write: ["sessions"] },
  settings: t.Object({
    cookie: t.String({
      default: "bookstack_session",
      pattern: "^[A-Za-z0-9_-]+$",
      env: "SESSION_COOKIE_NAME",
      description: "Name of the cookie that holds a session",
    }),
    lifetime: t.Integer({
      default: 120,
      minimum: 1,
      maximum: 525_600,
      env: "SESSION_LIFETIME",
      description: "Minutes that a session lives without a request",
    }),
    attempts: t.Integer({
      default: 10,
      minimum: 1,
      env: "SIGN_IN_ATTEMPTS",
      description: "Passwords that may be tried within five minutes for one account from one address",
    }),
    attemptsByAccount: t.Integer({
      default: 100,
      minimum: 1,
      env: "SIGN_IN_ATTEMPTS_BY_ACCOUNT",
      description: "The same for one account from anywhere",
    }),
    attemptsByAddress: t.Integer({
      default: 60,
      minimum: 1,
      env: "SIGN_IN_ATTEMPTS_BY_ADDRESS",
      description: "The same from one address for any account",
    }),
    isPublic: t.Boolean({
      default: false,
      env: "APP_PUBLIC",
      description: "Lets visitors with an anonymous cookie use the API as the guest, if the role Public may",
    }),
    confirmation: t.Boolean({
      default: false,
      env: "REGISTRATION_CONFIRMATION",
      shared: true,
      description: "Refuses accounts whose e-mail address is not confirmed",
    }),
    restrict: t.String({
      default: "",
      env: "REGISTRATION_RESTRICT",
      shared: true,
      description: "Domains that may register; if any, addresses must be confirmed",
    }),
  }),
  migrations,
  events: ["auth_login", "session_end"],
  setup(context) {
    const { auth, baseUrl, cached, contracts, db, every, log, visibilityRule, on, onStop, perform, settings } = context;
    const { confirmation, isPublic, restrict } = settings;
    const needsConfirmation = confirmation || restrict !== "";
    const lifetimeMs = settings.lifetime * MINUTE_MS;
    const style = cookieStyle(settings.cookie, baseUrl);
    const known = cached("sessions", (hash) => readSession(db, hash));
    const lastSeen = sessionsSeen(db, log);
    const find = sessionFinder({ db, known, lastSeen, lifetimeMs });
    onStop(() => lastSeen.flush());
    visibilityRule("sessions", () => true);

    async function endWithin(id: number, tx: EventTransaction): Promise<void> {
      const hash = await removeSession(id, tx);
      if (hash !== undefined) await known.forget(tx, hash);
    }
    async function end(session: Session, viewer: Viewer): Promise<void> {
      await perform("session_end", viewer, session, async (final, tx) => {
        await endWithin(final.id, tx);
        return final;
      });
    }

    auth(
      sessionResolver({
        style,
        users: contracts.users,
        find,
        guest: () => guestOf(db, contracts.users),
        isPublic,
        needsConfirmation,
      }),
    );
    context.provide("sessions", {
      async viewer(request) {
        const session = await find(cookieOf(request.headers.get("cookie"), style));
        const viewer = session && (await contracts.users.viewer(session.userId));
        return needsConfirmation && !session?.isConfirmed ? undefined : viewer;
      },
      guest: async () => (isPublic ? guestOf(db, contracts.users) : undefined),
    });
    mountSession(context, {
      style,
      find,
      needsConfirmation,
      lifetimeMs,
      limits: {
        pair: settings.attempts,
        account: settings.attemptsByAccount,
        address: settings.attemptsByAddress,
      },
      end,
      endWithin,
    });
    mountSessions(context, { style, lastSeen, lifetimeMs, end });
    endWithUsers(context, known);
    on("session_end", {
      veto: ({ user_id }, tx) =>
        user_id === tx.viewer.id ? undefined : contracts.users.guardedAdmin(tx.viewer, user_id, tx),
    });
    every("sweep", SWEEP_MS, async () => {
      await sql`delete from sessions where last_seen_at < now() - ${lifetimeMs} * interval '1 millisecond'`.execute(db);
    });
  },
});

async function guestOf(db: Pick<Db, "executeQuery">, users: Users): Promise<Viewer | undefined> {
  const [user] = await rows(db, sql<{ id: number }>`select id from users where system_name = 'public'`);
  const viewer = user && (await users.viewer(user.id));
  return viewer && asGuest(viewer);
}

/** Sessions end with the password that began them, and with their user. */
function endWithUsers({ on }: Pick<PluginContext, "on">, known: Cached<KnownSession>): void {
  on("user_update", {
    async inTransaction({ id }, tx, { draft }) {
      if (draft.draft.password_hash === undefined) return;
      for (const hash of await removeSessionsOf(id, tx)) await known.forget(tx, hash);
    },
  });
  // The rows are gone with the user; whose they were is not known any more.
  on("user_delete", { inTransaction: (_, tx) => known.forget(tx) });
}
