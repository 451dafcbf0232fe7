/**
 * The command `user`, for use beside a running server. It acts as the system viewer through the same events and rules as the
 * API. A password that is not given is generated and printed once, since only its hash is stored. The same holds for
 * invitation links: `invites` lists the open ones, whether or not a message was sent, and `invite` prints a new link,
 * which replaces the former one.
 */
import { parseArgs } from "node:util";
import { type Command, type CommandIo, runSubcommand } from "lectern/cli";
import { type AnyContext, ApiError, randomText, SYSTEM, sql } from "lectern/core";
import { changeUser } from "./changes.ts";
import { createPasswordChecker, type PasswordCheck } from "./common_passwords.ts";
import { createRules, type User } from "./contract.ts";
import { INVITE, openLink, renewLink } from "./links.ts";
import { readUser } from "./queries.ts";
import { createUser, uniqueEmail } from "./routes.ts";
import { sealedHash } from "./sealed_hash.ts";

const PASSWORD_LENGTH = 20;
const MIN_PASSWORD = 8;
const USAGE =
  "create --email E --name N [--admin] [--role NAME …] [--password P] | list | password --email E [--password P] | " +
  "invites | invite --email E";

/** The command: creates a user, lists all, sets a password, lists open invitations and renews one. */
export const userCommand: Command = {
  summary: "creates and lists users, sets passwords, shows invitations",
  usage: USAGE,
  store: true,
  looks: ([verb]) => verb === "list" || verb === "invites",
  run: runSubcommand("user", USAGE, {
    create,
    list,
    password: changePassword,
    invites: listInvites,
    invite: renewInvite,
  }),
};

async function create(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
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
  const { hash, shown } = await passwordOf(context, values.password);
  const roles = await roleIds(context, role, admin);
  const user = await context.perform("user_create", SYSTEM, { email, name, password_hash: hash, roles }, createUser);
  io.out(`(${user.id}) ${user.name} <${user.email}>${shown}`);
  if (roles.length === 0) io.out("The user has no role and therefore no permissions; --role NAME gives one");
}

/** Ids of the roles with these names, and of the system role Admin if `admin`. Throws 404. */
async function roleIds(context: AnyContext, names: readonly string[], admin: boolean): Promise<number[]> {
  const roles = await context.db
    .selectFrom("roles")
    .select(["id", "display_name as name", "system_name as system"])
    .orderBy("id")
    .execute();
  const named = names.map((name) => {
    const role = roles.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!role) throw new ApiError(404, `there is no role "${name}"; "role list" shows them`);
    return role.id;
  });
  return [...(admin ? roles.filter(({ system }) => system === "admin").map(({ id }) => id) : []), ...named];
}

async function list(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const users = await context.db
    .selectFrom("users")
    .leftJoin("role_user", "role_user.user_id", "users.id")
    .leftJoin("roles", "roles.id", "role_user.role_id")
    .select(["users.id", "users.name", "users.email"])
    .select(({ ref }) =>
      sql<string>`coalesce(string_agg(${ref("roles.display_name")}, ', ' order by ${ref("roles.id")}), '')`.as("roles"),
    )
    .groupBy("users.id")
    .orderBy("users.id")
    .execute();
  for (const { id, name, email, roles } of users)
    io.out(`${String(id).padStart(6)}  ${email.padEnd(32)}  ${name}  ${roles}`.trimEnd());
}

async function changePassword(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values } = parseArgs({ args, options: { email: { type: "string" }, password: { type: "string" } } });
  const row = await findUser(context, values.email);
  const { hash, shown } = await passwordOf(context, values.password);
  const draft = { password_hash: hash };
  await context.perform("user_update", SYSTEM, { row, draft }, (final, tx) =>
    changeUser(final.row.id, final.draft, tx),
  );
  io.out(`(${row.id}) ${row.name} <${row.email}>${shown}`);
}

async function listInvites(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const open = await context.db
    .selectFrom("user_invites")
    .innerJoin("users", "users.id", "user_invites.user_id")
    .select(["users.name", "users.email", "user_invites.expires_at"])
    .where("user_invites.expires_at", ">", sql<string>`now()`)
    .orderBy("user_invites.expires_at")
    .orderBy("users.id")
    .execute();
  for (const { name, email, expires_at } of open) io.out(`${email.padEnd(32)}  ${name}  until ${expires_at}`);
}

async function renewInvite(context: AnyContext, args: string[], io: CommandIo): Promise<void> {
  const { values } = parseArgs({ args, options: { email: { type: "string" } } });
  const { id, name, email } = await findUser(context, values.email);
  await openLink(context.db, INVITE, id);
  const renewed = await renewLink(context.db, INVITE, id, context.baseUrl);
  io.out(`(${id}) ${name} <${email}> can choose a password within ${INVITE.hours / 24} days at`);
  io.out(renewed?.link ?? "");
}

/** The user with an e-mail address. Throws 404. */
async function findUser(context: AnyContext, email = ""): Promise<User> {
  const found = await context.db
    .selectFrom("users")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${email})`))
    .executeTakeFirst();
  const user = found && (await readUser(context.db, found.id));
  if (!user) throw new ApiError(404, `there is no user with the address "${email}"`);
  return user;
}

/** The hash of the given password, or of a random one, which `shown` then contains for printing. */
async function passwordOf(context: AnyContext, given: string | undefined): Promise<{ hash: string; shown: string }> {
  if (given !== undefined && given.length < MIN_PASSWORD)
    throw new ApiError(422, `wanted a --password of at least ${MIN_PASSWORD} characters`);
  const { passwordCheck } = context.settings as { passwordCheck: PasswordCheck };
  await createPasswordChecker(passwordCheck).byApi(given);
  const password = given ?? randomText(PASSWORD_LENGTH);
  return { hash: await sealedHash(password), shown: given === undefined ? ` password: ${password}` : "" };
}
