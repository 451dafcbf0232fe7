import {
  type AnyContext, denied, endpoint, idOf, type InputObject, type ListSpec, notFound, type PluginContext, sql, type Viewer, type Work,
} from "lectern/core";
import { isEmailTaken, isHeir } from "./checks.ts";
import { createRules, deleteRules, updateRules, type User, type UserDraft } from "./contract.ts";
import { columns, readUser } from "./read.ts";
import { changeOf, draftOf } from "./requests.ts";
import { shown } from "./show.ts";
import { changeUser, insertUser, inviteUser, removeUser } from "./write.ts";

const LISTING: ListSpec = {
  table: "users",
  fields: {
    id: "integer",
    name: "text",
    slug: "text",
    email: "text",
    external_auth_id: "text",
    created_at: "timestamp",
    updated_at: "timestamp",
    last_activity_at: { type: "timestamp", nullable: true },
  },
  columns,
};

type Context = Pick<PluginContext<never, "users">, "app" | "baseUrl" | "db" | "list" | "log" | "perform" | "slot" | "valid">;

/** Mounts the five routes; in a demo all of them are refused (platform 5). */
export function mountUsers(context: Context, isDemo: boolean): void {
  const { app, baseUrl, db, list, perform, slot, valid } = context;
  const permit = "users-manage";
  const open = () => {
    if (isDemo) throw denied();
  };
  const found = async (param: string): Promise<User> => {
    open();
    const user = await readUser(db, sql`users.id = ${idOf(param, "User")}`);
    if (!user) throw notFound("User");
    return user;
  };
  const unique = (except?: number) => ({ unique: async (_: readonly string[], email: unknown) => !(await isEmailTaken(db, String(email), except)) });

  app.get("/users", async ({ viewer, asked }) => {
    open();
    const { data, total } = await list<User>(LISTING, viewer, asked);
    return { data: data.map((user) => shown(user, baseUrl)), total };
  }, { permit, ...endpoint("users", "list", { about: "Lists the users." }) });

  app.post("/users", async ({ viewer, input }) => {
    open();
    const draft = await draftOf(await valid(createRules, input, viewer, unique()));
    return shown(await perform("user_create", viewer, draft, (final, work) => made(context, final, work)), baseUrl);
  }, { permit, ...endpoint("users", "create", { about: "Makes a user, and on request an invitation to choose a password.", rules: createRules }) });

  app.get("/users/:id", async ({ params }) => shown(await found(params.id), baseUrl), {
    permit, ...endpoint("users", "read", { about: "Shows a user with roles." }),
  });

  app.put("/users/:id", async ({ viewer, params, input }) => {
    const row = await found(params.id);
    const draft = await changeOf(await valid(updateRules, input, viewer, unique(row.id)));
    const change = await perform("user_update", viewer, { row, draft }, (final, work) => changeUser(final.row.id, final.draft, work));
    return shown(change, baseUrl);
  }, { permit, ...endpoint("users", "update", { about: "Changes a user. A list of roles replaces the present ones.", rules: updateRules }) });

  app.delete("/users/:id", async ({ viewer, params, input, set }) => {
    const row = await found(params.id);
    const heir = await heirOf(context, row, input, viewer);
    const tables = slot("content").map(({ table }) => table);
    await perform("user_delete", viewer, { row, heir }, async (final, work) => {
      await removeUser(final.row.id, final.heir, tables, work);
      return final.row;
    });
    set.status = 204;
  }, {
    permit,
    ...endpoint("users", "delete", { about: "Deletes a user. What the user owned may be given to another one.", rules: deleteRules }),
  });
}

/** Makes a user and, where one is wished for, an invitation: until mail is sent, its link goes to the log. */
export async function made({ baseUrl, log }: Pick<AnyContext, "baseUrl" | "log">, draft: UserDraft, work: Work): Promise<User> {
  const user = await insertUser(draft, work);
  if (draft.send_invite !== true) return user;
  const link = `${baseUrl}/register/invite/${await inviteUser(user.id, work)}`;
  work.after(() => log.info("Invitation for the administrator to pass on; no mail is sent", { user: user.email, link }));
  return user;
}

async function heirOf({ db, valid }: Context, { id }: User, input: InputObject, viewer: Viewer): Promise<number | null> {
  const exists = (_: readonly string[], heir: unknown) => isHeir(db, Number(heir), id);
  const { migrate_ownership_id } = await valid(deleteRules, input, viewer, { exists });
  return migrate_ownership_id ?? null;
}
