/**
 * The interface of tokens: table, drafts and results of events, rules of requests. None of them contains a secret.
 */
import type { Generated } from "kysely";
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
} from "lectern/core";
import type { TokensUsed } from "./last_used.ts";

/** API tokens as stored. */
export interface ApiTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** The part of the credentials before the colon: unique, not secret. */
  token_id: string;
  /** SHA-256 as hex; bcrypt in migrated rows until their first use. */
  secret_hash: string;
  /** `YYYY-MM-DD`; the token expires at the start of that day. */
  expires_at: string;
  last_used_at: string | null;
  read_only: Generated<boolean>;
  /** The only permissions that the token can use; null for all of its user. */
  permissions: Generated<readonly string[] | null>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** The restrictions of a token. */
export interface TokenScope {
  /** Permits GET and HEAD alone. */
  readonly read_only: boolean;
  /** The only permissions it can use, if its user has them; null for all. access-api is always included. */
  readonly permissions: readonly string[] | null;
}

/** A token as the result of its events; contains no secret. */
export interface ApiToken extends TokenScope {
  readonly id: number;
  readonly name: string;
  readonly token_id: string;
  readonly user_id: number;
  readonly user_name: string;
  /** `YYYY-MM-DD`. */
  readonly expires_at: string;
}

/** A token as listings show it. */
export interface ListedToken extends ApiToken {
  readonly last_used_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The fields of a new token. */
export interface ApiTokenDraft extends Partial<TokenScope> {
  readonly user_id: number;
  readonly name: string;
  /** `YYYY-MM-DD`; by default in a hundred years. */
  readonly expires_at?: string;
}

/** The fields of an update; absent ones are unchanged. A scope cannot be updated. */
export interface ApiTokenChange {
  readonly name?: string;
  readonly expires_at?: string;
}

/** Rules of a new token (platform 1.2; the scope is an addition of Lectern). */
export const createRules = rules({
  name: ["required", "string", "max:250"],
  expires_at: ["nullable", "string"],
  read_only: ["boolean"],
  permissions: ["nullable", "array"],
  "permissions.*": ["string"],
});

/** Rules of an update. */
export const updateRules = rules({ name: ["string", "min:1", "max:250"], expires_at: ["nullable", "string"] });

/** What the documentation says beside the rules. */
export const bodyFields = { expires_at: { format: "date" } };

/** The validated body of a create. */
export type CreateInput = Input<typeof createRules>;
/** The validated body of an update. */
export type UpdateInput = Input<typeof updateRules>;

/** The context that the files of this plugin share, with what `setup` adds. */
export interface TokensContext
  extends PluginContext<"users", "api_tokens" | "users" | "roles" | "role_permissions" | "role_user"> {
  readonly lastUsed: TokensUsed;
  /** Throws 403 if APP_ENV is demo, where accounts cannot be changed. */
  denyInDemo(): void;
}

const tokenFields = {
  id: idSchema,
  name: t.String(),
  token_id: t.String({ description: "The part of the credentials before the colon; not secret" }),
  user_id: idSchema,
  user_name: t.String(),
  expires_at: t.String({ format: "date" }),
  read_only: t.Boolean(),
  permissions: nullable(listOf(t.String())),
  last_used_at: nullable(timestampSchema),
  ...timesFields,
};

/** A token of the API (platform 1.2), without its secret. */
export const tokenSchema = t.Object(tokenFields, { $id: "Token" });

/** A new token; no other answer has the secret. */
export const createdTokenSchema = t.Object({ ...tokenFields, secret: t.String() }, { $id: "CreatedToken" });

/** The listing of a user's tokens. */
export const tokenListingSchema = listingSchema(tokenSchema);

declare module "lectern/contracts" {
  interface Answers {
    [token: `POST /api/users/${number}/tokens`]: Static<typeof createdTokenSchema>;
    [tokens: `/api/users/${number}/tokens`]: Static<typeof tokenListingSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    api_tokens: ApiTokensTable;
  }
}

declare module "lectern/core" {
  interface Events {
    api_token_create: { draft: ApiTokenDraft; result: ApiToken };
    api_token_update: { draft: { row: ApiToken; draft: ApiTokenChange }; result: ApiToken };
    api_token_delete: { draft: ApiToken; result: ApiToken };
  }
}
