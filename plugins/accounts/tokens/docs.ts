/** Descriptions of the endpoints of tokens. */
export const about = {
  list: "Lists the API tokens of a user with their scopes and when each was last used, never with their secrets.",
  create:
    "Creates an API token for a user and shows its secret, this once: send both as `Authorization: Token token_id:secret`.\n" +
    "A token may have a scope: `read_only` permits only GET, `permissions` names the only permissions that it can use. A " +
    "token created with another token cannot exceed the scope of that token, nor expire after it.\n" +
    "Tokens of users with the system role Admin are created, updated and revoked by such users alone.",
  update: "Updates the name of a token, or the day at whose start it expires; an empty day means in a hundred years.",
  delete: "Revokes a token; it stops working immediately.",
} as const;
