import type { Generated } from "kysely";
import { type Input, rules } from "lectern/core";

/** API tokens as stored. */
export interface ApiTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** What stands before the colon: unique, no secret. */
  token_id: string;
  /** SHA-256 as hex; bcrypt in rows taken over from elsewhere, until their first use. */
  secret_hash: string;
  /** A day, `YYYY-MM-DD`; the token ends when it begins. */
  expires_at: string;
  last_used_at: string | null;
  read_only: Generated<boolean>;
  /** The only permissions the token may use; null for all that its owner has. */
  permissions: Generated<readonly string[] | null>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What a token may do less than its owner. */
export interface TokenScope {
  /** Only GET and HEAD. */
  readonly read_only: boolean;
  /** Only these permissions, as far as the owner has them; null for all. Use of the API goes without saying. */
  readonly permissions: readonly string[] | null;
}

/** What comes of the events about tokens; holds no secret. */
export interface ApiToken extends TokenScope {
  readonly id: number;
  readonly name: string;
  readonly token_id: string;
  readonly user_id: number;
  readonly user_name: string;
  /** `YYYY-MM-DD`. */
  readonly expires_at: string;
}

/** What is asked for when a token is made. */
export interface ApiTokenDraft extends Partial<TokenScope> {
  readonly user_id: number;
  readonly name: string;
  /** `YYYY-MM-DD`; a hundred years from now if absent. */
  readonly expires_at?: string;
}

/** What is asked for when a token is changed; absent fields stay, and a scope is never changed. */
export interface ApiTokenChange {
  readonly name?: string;
  readonly expires_at?: string;
}

/** Rules of a new token (platform 1.2; the scope is ours). */
export const createRules = rules({
  name: ["required", "string", "max:250"],
  expires_at: ["nullable", "string"],
  read_only: ["boolean"],
  permissions: ["nullable", "array"],
  "permissions.*": ["string"],
});

/** Rules of a change. */
export const updateRules = rules({ name: ["string", "min:1", "max:250"], expires_at: ["nullable", "string"] });

/** What a request asks of a new token. */
export type CreateInput = Input<typeof createRules>;
/** What a request asks of a change. */
export type UpdateInput = Input<typeof updateRules>;

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
