/**
 * The five routes of users, by hand and not by `mountResource`: all of them close in a demo, removal takes a body, and
 * addresses are compared with those of others while the body is judged, so that one answer tells every error.
 */
import {
  type EventTransaction,
  endpoint,
  type InputObject,
  idOf,
  type ListSpec,
  type Lookups,
  notFound,
  type PluginContext,
  type RawBuilder,
  sql,
  type Viewer,
} from "lectern/core";
import type { Db } from "lectern/db";
import { isEmailTaken, mayTakeOver } from "./checks.ts";
import type { CheckPassword } from "./common_passwords.ts";
import { createRules, deleteRules, type User, type UserChange, type UserDraft, updateRules } from "./contract.ts";
import { invite } from "./jobs.ts";
import { columnsOf, lastActivityIn, readUser, withLastActivity } from "./read.ts";
import { changeOf, draftOf } from "./requests.ts";
import { shown } from "./show.ts";
import { changeUser, insertUser, removeUser } from "./write.ts";

function listingOf(lastActivity: RawBuilder<string | null> | undefined): ListSpec {
  return {
    table: "users",
    fields: {
      id: "integer",
      name: { type: "text", key: "name_key" },
      slug: "code",
      email: "code",
      external_auth_id: "code",
      created_at: "timestamp",
      updated_at: "timestamp",
      last_activity_at: { type: "timestamp", nullable: true, ...(lastActivity && { column: lastActivity }) },
    },
    columns: columnsOf(lastActivity),
  };
}

const PERMIT = "users-manage";

type Context = Pick<PluginContext<never, "users">, "app" | "baseUrl" | "db" | "list" | "perform" | "slot" | "validate">;

/** What the routes need beside the context. */
export interface UserRoutes {
  readonly checkPassword: CheckPassword;
  /** Throws where the instance closes them, as a demo does (platform 5). */
  open(): void;
}

/** Mounts the five routes. */
export function mountUsers(context: Context, { checkPassword, open }: UserRoutes): void {
  const found: Find = async (param) => {
    open();
    const user = await readUser(context.db, sql`users.id = ${idOf(param, "User")}`, lastActivityIn(context));
    if (!user) throw notFound("User");
    return user;
  };
  mountCollection(context, { checkPassword, open });
  mountRead(context, found);
  mountUpdate(context, found, checkPassword);
  mountDelete(context, found);
}

type Find = (param: string) => Promise<User>;

function mountCollection(context: Context, { checkPassword, open }: UserRoutes): void {
  const { app, baseUrl, db, list, perform, validate } = context;
  app.get(
    "/users",
    async ({ viewer, asked }) => {
      open();
      const { data, total } = await list<User>(listingOf(lastActivityIn(context)), viewer, asked);
      return { data: data.map((user) => shown(user, baseUrl)), total };
    },
    { permit: PERMIT, ...endpoint("users", "list", { about: "Lists the users." }) },
  );
  const about = "Makes a user, and on request an invitation to choose a password.";
  app.post(
    "/users",
    async ({ viewer, input }) => {
      open();
      const wished = await validate(createRules, withoutEmptyPassword(input), viewer, uniqueEmail(db));
      await checkPassword(wished.password);
      const draft = await draftOf(wished);
      const user = await perform("user_create", viewer, draft, made);
      return shown(user, baseUrl);
    },
    { permit: PERMIT, ...endpoint("users", "create", { about, rules: createRules }) },
  );
}

function mountRead({ app, baseUrl }: Context, found: Find): void {
  app.get("/users/:id", async ({ params }) => shown(await found(params.id), baseUrl), {
    permit: PERMIT,
    ...endpoint("users", "read", { about: "Shows a user with roles." }),
  });
}

function mountUpdate(context: Context, found: Find, checkPassword: CheckPassword): void {
  const { app, baseUrl, db, perform, validate } = context;
  const about =
    "Changes a user. A list of roles replaces the present ones.\n" +
    "A token with a scope changes no passwords or addresses, and gives no role that permits more than itself.\n" +
    "Only an administrator gives or takes the system role Admin, or changes what its holders sign in with.";
  app.put(
    "/users/:id",
    async ({ viewer, params, input }) => {
      const row = await found(params.id);
      const sent = withoutEmptyPassword(input);
      const wished = await validate(updateRules, sent, viewer, uniqueEmail(db, row.id));
      await checkPassword(wished.password);
      const draft = await changeOf(wished);
      const act = (final: { row: User; draft: UserChange }, tx: EventTransaction) =>
        changeUser(final.row.id, final.draft, tx);
      const changed = await perform("user_update", viewer, { row, draft }, act);
      return shown(await withLastActivity(changed, context), baseUrl);
    },
    { permit: PERMIT, ...endpoint("users", "update", { about, rules: updateRules }) },
  );
}

function mountDelete(context: Context, found: Find): void {
  const about =
    "Deletes a user. What the user owned may be given to another one.\n" +
    "Only an administrator deletes a holder of the system role Admin.";
  context.app.delete(
    "/users/:id",
    async ({ viewer, params, input, set }) => {
      const row = await found(params.id);
      const heir = await heirOf(context, row, input, viewer);
      const tables = context.slot("content").map(({ table }) => table);
      await context.perform("user_delete", viewer, { row, heir }, async (final, tx) => {
        await removeUser(final.row.id, final.heir, tables, tx);
        return final.row;
      });
      set.status = 204;
    },
    { permit: PERMIT, ...endpoint("users", "delete", { about, rules: deleteRules }) },
  );
}

/** Forms send the field along where nobody wants another password (platform 5.3). */
function withoutEmptyPassword(input: InputObject): InputObject {
  if (input.password !== "") return input;
  const { password: _, ...rest } = input;
  return rest;
}

/** Answers whether an address is free, but for that of the user `except`. */
export function uniqueEmail(db: Pick<Db, "executeQuery">, except?: number): Lookups {
  return { unique: async (_, email) => !(await isEmailTaken(db, String(email), except)) };
}

/**
 * Makes a user and, where one is wished for, an invitation. Its message is written by a job of the same transaction and
 * tried until the mail server takes it: a server that is away delays an invitation and undoes no account, so the 500 of
 * platform 5.3 never arises.
 */
export async function made(draft: UserDraft, tx: EventTransaction): Promise<User> {
  const user = await insertUser(draft, tx);
  if (draft.send_invite === true) await invite(user.id, tx);
  return user;
}

async function heirOf(
  { db, validate }: Context,
  { id }: User,
  input: InputObject,
  viewer: Viewer,
): Promise<number | null> {
  const exists = (_: readonly string[], heir: unknown) => mayTakeOver(db, Number(heir), id);
  const { migrate_ownership_id } = await validate(deleteRules, input, viewer, { exists });
  return migrate_ownership_id ?? null;
}
