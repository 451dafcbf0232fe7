/**
 * Tokens for whoever runs the server, beside a running server. They act as the system itself, through the same events as
 * the API; the secret is printed once, as the last line, so that scripts can take it, and is stored as a hash only.
 */
import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import { type AnyContext, ApiError, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { TokenScope } from "./contract.ts";
import { checkNames } from "./requests.ts";
import { insertToken, randomParts, readTokens, removeToken } from "./write.ts";

/** Tokens for whoever runs the server, since the wire contract has no endpoint for them (platform 1.2). */
export const tokenCommand: Command = {
  summary: "makes, lists and revokes API tokens; works beside a running server",
  usage:
    "create --user EMAIL [--name N] [--expires YYYY-MM-DD] [--read-only] [--permissions A,B] | list [--user EMAIL] | revoke ID",
  store: true,
  looks: ([verb]) => verb === "list",
  async run([verb = "", ...args], io, context) {
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (!run || !context) {
      io.err(`Cannot run "token ${verb}": wanted ${tokenCommand.usage}`);
      return 2;
    }
    try {
      await run(context, args, io);
      return 0;
    } catch (error) {
      if (!(error instanceof ApiError || isUsage(error))) throw error;
      io.err(`Cannot run "token ${verb}": ${error.message}`);
      return 1;
    }
  },
};

const VERBS: Readonly<Record<string, (context: AnyContext, args: string[], io: CommandIo) => Promise<void>>> = {
  create,
  list,
  revoke,
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
  if (permissions) await checkNames(context.db as never, permissions, context.slot("permission"));
  const draft = {
    user_id: await userOf(context, user),
    name,
    read_only: values["read-only"],
    permissions,
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  const parts = randomParts();
  const token = await context.perform("api_token_create", SYSTEM, draft, (final, tx) => insertToken(final, parts, tx));
  const isOver = token.expires_at <= new Date().toISOString().slice(0, 10);
  const end = isOver ? `ended already, on ${token.expires_at}` : `ends when ${token.expires_at} begins`;
  io.out(`(${token.id}) ${token.name}, of ${token.user_name}, ${end}`);
  io.out(`${parts.tokenId}:${parts.secret}`);
}

async function list(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values } = parseArgs({ args, options: { user: { type: "string" } } });
  const owner = values.user === undefined ? undefined : await userOf(context, values.user);
  const tokens = await readTokens(
    context.db as never,
    owner === undefined ? sql`true` : sql`api_tokens.user_id = ${owner}`,
  );
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
    positionals: [wanted = ""],
  } = parseArgs({ args, allowPositionals: true });
  const [token] = await readTokens(
    context.db as never,
    sql`api_tokens.token_id = ${wanted} or api_tokens.id::text = ${wanted}`,
  );
  if (!token) throw new ApiError(404, `there is no token "${wanted}"; "token list" shows their ids`);
  await context.perform("api_token_delete", SYSTEM, token, removeToken);
  io.out(`(${token.id}) ${token.name}, of ${token.user_name}, is revoked`);
}

/** The id of a user by e-mail address or id. Throws 404. */
async function userOf(context: AnyContext, wanted: string): Promise<number> {
  if (wanted === "") throw new ApiError(422, "wanted --user with an e-mail address");
  const [user] = await rows(
    context.db as never,
    sql<{ id: number }>`select id from users where lower(email) = lower(${wanted}) or id::text = ${wanted}`,
  );
  if (!user) throw new ApiError(404, `there is no user "${wanted}"; --user wants an e-mail address`);
  return user.id;
}

function isUsage(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
