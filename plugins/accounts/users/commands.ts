/**
 * Users for whoever runs the server, beside a running server. They act as the system itself, through the same events and
 * rules as the API, so a user made here is like any other; a password that is not given is made and printed once, since
 * it is stored as a hash only. So is a link of an invitation: `invite` shows a new one, which ends the one before, and
 * what `invites` lists is open, whether or not a message went out.
 */
import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import { type AnyContext, ApiError, randomText, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { type PasswordCheck, passwordChecker } from "./common_passwords.ts";
import { createRules, type User } from "./contract.ts";
import { INVITE, openLink, renewLink } from "./links.ts";
import { hashPassword } from "./passwords.ts";
import { readUser } from "./read.ts";
import { made, uniqueEmail } from "./routes.ts";
import { changeUser } from "./write.ts";

const PASSWORD_LENGTH = 20;
const MIN_PASSWORD = 8;

/** The command: make a user, list all, set a password, list open invitations and pass one on. */
export const userCommand: Command = {
  summary: "makes and lists users, sets passwords, shows invitations",
  usage:
    "create --email E --name N [--admin] [--role NAME …] [--password P] | list | password --email E [--password P] | " +
    "invites | invite --email E",
  store: true,
  looks: ([verb]) => verb === "list" || verb === "invites",
  async run([verb = "", ...args], io, context) {
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (!run || !context) {
      io.err(`Cannot run "user ${verb}": wanted ${userCommand.usage}`);
      return 2;
    }
    try {
      return await run(context, args, io);
    } catch (error) {
      if (!(error instanceof ApiError || isUsage(error))) throw error;
      io.err(`Cannot run "user ${verb}": ${errorsOf(error)}`);
      return 1;
    }
  },
};

const VERBS: Readonly<Record<string, (context: AnyContext, args: string[], io: CommandIo) => Promise<number>>> = {
  create,
  list,
  password: changePassword,
  invites: listInvites,
  invite: renewInvite,
};

async function create(context: AnyContext, args: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      password: { type: "string" },
      admin: { type: "boolean", default: false },
      role: { type: "string", multiple: true, default: [] },
    },
  });
  const { admin, role } = values;
  const { email, name } = await context.validate(
    createRules,
    { email: values.email ?? "", name: values.name ?? "" },
    SYSTEM,
    uniqueEmail(context.db),
  );
  const { hash, told } = await passwordOf(context, values.password);
  const roles = await rolesOf(context, role, admin);
  const user = await context.perform("user_create", SYSTEM, { email, name, password_hash: hash, roles }, made);
  io.out(`(${user.id}) ${user.name} <${user.email}>${told}`);
  if (roles.length === 0) io.out("They have no role, and so no permission: --role NAME gives one");
  return 0;
}

/** Ids of roles by name, the administrators' among them where wished. Throws 404. */
async function rolesOf(context: AnyContext, names: readonly string[], admin: boolean): Promise<number[]> {
  const found = await rows(
    context.db as never,
    sql<{ id: number; name: string; system: string }>`select id, display_name as name, system_name as system
      from roles order by id`,
  );
  const asked = names.map((name) => {
    const role = found.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!role) throw new ApiError(404, `there is no role "${name}"; "role list" shows them`);
    return role.id;
  });
  return [...(admin ? found.filter(({ system }) => system === "admin").map(({ id }) => id) : []), ...asked];
}

async function list(context: AnyContext, _args: string[], io: CommandIo): Promise<number> {
  const users = await rows(
    context.db as never,
    sql<{ id: number; name: string; email: string; roles: string }>`
    select users.id, users.name, users.email,
    coalesce(string_agg(roles.display_name, ', ' order by roles.id), '') as roles
    from users left join role_user on role_user.user_id = users.id left join roles on roles.id = role_user.role_id
    group by users.id order by users.id`,
  );
  for (const { id, name, email, roles } of users)
    io.out(`${String(id).padStart(6)}  ${email.padEnd(32)}  ${name}  ${roles}`.trimEnd());
  return 0;
}

async function changePassword(context: AnyContext, args: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({ args, options: { email: { type: "string" }, password: { type: "string" } } });
  const row = await userOf(context, values.email);
  const { hash, told } = await passwordOf(context, values.password);
  const draft = { password_hash: hash };
  await context.perform("user_update", SYSTEM, { row, draft }, (final, tx) =>
    changeUser(final.row.id, final.draft, tx),
  );
  io.out(`(${row.id}) ${row.name} <${row.email}>${told}`);
  return 0;
}

async function listInvites(context: AnyContext, _args: string[], io: CommandIo): Promise<number> {
  const open = await rows(
    context.db as never,
    sql<{ name: string; email: string; expires_at: string }>`select users.name, users.email, user_invites.expires_at
      from user_invites join users on users.id = user_invites.user_id
      where user_invites.expires_at > now() order by user_invites.expires_at, users.id`,
  );
  for (const { name, email, expires_at } of open) io.out(`${email.padEnd(32)}  ${name}  until ${expires_at}`);
  return 0;
}

async function renewInvite(context: AnyContext, args: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({ args, options: { email: { type: "string" } } });
  const { id, name, email } = await userOf(context, values.email);
  await openLink(context.db as never, INVITE, id);
  const given = await renewLink(context.db as never, INVITE, id, context.baseUrl);
  io.out(`(${id}) ${name} <${email}> chooses a password within ${INVITE.hours / 24} days at`);
  io.out(given?.link ?? "");
  return 0;
}

/** The user of an address, for commands. Throws 404. */
async function userOf(context: AnyContext, email = ""): Promise<User> {
  const user = await readUser(context.db as never, sql`lower(users.email) = lower(${email})`);
  if (!user) throw new ApiError(404, `there is no user with the address "${email}"`);
  return user;
}

/** The hash of the given password, or of a random one that is then told. */
async function passwordOf(context: AnyContext, given: string | undefined): Promise<{ hash: string; told: string }> {
  if (given !== undefined && given.length < MIN_PASSWORD)
    throw new ApiError(422, `wanted a --password of at least ${MIN_PASSWORD} characters`);
  const { passwordCheck } = context.settings as { passwordCheck: PasswordCheck };
  await passwordChecker(passwordCheck).byApi(given);
  const password = given ?? randomText(PASSWORD_LENGTH);
  return { hash: await hashPassword(password), told: given === undefined ? ` password: ${password}` : "" };
}

function isUsage(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function errorsOf(error: Error): string {
  const errors = error instanceof ApiError ? Object.values(error.details.validation ?? {}).flat() : [];
  return errors.length > 0 ? errors.join(" ") : error.message;
}
