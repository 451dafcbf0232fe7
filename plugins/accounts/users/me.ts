/**
 * The account of the request's own user: who am I and what may I do, which many integrations need (platform 12), and updates
 * of the fields that users may change themselves. Roles are changed by those who manage users, the e-mail address by a link
 * (`new_address.ts`). A token with a scope cannot update the account, and a new password requires the current one.
 */
import { endpoint, fileKilobytes, invalidFields, noContent, notFound, rules } from "lectern/core";
import { prepared } from "lectern/db";
import { changeUser, ONLY_ADMIN } from "./changes.ts";
import { leaveRules, meSchema, type UserChange, type UsersContext } from "./contract.ts";
import { checkCurrentPassword } from "./current_password.ts";
import { about } from "./docs.ts";
import { ownAccount, presentOwn } from "./own_account.ts";
import { readUser } from "./queries.ts";
import { deleteUser, heirOf } from "./removal.ts";
import { sealedHash } from "./sealed_hash.ts";
import { isTimeZone } from "./time_zones.ts";

/** Rules of an update of one's own account, for a limit on files in megabytes. Empty texts mean what the instance or the browser has. */
const updateRulesFor = (limitMb: number) =>
  rules({
    name: ["string", "min:1", "max:100"],
    language: ["string", "max:15", "alpha_dash"],
    time_zone: ["string", "max:60"],
    editor: ["string", "in:,rich,source"],
    current_password: ["required_with:password", "string"],
    password: ["string", "min:8"],
    image: ["nullable", "image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(limitMb)}`],
  });

// No event tells of it, as it changes nothing that others see.
const chooseEditor = prepared("users.chooseEditor", (db, p: { id: number; editor: string }) =>
  db.updateTable("users").set({ editor: p.editor }).where("id", "=", p.id),
);

/** Mounts the routes. */
export function mountMe(context: UsersContext): void {
  const { app, db, fileLimit, passwordChecker, perform, slot, validate } = context;
  const updateMeRules = updateRulesFor(fileLimit);
  app.get(
    "/users/me",
    async ({ viewer }) => {
      const user = await readUser(db, viewer.id);
      if (!user) throw notFound("User");
      return presentOwn(context, user, viewer);
    },
    { permit: "access-api", response: meSchema, ...endpoint("users", "me", { about: about.me }) },
  );
  app.put(
    "/users/me",
    async ({ viewer, input }) => {
      const row = await ownAccount(context, viewer);
      const sent = await validate(updateMeRules, input, viewer);
      const { name, language, time_zone, editor, current_password, password, image } = sent;
      if (image && slot("user_picture").length === 0)
        throw invalidFields({ image: "This instance keeps no pictures of users." });
      if (time_zone && !isTimeZone(time_zone)) throw invalidFields({ time_zone: "The selected time zone is invalid." });
      await passwordChecker.byApi(password);
      if (password) await checkCurrentPassword(context, row, current_password ?? "");
      const draft: UserChange = {
        ...(name ? { name } : {}),
        ...(language === undefined ? {} : { language }),
        ...(time_zone === undefined ? {} : { time_zone }),
        ...(password ? { password_hash: await sealedHash(password) } : {}),
        ...(image === undefined ? {} : { image }),
      };
      if (editor !== undefined) await chooseEditor.write(db, { id: row.id, editor });
      if (editor !== undefined && Object.keys(draft).length === 0) return presentOwn(context, row, viewer);
      const changed = await perform("user_update", viewer, { row, draft }, (final, tx) =>
        changeUser(final.row.id, final.draft, tx),
      );
      return presentOwn(context, changed, viewer);
    },
    {
      permit: "access-api",
      emptyAsNull: ["image"],
      response: meSchema,
      ...endpoint("users", "updateMe", { about: about.updateMe, rules: updateMeRules }),
    },
  );
  app.delete(
    "/users/me",
    async ({ viewer, input, set }) => {
      const row = await ownAccount(context, viewer);
      const { current_password, migrate_ownership_id } = await validate(leaveRules, input, viewer, {
        exists: heirOf(db, row.id),
      });
      await checkCurrentPassword(context, row, current_password);
      await deleteUser(context, viewer, { row, heir: migrate_ownership_id ?? null, onlyAdmin: ONLY_ADMIN });
      set.status = 204;
    },
    {
      permit: "access-api",
      response: noContent,
      ...endpoint("users", "deleteMe", { about: about.deleteMe, rules: leaveRules, errors: [409] }),
    },
  );
}
