/**
 * The interface of users: rules of requests, answers, events; the tables are in tables.ts. Passwords are in no event and no answer; drafts contain the
 * hash. Event handlers get a `User`; presenter.ts adds the URLs of profile and avatar to answers.
 */
import type { Users } from "lectern/contracts";
import {
  type Input,
  idSchema,
  listingSchema,
  listOf,
  nullable,
  type PluginContext,
  rules,
  type Static,
  t,
  timesFields,
  timestampSchema,
  type Upload,
  userRefSchema,
} from "lectern/core";
import type { PasswordChecker } from "./common_passwords.ts";

/** A user as event handlers get it; the result of user_create, user_update and user_delete. Contains no secrets. */
export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly external_auth_id: string;
  readonly slug: string;
  readonly last_activity_at: string | null;
  /** Sorted by id. */
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

/** Rules of an update: the same with nothing required, without an invitation. */
export const updateRules = rules({
  name: ["string", "min:1", "max:100"],
  email: ["string", "email", "min:2", "unique:users,email,NULL,id"],
  external_auth_id: ["string", "max:255"],
  language: ["string", "max:15", "alpha_dash"],
  password: ["string", "min:8"],
  roles: ["array"],
  "roles.*": ["integer"],
});

/** Rules of a deletion: the id of the user who becomes the owner of the items. */
export const deleteRules = rules({ migrate_ownership_id: ["integer", "exists:users,id"] });

/** Rules of a search for people. */
export const peopleRules = rules({ query: ["required", "string", "min:2", "max:100"] });

/** Rules of the deletion of one's own account; the other user is as above. */
export const leaveRules = rules({
  current_password: ["required", "string"],
  migrate_ownership_id: ["integer", "exists:users,id"],
});

/** Rules of a request for another address of one's own account. */
export const newAddressRules = rules({
  email: ["required", "string", "email", "min:2"],
  current_password: ["required", "string"],
});

/** Rules of a password chosen by a link. */
export const passwordRules = rules({ password: ["required", "string", "min:8"] });
/** Rules of a request for a password reset. */
export const forgottenRules = rules({ email: ["required", "string", "email"] });

/** The validated body of a create. */
export type CreateInput = Input<typeof createRules>;
/** The validated body of an update. */
export type UpdateInput = Input<typeof updateRules>;

/** The fields of a new user. */
export interface UserDraft {
  readonly name: string;
  readonly email: string;
  readonly external_auth_id?: string;
  readonly language?: string;
  readonly time_zone?: string;
  /** The hash of the password, sealed: no event handler gets the password or its hash, or may choose one. */
  readonly password_hash?: string;
  /** Ids of roles. */
  readonly roles?: readonly number[];
  readonly send_invite?: boolean;
}

/** The fields of an update; absent ones are unchanged. */
export interface UserChange extends Partial<Omit<UserDraft, "send_invite">> {
  /** The picture, which a contributor to the slot `user_picture` stores; null removes it. */
  readonly image?: Upload | null;
}

/** Items of a deleted user that get their new owner in one transaction. */
export interface TransferBatch {
  /** Id of the deleted user. */
  readonly user_id: number;
  readonly kind: string;
  readonly ids: readonly number[];
}

/** The context that the files of this plugin share, with what `setup` adds. */
export interface UsersContext
  extends PluginContext<
    "mail" | "throttle",
    | "users"
    | "user_invites"
    | "user_resets"
    | "user_email_changes"
    | "user_transfers"
    | "role_user"
    | "roles"
    | "role_permissions"
  > {
  /** The name of the instance in mail. */
  instanceName(): string;
  /** The user with an id as a viewer, cached; undefined if there is none. */
  readonly viewerOf: Users["viewer"];
  readonly passwordChecker: PasswordChecker;
  /** The largest picture in megabytes. */
  readonly fileLimit: number;
  /** Items of a deleted user up to which the heir gets them within the request. */
  readonly deletedItems: number;
  /** Throws 403 if APP_ENV is demo, where accounts cannot be changed (platform 5). */
  denyInDemo(): void;
}

const listedFields = {
  id: idSchema,
  name: t.String(),
  email: t.String(),
  ...timesFields,
  external_auth_id: t.String(),
  slug: t.String(),
  last_activity_at: nullable(timestampSchema),
  profile_url: t.String(),
  edit_url: t.String(),
  avatar_url: t.String(),
};
const userFields = {
  ...listedFields,
  roles: listOf(t.Object({ id: idSchema, display_name: t.String() }, { $id: "RoleRef" })),
};

/** A user (platform 5). */
export const userSchema = t.Object(userFields, { $id: "User" });

/** The listing of users. */
export const userListingSchema = listingSchema(t.Object(listedFields, { $id: "UserListItem" }));

/** The user of the request. */
export const meSchema = t.Object(
  {
    ...userFields,
    language: t.String(),
    editor: t.String({ description: 'The editor of pages: rich, source, or "" for the one of each page\'s format' }),
    time_zone: t.String({ description: 'The time zone of times on screens, or "" for that of the browser' }),
    permissions: t.Array(t.String()),
    new_email: nullable(t.String({ description: "The address that a message with a link was sent to; null for none" })),
    via: t.String({ description: "How the request was authenticated" }),
  },
  { $id: "Me" },
);

/** A user, as every user of the API may see them. */
export const profileSchema = t.Object(
  { id: idSchema, name: t.String(), slug: t.String(), created_at: timestampSchema, avatar_url: t.String() },
  { $id: "Person" },
);

/** The people whose names match, the first of them. */
export const peopleSchema = t.Object({ data: t.Array(profileSchema) }, { $id: "People" });

/** A transfer of the content of a deleted user. */
export const listedTransferSchema = t.Object(
  {
    id: idSchema,
    user_id: idSchema,
    name: t.String({ description: "Name of the deleted user" }),
    heir: nullable(userRefSchema),
    items: nullable(t.Integer({ description: "Items there were at the beginning; null before they are counted" })),
    moved: t.Integer({ description: "Items that were changed so far" }),
    created_at: timestampSchema,
  },
  { $id: "UserTransfer" },
);

/** An invitation that was not accepted. */
export const listedInviteSchema = t.Object(
  {
    user: t.Object({ id: idSchema, name: t.String(), slug: t.String(), email: t.String() }, { $id: "InvitedUser" }),
    invited_by: nullable(userRefSchema),
    expires_at: timestampSchema,
    expired: t.Boolean(),
  },
  { $id: "UserInvite" },
);

/** The listing of invitations. */
export const inviteListingSchema = listingSchema(listedInviteSchema);

/** The listing of transfers. */
export const transferListingSchema = listingSchema(listedTransferSchema);

/** The account whose password was set by a link. */
export const accountRefSchema = t.Object(
  { id: idSchema, name: t.String(), slug: t.String(), email: t.String() },
  { $id: "AccountRef" },
);

/** The answer to a request for a password reset, whether there is an account or not. */
export const messageSchema = t.Object({ message: t.String() }, { $id: "Message" });

declare module "lectern/contracts" {
  interface SettingValues {
    registration_enabled: boolean;
    registration_confirmation: boolean;
    /** Domains, separated by commas; "" for any. */
    registration_restrict: string;
  }
  interface Answers {
    "POST /api/password/email": Static<typeof messageSchema>;
    "POST /api/users": Static<typeof userSchema>;
    [accepted: `POST /api/register/invite/${string}`]: Static<typeof accountRefSchema>;
    [reset: `POST /api/password/reset/${string}`]: Static<typeof accountRefSchema>;
    "PUT /api/users/me": Static<typeof meSchema>;
    "POST /api/users/me/email": Static<typeof messageSchema>;
    [confirmed: `POST /api/users/me/email/${string}`]: Static<typeof meSchema>;
    "/api/people": Static<typeof peopleSchema>;
    [person: `/api/people/${string}`]: Static<typeof profileSchema>;
    [userUpdate: `PUT /api/users/${number}`]: Static<typeof userSchema>;
    "/api/user-invites": Static<typeof inviteListingSchema>;
    "/api/user-transfers": Static<typeof transferListingSchema>;
    "/api/users": Static<typeof userListingSchema>;
    "/api/users/me": Static<typeof meSchema>;
    [user: `/api/users/${number}`]: Static<typeof userSchema>;
  }
}

declare module "lectern/core" {
  interface Events {
    user_create: { draft: UserDraft; result: User };
    user_update: { draft: { row: User; draft: UserChange }; result: User };
    /** `heir`: id of the user who becomes the owner of the deleted user's items; null for none. */
    user_delete: { draft: { row: User; heir: number | null }; result: User };
    /** Within the job that gives items of a deleted user to the heir: some items of one kind get their new owner. */
    user_content_transfer: { draft: TransferBatch; result: TransferBatch };
    /** A password reset was requested. Whether there is an account with the address is not known here. */
    auth_password_reset_request: { draft: { email: string }; result: { email: string } };
    /** A reset link was used. Performed within the user_update of the account. */
    auth_password_reset_update: { draft: User; result: User };
  }
  interface Jobs {
    user_invite: { user_id: number };
    /** The address as sent; it may belong to no account. */
    user_reset: { email: string };
    /** A message to the address that a user wants to have. */
    user_new_address: { user_id: number };
    /** A message to the former address of a user, which `email` is. */
    user_former_address: { user_id: number; email: string };
    user_content: { user_id: number };
  }
}
