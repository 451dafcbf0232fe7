/**
 * What other plugins and clients know of users: tables, rules of requests, events. A password reaches no event and no
 * answer; the draft carries its hash. `User` is what listeners get; the addresses of profile and avatar are added when
 * an answer is made.
 */
import type { Generated } from "kysely";
import { type Input, rules } from "lectern/core";

/** Users as stored. */
export interface UsersTable {
  id: Generated<number>;
  name: string;
  /** Unique without regard to case. */
  email: string;
  email_confirmed: Generated<boolean>;
  /** A hash of argon2id or bcrypt; empty where no password was ever set, so that none fits. */
  password: Generated<string>;
  external_auth_id: Generated<string>;
  /** Unique; in addresses of profiles. */
  slug: string;
  /** "public" for the guest, else empty. */
  system_name: Generated<string>;
  /** Wished language of texts; empty for the instance's own. */
  language: Generated<string>;
  /** Kept by whoever records activity; null for none. */
  last_activity_at: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** Links by which users choose a password: at most one of a kind for each user. */
export interface UserLinksTable {
  user_id: number;
  /** SHA-256 of the secret in the link, as hex. */
  hash: string;
  expires_at: string;
}

/** A user, and what comes of user_create, user_update and user_delete. Holds no secrets. */
export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly external_auth_id: string;
  readonly slug: string;
  readonly last_activity_at: string | null;
  /** By id. */
  readonly roles: readonly { readonly id: number; readonly display_name: string }[];
}

/** Rules of a new user (seed, Users). */
export const createRules = rules({
  name: ["required", "string", "min:1", "max:100"],
  email: ["required", "string", "email", "min:2", "unique:users,email,NULL,id"],
  external_auth_id: ["string", "max:255"],
  language: ["string", "max:15", "alpha_dash"],
  password: ["string", "min:8"],
  roles: ["array"],
  "roles.*": ["integer"],
  send_invite: ["boolean"],
});

/** Rules of a change: nothing required, no invitation. */
export const updateRules = rules({
  name: ["string", "min:1", "max:100"],
  email: ["string", "email", "min:2", "unique:users,email,NULL,id"],
  external_auth_id: ["string", "max:255"],
  language: ["string", "max:15", "alpha_dash"],
  password: ["string", "min:8"],
  roles: ["array"],
  "roles.*": ["integer"],
});

/** Rules of a removal: who is to own what the user owned. */
export const deleteRules = rules({ migrate_ownership_id: ["integer", "exists:users,id"] });

/** Rules of a password that its owner chooses by a link. */
export const passwordRules = rules({ password: ["required", "string", "min:8"] });
/** Rules of the wish for such a link. */
export const forgottenRules = rules({ email: ["required", "string", "email"] });

/** What a request asks of a new user. */
export type CreateInput = Input<typeof createRules>;
/** What a request asks of a change. */
export type UpdateInput = Input<typeof updateRules>;

/** What is asked for when a user is made: never the password itself, so that no handler sees it. */
export interface UserDraft {
  readonly name: string;
  readonly email: string;
  readonly external_auth_id?: string;
  readonly language?: string;
  readonly password_hash?: string;
  /** Ids of roles. */
  readonly roles?: readonly number[];
  readonly send_invite?: boolean;
}

/** What is asked for when a user is changed; absent fields stay. */
export type UserChange = Partial<Omit<UserDraft, "send_invite">>;

declare module "lectern/db" {
  interface Tables {
    users: UsersTable;
    user_invites: UserLinksTable;
    user_resets: UserLinksTable;
  }
}

declare module "lectern/core" {
  interface Events {
    user_create: { draft: UserDraft; result: User };
    user_update: { draft: { row: User; draft: UserChange }; result: User };
    /** `heir`: the user who is to own what the other one owned; null for nobody. */
    user_delete: { draft: { row: User; heir: number | null }; result: User };
    /** Somebody asked for a message with which to choose a password; whether the address is anybody's is not known here. */
    auth_password_reset_request: { draft: { email: string }; result: { email: string } };
    /** Such a message was used. Performed within the change of the user. */
    auth_password_reset_update: { draft: User; result: User };
  }
  interface Jobs {
    user_invite: { user_id: number };
    /** The address as it was given; whether somebody has it, nobody who asked learns. */
    user_reset: { email: string };
  }
}
