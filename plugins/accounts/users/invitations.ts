/**
 * Invitations that were not accepted, for those who manage users: listed, also for a while after they have expired, sent again with
 * a new link, and withdrawn. The account stays when its invitation is withdrawn; it has no password, so nobody can sign in to it.
 */
import {
  ApiError,
  denied,
  type EventTransaction,
  endpoint,
  idOf,
  type ListSpec,
  noContent,
  notFound,
  rules,
  type Static,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared, refs } from "lectern/db";
import { guardedAdmin } from "./admin_guard.ts";
import { inviteListingSchema, type listedInviteSchema, messageSchema, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";
import { deleteLink, INVITE, openLink } from "./links.ts";
import { refOf } from "./queries.ts";

const PERMIT = "users-manage";

const setInviter = prepared("users.setInviter", (db, p: { userId: number; inviter: number | null }) =>
  db.updateTable("user_invites").set({ invited_by: p.inviter }).where("user_id", "=", p.userId),
);

const findState = prepared("users.findInviteState", (db, p: { userId: number }) =>
  db
    .selectFrom("users")
    .leftJoin("user_invites", "user_invites.user_id", "users.id")
    .select(["users.password", "users.system_name", "user_invites.user_id as invited"])
    .where("users.id", "=", p.userId),
);

/** Invites a user within the open transaction; a job sends the message after the commit. */
export async function invite(userId: number, { db, enqueue, viewer }: EventTransaction): Promise<void> {
  await open(db, userId, viewer);
  await enqueue("user_invite", { user_id: userId }, { key: String(userId) });
}

async function open(db: EventTransaction["db"], userId: number, viewer: Viewer): Promise<void> {
  await openLink(db, INVITE, userId);
  await setInviter.execute(db, { userId, inviter: viewer.id === 0 ? null : viewer.id });
}

/** Mounts the routes. */
export function mountInvitations(context: UsersContext): void {
  const { app, db, denyInDemo, jobs } = context;
  /** The id of a user whose invitation the viewer may change, and what there is of it. */
  const found = async (viewer: Viewer, param: string) => {
    denyInDemo();
    const userId = idOf(param, "User");
    const state = await findState.executeTakeFirst(db, { userId });
    if (!state) throw notFound("User");
    const reason = await guardedAdmin(viewer, userId, { db });
    if (reason !== undefined) throw new ApiError(403, reason);
    if (viewer.only) throw denied();
    return { userId, ...state };
  };
  mountList(context);
  app.post(
    "/users/:id/invite",
    async ({ viewer, params, set }) => {
      const { userId, invited, password, system_name } = await found(viewer, params.id);
      if (system_name !== "" || (invited === null && password !== ""))
        throw new ApiError(409, "Only users who have chosen no password can be invited");
      await open(db, userId, viewer);
      await jobs.enqueue("user_invite", { user_id: userId }, { key: String(userId) });
      set.status = 202;
      return { message: "The invitation is on its way" };
    },
    {
      permit: PERMIT,
      response: { 202: messageSchema },
      ...endpoint("users", "invite", { about: about.invite, rules: rules({}), errors: [409] }),
    },
  );
  app.delete(
    "/users/:id/invite",
    async ({ viewer, params, set }) => {
      const { userId, invited } = await found(viewer, params.id);
      if (invited === null) throw notFound("Invitation");
      await deleteLink(db, INVITE, userId);
      set.status = 204;
    },
    { permit: PERMIT, response: noContent, ...endpoint("users", "withdrawInvite", { about: about.withdrawInvite }) },
  );
}

function mountList({ app, denyInDemo, list, visibilityRule }: UsersContext): void {
  visibilityRule("user_invites", () => true);
  const source = sql`(select user_id as id, invited_by, expires_at from user_invites)`;
  const user = sql`(select json_build_object('id', invited.id, 'name', invited.name, 'slug', invited.slug, 'email', invited.email)
    from users as invited where invited.id = user_invites.id)`;
  const listing: ListSpec = {
    ...{ table: "user_invites", source },
    fields: { id: "integer", expires_at: "timestamp" },
    columns: sql`${user} as "user", ${refOf(refs("user_invites.invited_by"))} as invited_by,
      ${refs("user_invites.expires_at")}, ${refs("user_invites.expires_at")} <= now() as expired`,
  };
  app.get(
    "/user-invites",
    ({ viewer, nestedQuery }) => {
      denyInDemo();
      return list<Static<typeof listedInviteSchema>>(listing, viewer, nestedQuery);
    },
    { permit: PERMIT, response: inviteListingSchema, ...endpoint("users", "invites", { about: about.invites }) },
  );
}
