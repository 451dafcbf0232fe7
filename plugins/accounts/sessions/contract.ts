/**
 * What the plugin of sessions declares: its table, the body and the answers of its routes, its events, and what its files share
 * (platform 1.4). No type of an answer or event has a secret.
 */
import type { Generated } from "kysely";
import type { UserRef } from "lectern/contracts";
import {
  type EventTransaction,
  idSchema,
  listingSchema,
  type PluginContext,
  rules,
  type Static,
  t,
  timestampSchema,
  type Viewer,
} from "lectern/core";
import type { CookieStyle } from "./cookie.ts";
import type { SessionsSeen } from "./last_used.ts";
import type { SessionLifetimes } from "./lifetimes.ts";
import type { FindSession } from "./session_cache.ts";
import type { SignInLimits } from "./sign_in.ts";

/** Sessions as stored. */
export interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the cookie's value, as hex. */
  hash: string;
  /** The client address of the sign-in. */
  address: string;
  /** The header User-Agent, cut to 255 characters. */
  agent: string;
  created_at: Generated<string>;
  /** Written in batches; see last_used.ts. */
  last_seen_at: Generated<string>;
}

/** Sign-ins that need a further step, as stored. */
export interface PendingSignInsTable {
  /** SHA-256 of the cookie's value, as hex. */
  hash: string;
  user_id: number;
  method: string;
  /** The step that comes next. */
  step: string;
  /** The steps that are done. */
  passed: Generated<string[]>;
  /** The path to which the browser goes at last. */
  return_to: string;
  expires_at: string;
}

/** A sign-in; contains no secret. */
export interface SignIn {
  readonly user: UserRef;
  /** "standard" is e-mail address and password; others are named by the plugin that began the sign-in. */
  readonly method: string;
  readonly address: string;
  readonly agent: string;
}

/** A session as answers show it. */
export interface Session {
  readonly id: number;
  readonly user_id: number;
  readonly address: string;
  readonly agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
}

/** The result of a sign-in. */
export interface SignedIn extends SignIn {
  readonly session: Session;
}

/** Rules of a sign-in. */
export const signInRules = rules({ email: ["required", "string"], password: ["required", "string"] });

/** The context that the files of this plugin share, with what `setup` adds. */
export interface SessionsContext
  extends PluginContext<"instance_settings" | "users" | "throttle", "users" | "sessions" | "pending_sign_ins"> {
  readonly cookieStyle: CookieStyle;
  /** The cookie of a pending sign-in. */
  readonly pendingStyle: CookieStyle;
  /** Lifetime of a pending sign-in in minutes. */
  readonly pendingMinutes: number;
  readonly findSession: FindSession;
  readonly lastSeen: SessionsSeen;
  readonly lifetimes: SessionLifetimes;
  readonly limits: SignInLimits;
  /** Ends a session by the event `session_end`. */
  endSession(session: Session, viewer: Viewer): Promise<void>;
  /** Ends a session within another event, without one of its own. */
  endSessionWithin(id: number, tx: EventTransaction): Promise<void>;
}

/** The listing of a user's sessions. */
export const sessionListingSchema = listingSchema(
  t.Object(
    {
      id: idSchema,
      user_id: idSchema,
      address: t.String(),
      agent: t.String(),
      created_at: timestampSchema,
      last_seen_at: timestampSchema,
      current: t.Boolean({ description: "Whether it is the session of the request" }),
    },
    { $id: "SessionListItem" },
  ),
);

/** A session with its user and their permissions. */
export const signedInSchema = t.Object(
  {
    user: t.Object({ id: idSchema, name: t.String(), slug: t.String(), email: t.String() }),
    permissions: t.Array(t.String()),
    session: t.Object({ id: idSchema, created_at: timestampSchema, expires_at: timestampSchema }),
  },
  { $id: "SignedIn" },
);

/** The answer to a sign-in that needs a further step. */
export const pendingSchema = t.Object(
  {
    pending: t.Object({
      step: t.String({ description: "The name of the step" }),
      path: t.String({ description: "The path of its screen, below the address of the instance" }),
    }),
  },
  { $id: "PendingSignIn" },
);

declare module "lectern/contracts" {
  interface SettingValues {
    /** Whether visitors may read. */
    app_public: boolean;
  }
  interface Answers {
    [sessions: `/api/users/${number}/sessions`]: Static<typeof sessionListingSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    pending_sign_ins: PendingSignInsTable;
    sessions: SessionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** A sign-in, when its last step is completed; requests with tokens are none (platform 1.2). */
    auth_login: { draft: SignIn; result: SignedIn };
    /** The user or an administrator ended a session. */
    session_end: { draft: Session; result: Session };
  }
}
