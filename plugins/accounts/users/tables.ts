import type { Generated, GeneratedAlways } from "kysely";

/** Users as stored. */
export interface UsersTable {
  id: Generated<number>;
  name: string;
  /** The sort and search key of the name, computed by the store. */
  name_key: GeneratedAlways<string>;
  /** Unique, compared case-insensitively. */
  email: string;
  email_confirmed: Generated<boolean>;
  /** A hash of argon2id or bcrypt; empty if no password was set, which matches none. */
  password: Generated<string>;
  external_auth_id: Generated<string>;
  /** Unique; part of the URLs of profiles. */
  slug: string;
  /** "public" for the guest, else empty. */
  system_name: Generated<string>;
  /** Preferred language; empty for that of the instance. */
  language: Generated<string>;
  /** The editor that pages are written in: "rich" or "source"; empty for the one of each page's format. */
  editor: Generated<string>;
  /** The time zone that screens show times in, such as "Europe/Berlin"; empty for that of the browser. */
  time_zone: Generated<string>;
  /** Null if there was none. Where a plugin fills the slot `last_activity`, that is used instead. */
  last_activity_at: string | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** Links by which users choose a password; at most one per user in each table. */
export interface UserLinksTable {
  user_id: number;
  /** SHA-256 of the secret in the link, as hex. */
  hash: string;
  expires_at: string;
}

/** Invitations. */
export interface UserInvitesTable extends UserLinksTable {
  /** Id of the user who sent it last; null for the system, and for a user who was deleted since. */
  invited_by: Generated<number | null>;
}

/** Addresses that users want to have, until the link in the mail to the address is opened. */
export interface UserEmailChangesTable extends UserLinksTable {
  email: string;
}

/** The content of deleted users that a job is giving to their heirs. Users and heirs are ids without foreign keys. */
export interface UserTransfersTable {
  id: Generated<number>;
  /** Id of the deleted user. */
  user_id: number;
  /** Null where nobody becomes the owner. */
  heir_id: number | null;
  /** Name of the deleted user. */
  name: string;
  /** How many items there were when the job began, the largest of those owned, created and edited last; null before. */
  items: number | null;
  /** How many were changed so far. */
  moved: Generated<number>;
  created_at: Generated<string>;
}

declare module "lectern/db" {
  interface Tables {
    users: UsersTable;
    user_invites: UserInvitesTable;
    user_resets: UserLinksTable;
    user_email_changes: UserEmailChangesTable;
    user_transfers: UserTransfersTable;
  }
}
