/**
 * Tokens over the API, a wish of many and no part of the wire contract: one's own, or anybody's with users-manage. Who
 * may not look is refused before anything is looked up. The secret is in the answer to the request that makes a token
 * and nowhere else; a scope is set then and never changed, since whoever holds the token relies on it.
 */
import {
  denied,
  endpoint,
  hasPermission,
  type InputObject,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { type ApiTokenChange, type ApiTokenDraft, createRules, updateRules } from "./contract.ts";
import { credentialsOf } from "./header.ts";
import type { TokensUsed } from "./last_used.ts";
import { badDay, badEnd, checkNames } from "./requests.ts";
import { scopeFor } from "./scope.ts";
import {
  changeToken,
  columns,
  insertToken,
  joins,
  type ListedToken,
  randomParts,
  readTokens,
  removeToken,
} from "./write.ts";

type Context = Pick<PluginContext<"users", "api_tokens">, "app" | "db" | "list" | "perform" | "slot" | "validate">;

/** What the routes need beside the context. */
export interface TokenRoutes {
  readonly lastUsed: TokensUsed;
  /** Throws where the instance lets nobody change accounts. */
  open(): void;
}

const LISTING: ListSpec = {
  table: "api_tokens",
  fields: {
    id: "integer",
    name: "text",
    expires_at: { type: "timestamp", column: sql`api_tokens.expires_at::timestamp at time zone 'UTC'` },
    read_only: "boolean",
    last_used_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns,
  joins,
};

/** Mounts the routes of tokens below a user. */
export function mountTokens(context: Context, parts: TokenRoutes): void {
  mountList(context, parts);
  mountCreate(context, parts);
  mountOne(context, parts);
}

function mountList({ app, db, list }: Context, { open, lastUsed }: TokenRoutes): void {
  const about = "Lists a user's API tokens, with their scope and when each was last used; never their secrets.";
  app.get(
    "/users/:id/tokens",
    async ({ viewer, params, asked }) => {
      open();
      const owner = await ownerOf(db, viewer, params.id);
      await lastUsed.flush();
      const spec = { ...LISTING, where: sql<boolean>`api_tokens.user_id = ${owner}` };
      return list<ListedToken>(spec, viewer, asked);
    },
    { permit: "access-api", ...endpoint("users", "listTokens", { about }) },
  );
}

function mountCreate(context: Context, { open }: TokenRoutes): void {
  const { app, db, perform } = context;
  const about =
    "Makes an API token for a user and shows its secret, this once: send both as `Authorization: Token token_id:secret`.\n" +
    "It may do less than its owner: `read_only` allows GET alone, `permissions` names the only ones it may use. Made with " +
    "another token, it may do no more and ends no later than that one.\n" +
    "Tokens of holders of the system role Admin are made, changed and revoked by such holders alone.";
  app.post(
    "/users/:id/tokens",
    async ({ viewer, params, input, request }) => {
      open();
      const owner = await ownerOf(db, viewer, params.id);
      const asked = await draftOf(context, owner, viewer, input);
      const draft = { ...asked, ...endWithin(await endOf(db, request), asked) };
      const parts = randomParts();
      const token = await perform("api_token_create", viewer, draft, (final, tx) =>
        insertToken({ ...final, ...scopeFor(viewer, final) }, parts, tx),
      );
      return { ...token, secret: parts.secret };
    },
    { permit: "access-api", ...endpoint("users", "createToken", { about, rules: createRules }) },
  );
}

function mountOne({ app, db, perform, validate }: Context, { open }: TokenRoutes): void {
  const found = async (viewer: Viewer, params: { id: string; tokenId: string }) => {
    open();
    const owner = await ownerOf(db, viewer, params.id);
    const [token] = await readTokens(
      db,
      sql`api_tokens.id = ${idOf(params.tokenId, "Token")} and api_tokens.user_id = ${owner}`,
    );
    if (!token) throw notFound("Token");
    return token;
  };
  app.put(
    "/users/:id/tokens/:tokenId",
    async ({ viewer, params, input, request }) => {
      const row = await found(viewer, params);
      const { name, expires_at } = await validate(updateRules, input, viewer);
      badDay(expires_at);
      const draft: ApiTokenChange = {
        ...(name ? { name } : {}),
        ...(expires_at === undefined ? {} : endWithin(await endOf(db, request), { expires_at: expires_at ?? "" })),
      };
      return perform("api_token_update", viewer, { row, draft }, (final, tx) =>
        changeToken(final.row.id, final.draft, tx),
      );
    },
    {
      permit: "access-api",
      ...endpoint("users", "updateToken", {
        about: "Changes the name of a token, or the day at whose start it ends; an empty day means in a hundred years.",
        rules: updateRules,
      }),
    },
  );
  app.delete(
    "/users/:id/tokens/:tokenId",
    async ({ viewer, params, set }) => {
      await perform("api_token_delete", viewer, await found(viewer, params), removeToken);
      set.status = 204;
    },
    { permit: "access-api", ...endpoint("users", "deleteToken", { about: "Revokes a token; it ends at once." }) },
  );
}

/**
 * The user whose tokens the viewer may manage (platform 1.2). Throws 403 for others, then 404. A narrower token is not
 * its owner: it manages tokens only if users-manage is among what it may use.
 */
async function ownerOf(db: Context["db"], viewer: Viewer, param: string): Promise<number> {
  const isOwn = param === String(viewer.id) && viewer.via !== "guest" && !viewer.only;
  if (!isOwn && !hasPermission(viewer, "users-manage")) throw denied();
  const id = idOf(param, "User");
  if ((await rows(db, sql`select from users where id = ${id}`)).length === 0) throw notFound("User");
  return id;
}

/** The end of the token that a request came with; undefined where it came with a session. */
async function endOf(db: Context["db"], request: Request): Promise<string | undefined> {
  const sent = credentialsOf(request.headers.get("authorization"));
  if (typeof sent !== "object") return undefined;
  const [token] = await readTokens(db, sql`api_tokens.token_id = ${sent.tokenId}`);
  return token?.expires_at;
}

/** A token makes and extends none beyond its own end. Throws 422. */
function endWithin(end: string | undefined, { expires_at = "" }: { expires_at?: string }): { expires_at?: string } {
  if (end === undefined || (expires_at !== "" && expires_at <= end)) return { expires_at };
  if (expires_at === "") return { expires_at: end };
  throw badEnd(end);
}

async function draftOf(
  { db, slot, validate }: Context,
  user_id: number,
  viewer: Viewer,
  input: InputObject,
): Promise<ApiTokenDraft> {
  const { name, expires_at, read_only, permissions } = await validate(createRules, input, viewer);
  badDay(expires_at);
  const names = permissions ? Object.values(permissions as object).map(String) : null;
  if (names) await checkNames(db, names, slot("permission"));
  return {
    user_id,
    name,
    ...(expires_at ? { expires_at } : {}),
    ...(read_only === undefined ? {} : { read_only }),
    permissions: names && [...new Set(names)].sort(),
  };
}
