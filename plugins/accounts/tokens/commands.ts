/**
 * The command `token`, for use beside a running server. It acts as the system viewer through the same events as the API. The
 * secret is printed once, as the last line, so that scripts can read it; only its hash is stored.
 */
import { parseArgs } from "node:util";
import { type Command, type CommandIo, runSubcommand } from "lectern/cli";
import { type AnyContext, ApiError, SYSTEM, sql } from "lectern/core";
import { insertToken, removeToken } from "./changes.ts";
import type { TokenScope } from "./contract.ts";
import { generateCredentials } from "./credentials.ts";
import { checkNames } from "./input.ts";
import { selectTokens } from "./queries.ts";

const USAGE =
  "create --user EMAIL [--name N] [--expires YYYY-MM-DD] [--read-only] [--permissions A,B] | list [--user EMAIL] | revoke ID";

/** The command: creates, lists and revokes tokens, for which the wire contract has no endpoint (platform 1.2). */
export const tokenCommand: Command = {
  summary: "creates, lists and revokes API tokens; works beside a running server",
  usage: USAGE,
  store: true,
  looks: ([verb]) => verb === "list",
  run: runSubcommand("token", USAGE, { create, list, revoke }),
};

async function create(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: "string", default: "" },
      name: { type: "string", default: "Made by command" },
      expires: { type: "string" },
      "read-only": { type: "boolean", default: false },
      permissions: { type: "string" },
    },
  });
  const { user, name, expires } = values;
  const permissions = values.permissions?.split(",").map((one) => one.trim()) ?? null;
  if (permissions) await checkNames(context.db, permissions, context.slot("permission"));
  const draft = {
    user_id: await userId(context, user),
    name,
    read_only: values["read-only"],
    permissions,
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  const credentials = generateCredentials();
  const token = await context.perform("api_token_create", SYSTEM, draft, (final, tx) =>
    insertToken(final, credentials, tx),
  );
  const isExpired = token.expires_at <= new Date().toISOString().slice(0, 10);
  const expiry = isExpired ? `expired on ${token.expires_at}` : `expires at the start of ${token.expires_at}`;
  io.out(`(${token.id}) ${token.name}, of ${token.user_name}, ${expiry}`);
  io.out(`${credentials.tokenId}:${credentials.secret}`);
}

async function list(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values } = parseArgs({ args, options: { user: { type: "string" } } });
  const owner = values.user === undefined ? undefined : await userId(context, values.user);
  const all = selectTokens(context.db);
  const tokens = await (owner === undefined ? all : all.where("api_tokens.user_id", "=", owner)).execute();
  for (const { id, token_id, user_name, name, expires_at, last_used_at, ...scope } of tokens) {
    const times = `ends ${expires_at}  used ${last_used_at ?? "never"}`;
    io.out(`${String(id).padStart(6)}  ${token_id}  ${user_name}  ${name}  ${times}${scopeText(scope)}`);
  }
}

function scopeText({ read_only, permissions }: TokenScope): string {
  return `${read_only ? "  read-only" : ""}${permissions ? `  only ${permissions.join(",")}` : ""}`;
}

async function revoke(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const {
    positionals: [id = ""],
  } = parseArgs({ args, allowPositionals: true });
  const token = await selectTokens(context.db)
    .where((eb) => eb.or([eb("api_tokens.token_id", "=", id), eb(eb.cast<string>("api_tokens.id", "text"), "=", id)]))
    .executeTakeFirst();
  if (!token) throw new ApiError(404, `there is no token "${id}"; "token list" shows their ids`);
  await context.perform("api_token_delete", SYSTEM, token, removeToken);
  io.out(`(${token.id}) ${token.name}, of ${token.user_name}, is revoked`);
}

/** The id of a user by e-mail address or id. Throws 404. */
async function userId(context: AnyContext, user: string): Promise<number> {
  if (user === "") throw new ApiError(422, "wanted --user with an e-mail address");
  const found = await context.db
    .selectFrom("users")
    .select("id")
    .where((eb) =>
      eb.or([eb(eb.fn("lower", ["email"]), "=", sql`lower(${user})`), eb(eb.cast<string>("id", "text"), "=", user)]),
    )
    .executeTakeFirst();
  if (!found) throw new ApiError(404, `there is no user "${user}"; --user wants an e-mail address`);
  return found.id;
}
