/**
 * The account of the request's own user: who am I and what may I do, which many integrations need (platform 12), and updates
 * of the fields that users may change themselves. Roles and e-mail addresses are changed by those who manage users. A token
 * with a scope cannot update the account, and a new password requires the current one.
 */
import type { Allowed } from "lectern/contracts";
import { denied, endpoint, invalidFields, notFound, rules, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { changeUser } from "./changes.ts";
import { meSchema, type User, type UserChange, type UsersContext } from "./contract.ts";
import { about } from "./docs.ts";
import { passwordMatches } from "./passwords.ts";
import { presentUser } from "./presenter.ts";
import { readUser, withLastActivity } from "./queries.ts";
import { sealedHash } from "./sealed_hash.ts";

/** Rules of an update of one's own account; an empty language means that of the instance. */
const updateMeRules = rules({
  name: ["string", "min:1", "max:100"],
  language: ["string", "max:15", "alpha_dash"],
  editor: ["string", "in:,rich,source"],
  current_password: ["required_with:password", "string"],
  password: ["string", "min:8"],
});
/** Attempts at the current password of an account, so that a stolen session cannot be used to guess the password. */
const CURRENT_PASSWORD: Allowed = { name: "own password by account", attempts: 10, seconds: 600 };

const readHash = prepared("users.readHash", (db, p: { id: number }) =>
  db.selectFrom("users").select("password").where("id", "=", p.id),
);

const findChoices = prepared("users.findChoices", (db, p: { id: number }) =>
  db.selectFrom("users").select(["language", "editor"]).where("id", "=", p.id),
);

// No event tells of it, as it changes nothing that others see.
const chooseEditor = prepared("users.chooseEditor", (db, p: { id: number; editor: string }) =>
  db.updateTable("users").set({ editor: p.editor }).where("id", "=", p.id),
);

/** Mounts the routes. */
export function mountMe(context: UsersContext): void {
  const { app, baseUrl, db, denyInDemo, passwordChecker, perform, validate } = context;
  const find = async (viewer: Viewer): Promise<User> => {
    const user = await readUser(db, viewer.id);
    if (!user) throw notFound("User");
    return user;
  };
  const findForUpdate = async (viewer: Viewer): Promise<User> => {
    denyInDemo();
    if (viewer.via === "guest" || viewer.only) throw denied();
    return find(viewer);
  };
  const present = async (user: User, viewer: Viewer) => ({
    ...presentUser(await withLastActivity(user, context), baseUrl),
    ...((await findChoices.executeTakeFirst(db, { id: user.id })) ?? { language: "", editor: "" }),
    permissions: [...viewer.permissions].sort(),
    via: viewer.via,
  });
  app.get("/users/me", async ({ viewer }) => present(await find(viewer), viewer), {
    permit: "access-api",
    response: meSchema,
    ...endpoint("users", "me", { about: about.me }),
  });
  app.put(
    "/users/me",
    async ({ viewer, input }) => {
      const row = await findForUpdate(viewer);
      const { name, language, editor, current_password, password } = await validate(updateMeRules, input, viewer);
      await passwordChecker.byApi(password);
      if (password) await checkCurrentPassword(context, row, current_password ?? "");
      const draft: UserChange = {
        ...(name ? { name } : {}),
        ...(language === undefined ? {} : { language }),
        ...(password ? { password_hash: await sealedHash(password) } : {}),
      };
      if (editor !== undefined) await chooseEditor.write(db, { id: row.id, editor });
      if (editor !== undefined && Object.keys(draft).length === 0) return present(row, viewer);
      const changed = await perform("user_update", viewer, { row, draft }, (final, tx) =>
        changeUser(final.row.id, final.draft, tx),
      );
      return present(changed, viewer);
    },
    {
      permit: "access-api",
      response: meSchema,
      ...endpoint("users", "updateMe", { about: about.updateMe, rules: updateMeRules }),
    },
  );
}

/** Throws 422 unless the password is the user's current one, and 429 after too many attempts. */
async function checkCurrentPassword(
  { contracts, db }: UsersContext,
  { id, email }: User,
  password: string,
): Promise<void> {
  await contracts.throttle.take(CURRENT_PASSWORD, String(id));
  const stored = await readHash.executeTakeFirst(db, { id });
  if (!(await passwordMatches({ email, password }, stored?.password ?? "")))
    throw invalidFields({ current_password: "The current password is not right." });
  await contracts.throttle.forgive(CURRENT_PASSWORD, String(id));
}
