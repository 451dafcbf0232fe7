import { denied, notFound, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { User, UsersContext } from "./contract.ts";
import { presentUser } from "./presenter.ts";
import { readUser, shownUser } from "./queries.ts";

const findChoices = prepared("users.findChoices", (db, p: { id: number }) =>
  db
    .selectFrom("users")
    .leftJoin("user_email_changes as wanted", (join) =>
      join.onRef("wanted.user_id", "=", "users.id").on("wanted.expires_at", ">", (eb) => eb.fn<string>("now")),
    )
    .select(["users.language", "users.editor", "users.time_zone", "wanted.email as new_email"])
    .where("users.id", "=", p.id),
);

const NO_CHOICES = { language: "", editor: "", time_zone: "", new_email: null };

/** The user of a request, who may change the account. Throws 403 for guests, for tokens with a scope and in a demo. */
export async function ownAccount({ db, denyInDemo }: UsersContext, viewer: Viewer): Promise<User> {
  denyInDemo();
  if (viewer.via === "guest" || viewer.only) throw denied();
  const user = await readUser(db, viewer.id);
  if (!user) throw notFound("User");
  return user;
}

/** The answer about the user of a request. */
export async function presentOwn(context: UsersContext, user: User, viewer: Viewer) {
  return {
    ...presentUser(await shownUser(user, context), context.baseUrl),
    ...((await findChoices.executeTakeFirst(context.db, { id: user.id })) ?? NO_CHOICES),
    permissions: [...viewer.permissions].sort(),
    via: viewer.via,
  };
}
