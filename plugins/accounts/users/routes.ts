/**
 * The five routes of users. They do not use `mountResource`: all of them are closed in a demo, deleting takes a body, and
 * the uniqueness of e-mail addresses is checked during validation, so that one answer contains every error.
 */
import {
  type EventTransaction,
  endpoint,
  type InputObject,
  idOf,
  type ListSpec,
  type Lookups,
  noContent,
  notFound,
} from "lectern/core";
import type { Executor } from "lectern/db";
import { changeUser, insertUser } from "./changes.ts";
import { isEmailTaken } from "./checks.ts";
import {
  createRules,
  deleteRules,
  type User,
  type UserChange,
  type UserDraft,
  type UsersContext,
  updateRules,
  userListingSchema,
  userSchema,
} from "./contract.ts";
import { about } from "./docs.ts";
import { changeOf, draftOf } from "./input.ts";
import { invite } from "./invitations.ts";
import { presentUser } from "./presenter.ts";
import { columnsOf, lastActivityIn, readUser, type ShownUser, shownUser } from "./queries.ts";
import { deleteUser, heirOf } from "./removal.ts";

const PERMIT = "users-manage";

/** Mounts the routes. */
export function mountUsers(context: UsersContext): void {
  const find: Find = async (param) => {
    context.denyInDemo();
    const user = await readUser(context.db, idOf(param, "User"));
    if (!user) throw notFound("User");
    return user;
  };
  mountList(context);
  mountCreate(context);
  mountRead(context, find);
  mountUpdate(context, find);
  mountDelete(context, find);
  context.app.delete(
    "/users/:id/picture",
    async ({ viewer, params, set }) => {
      const change = { row: await find(params.id), draft: { image: null } };
      await context.perform("user_update", viewer, change, (final, tx) => changeUser(final.row.id, final.draft, tx));
      set.status = 204;
    },
    { permit: PERMIT, response: noContent, ...endpoint("users", "removePicture", { about: about.removePicture }) },
  );
}

type Find = (param: string) => Promise<User>;

function mountList(context: UsersContext): void {
  const { app, baseUrl, list } = context;
  app.get(
    "/users",
    async ({ viewer, nestedQuery }) => {
      context.denyInDemo();
      const { data, total } = await list<ShownUser>(listSpec(context), viewer, nestedQuery);
      return { data: data.map((user) => presentUser(user, baseUrl)), total };
    },
    { permit: PERMIT, response: userListingSchema, ...endpoint("users", "list", { about: about.list }) },
  );
}

function listSpec(context: UsersContext): ListSpec {
  const lastActivity = lastActivityIn(context);
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
    columns: columnsOf(context),
  };
}

function mountCreate({ app, baseUrl, db, denyInDemo, passwordChecker, perform, validate }: UsersContext): void {
  app.post(
    "/users",
    async ({ viewer, input }) => {
      denyInDemo();
      const body = await validate(createRules, withoutEmptyPassword(input), viewer, uniqueEmail(db));
      await passwordChecker.byApi(body.password);
      const user = await perform("user_create", viewer, await draftOf(body), createUser);
      return presentUser(user, baseUrl);
    },
    {
      permit: PERMIT,
      response: userSchema,
      ...endpoint("users", "create", { about: about.create, rules: createRules }),
    },
  );
}

function mountRead(context: UsersContext, find: Find): void {
  const { app, baseUrl } = context;
  app.get("/users/:id", async ({ params }) => presentUser(await shownUser(await find(params.id), context), baseUrl), {
    permit: PERMIT,
    response: userSchema,
    ...endpoint("users", "read", { about: about.read }),
  });
}

function mountUpdate(context: UsersContext, find: Find): void {
  const { app, baseUrl, db, passwordChecker, perform, validate } = context;
  app.put(
    "/users/:id",
    async ({ viewer, params, input }) => {
      const row = await find(params.id);
      const body = await validate(updateRules, withoutEmptyPassword(input), viewer, uniqueEmail(db, row.id));
      await passwordChecker.byApi(body.password);
      const draft = await changeOf(body);
      const action = (final: { row: User; draft: UserChange }, tx: EventTransaction) =>
        changeUser(final.row.id, final.draft, tx);
      const changed = await perform("user_update", viewer, { row, draft }, action);
      return presentUser(await shownUser(changed, context), baseUrl);
    },
    {
      permit: PERMIT,
      response: userSchema,
      ...endpoint("users", "update", { about: about.update, rules: updateRules, errors: [500] }),
    },
  );
}

function mountDelete(context: UsersContext, find: Find): void {
  const { app, db, validate } = context;
  app.delete(
    "/users/:id",
    async ({ viewer, params, input, set }) => {
      const row = await find(params.id);
      const { migrate_ownership_id } = await validate(deleteRules, input, viewer, { exists: heirOf(db, row.id) });
      await deleteUser(context, viewer, { row, heir: migrate_ownership_id ?? null });
      set.status = 204;
    },
    {
      permit: PERMIT,
      response: noContent,
      ...endpoint("users", "delete", { about: about.delete, rules: deleteRules, errors: [500] }),
    },
  );
}

/** Forms send an empty password if it is not to be changed (platform 5.3). */
function withoutEmptyPassword(input: InputObject): InputObject {
  if (input.password !== "") return input;
  const { password: _, ...rest } = input;
  return rest;
}

/** A lookup of whether an e-mail address is free, ignoring that of the user `except`. */
export function uniqueEmail(db: Executor, except?: number): Lookups {
  return { unique: async (_, email) => !(await isEmailTaken(db, String(email), except)) };
}

/**
 * Creates a user and, if requested, an invitation. A job of the same transaction sends the message and is retried until the
 * mail server accepts it: an unreachable server delays the invitation and does not undo the account, so the 500 of
 * platform 5.3 never occurs.
 */
export async function createUser(draft: UserDraft, tx: EventTransaction): Promise<User> {
  const user = await insertUser(draft, tx);
  if (draft.send_invite === true) await invite(user.id, tx);
  return user;
}
