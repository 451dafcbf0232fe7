import type { Generated } from "kysely";

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
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What comes of the events about tokens; holds no secret. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly token_id: string;
  readonly user_id: number;
  readonly user_name: string;
  /** `YYYY-MM-DD`. */
  readonly expires_at: string;
}

/** What is asked for when a token is made. */
export interface ApiTokenDraft {
  readonly user_id: number;
  readonly name: string;
  /** `YYYY-MM-DD`; a hundred years from now if absent. */
  readonly expires_at?: string;
}

declare module "lectern/db" {
  interface Tables {
    api_tokens: ApiTokensTable;
  }
}

declare module "lectern/core" {
  interface Events {
    api_token_create: { draft: ApiTokenDraft; result: ApiToken };
    api_token_delete: { draft: ApiToken; result: ApiToken };
  }
}
