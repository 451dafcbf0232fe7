import type { Generated } from "kysely";
import type { UserRef } from "lectern/contracts";
import { rules } from "lectern/core";

/** Sessions of those who signed in with a password, as stored. */
export interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of what the cookie holds, as hex. */
  hash: string;
  /** Where the sign-in came from. */
  address: string;
  /** What the browser said it was, cut to 255 characters. */
  agent: string;
  created_at: Generated<string>;
  /** Written in batches; see last_used.ts. */
  last_seen_at: Generated<string>;
}

/** What is asked for when somebody signs in; holds no secret. */
export interface SignIn {
  readonly user: UserRef;
  /** How: "standard" is e-mail address and password. */
  readonly method: string;
  readonly address: string;
  readonly agent: string;
}

/** A session as its user and administrators see it. */
export interface Session {
  readonly id: number;
  readonly user_id: number;
  readonly address: string;
  readonly agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
}

/** What comes of signing in. */
export interface SignedIn extends SignIn {
  readonly session: Session;
}

/** Rules of a sign-in. */
export const signInRules = rules({ email: ["required", "string"], password: ["required", "string"] });

declare module "lectern/db" {
  interface Tables {
    sessions: SessionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** Somebody signed in; tokens do not (platform 1.2). */
    auth_login: { draft: SignIn; result: SignedIn };
    /** A session was ended by its user or an administrator. */
    session_end: { draft: Session; result: Session };
  }
}
