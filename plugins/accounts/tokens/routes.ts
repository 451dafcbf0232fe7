/**
 * Tokens over the API, which is no part of the wire contract: a user's own, or those of others with users-manage. Permissions
 * are checked before anything is looked up. Only the answer that creates a token contains its secret.
 */
import { endpoint, idOf, type ListSpec, noContent, notFound, sql, type Viewer } from "lectern/core";
import { refs } from "lectern/db";
import { changeToken, insertToken, removeToken } from "./changes.ts";
import {
  type ApiTokenChange,
  bodyFields,
  createdTokenSchema,
  createRules,
  type ListedToken,
  type TokensContext,
  tokenListingSchema,
  tokenSchema,
  updateRules,
} from "./contract.ts";
import { credentialsOf, generateCredentials } from "./credentials.ts";
import { about } from "./docs.ts";
import { checkDay, limitExpiry } from "./expiry.ts";
import { draftOf } from "./input.ts";
import { columns, findTokenOf, joins, readExpiry } from "./queries.ts";
import { scopeFor } from "./scope.ts";

const LISTING: ListSpec = {
  table: "api_tokens",
  fields: {
    id: "integer",
    name: "text",
    expires_at: { type: "timestamp", column: sql`${refs("api_tokens.expires_at")}::timestamp at time zone 'UTC'` },
    read_only: "boolean",
    last_used_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns,
  joins,
};

/** Mounts the routes of tokens below those of their user. */
export function mountTokens(context: TokensContext): void {
  mountList(context);
  mountCreate(context);
  mountUpdateAndDelete(context);
}

function mountList({ app, contracts, denyInDemo, lastUsed, list }: TokensContext): void {
  app.get(
    "/users/:id/tokens",
    async ({ viewer, params, nestedQuery }) => {
      denyInDemo();
      const owner = await contracts.users.manageableUser(viewer, params.id);
      await lastUsed.flush();
      const spec = { ...LISTING, where: sql<boolean>`${refs("api_tokens.user_id")} = ${owner}` };
      return list<ListedToken>(spec, viewer, nestedQuery);
    },
    {
      permit: "access-api",
      response: tokenListingSchema,
      ...endpoint("users", "listTokens", { about: about.list }),
    },
  );
}

function mountCreate(context: TokensContext): void {
  const { app, contracts, db, denyInDemo, perform } = context;
  app.post(
    "/users/:id/tokens",
    async ({ viewer, params, input, request }) => {
      denyInDemo();
      const owner = await contracts.users.manageableUser(viewer, params.id);
      const body = await draftOf(context, owner, viewer, input);
      const draft = { ...body, ...limitExpiry(await expiryOfRequest(db, request), body) };
      const credentials = generateCredentials();
      const token = await perform("api_token_create", viewer, draft, (final, tx) =>
        insertToken({ ...final, ...scopeFor(viewer, final) }, credentials, tx),
      );
      return { ...token, secret: credentials.secret };
    },
    {
      permit: "access-api",
      response: createdTokenSchema,
      ...endpoint("users", "createToken", { about: about.create, rules: createRules, fields: bodyFields }),
    },
  );
}

function mountUpdateAndDelete({ app, contracts, db, denyInDemo, perform, validate }: TokensContext): void {
  const find = async (viewer: Viewer, params: { id: string; tokenId: string }) => {
    denyInDemo();
    const owner = await contracts.users.manageableUser(viewer, params.id);
    const token = await findTokenOf.executeTakeFirst(db, { id: idOf(params.tokenId, "Token"), owner });
    if (!token) throw notFound("Token");
    return token;
  };
  app.put(
    "/users/:id/tokens/:tokenId",
    async ({ viewer, params, input, request }) => {
      const row = await find(viewer, params);
      const { name, expires_at } = await validate(updateRules, input, viewer);
      checkDay(expires_at);
      const expiry =
        expires_at === undefined
          ? {}
          : limitExpiry(await expiryOfRequest(db, request), { expires_at: expires_at ?? "" });
      const draft: ApiTokenChange = { ...(name ? { name } : {}), ...expiry };
      return perform("api_token_update", viewer, { row, draft }, (final, tx) =>
        changeToken(final.row.id, final.draft, tx),
      );
    },
    {
      permit: "access-api",
      response: tokenSchema,
      ...endpoint("users", "updateToken", { about: about.update, rules: updateRules, fields: bodyFields }),
    },
  );
  app.delete(
    "/users/:id/tokens/:tokenId",
    async ({ viewer, params, set }) => {
      await perform("api_token_delete", viewer, await find(viewer, params), removeToken);
      set.status = 204;
    },
    { permit: "access-api", response: noContent, ...endpoint("users", "deleteToken", { about: about.delete }) },
  );
}

/** The expiry of the token that a request carries; undefined if it carries none. */
async function expiryOfRequest(db: TokensContext["db"], request: Request): Promise<string | undefined> {
  const credentials = credentialsOf(request.headers.get("authorization"));
  if (typeof credentials !== "object") return undefined;
  const token = await readExpiry.executeTakeFirst(db, { tokenId: credentials.tokenId });
  return token?.expires_at;
}
