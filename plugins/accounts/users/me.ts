/**
 * What users know and change of themselves: who am I and what may I do, a wish of many integrations (platform 12), and the
 * few fields that are their own. Roles and addresses are given by whoever manages users. A token with a scope is not its
 * owner, and a password is changed by whoever knows the present one alone.
 */
import type { Allowed } from "lectern/contracts";
import { denied, endpoint, notFound, type PluginContext, rules, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { invalidField } from "./checks.ts";
import type { CheckPassword } from "./common_passwords.ts";
import type { User, UserChange } from "./contract.ts";
import { fitsPassword, hashPassword } from "./passwords.ts";
import { readUser, withLastActivity } from "./read.ts";
import { shown } from "./show.ts";
import { changeUser } from "./write.ts";

/** Rules of what users change of themselves; an empty language is the instance's own. */
const ownRules = rules({
  name: ["string", "min:1", "max:100"],
  language: ["string", "max:15", "alpha_dash"],
  current_password: ["required_with:password", "string"],
  password: ["string", "min:8"],
});
/** Guesses at the present password of one account: whoever has its session must not find its password by trying. */
const GUESSES: Allowed = { name: "own password by account", attempts: 10, seconds: 600 };

type Context = Pick<
  PluginContext<"throttle", "users">,
  "app" | "baseUrl" | "contracts" | "db" | "perform" | "slot" | "validate"
>;

/** What the routes need beside the context. */
export interface MeRoutes {
  readonly checkPassword: CheckPassword;
  /** Throws where the instance lets nobody change accounts. */
  open(): void;
}

/** Mounts the routes. */
export function mountMe(context: Context, { checkPassword: checkNewPassword, open }: MeRoutes): void {
  const { app, baseUrl, db, perform, validate } = context;
  const found = async (viewer: Viewer): Promise<User> => {
    const user = await readUser(db, sql`users.id = ${viewer.id}`);
    if (!user) throw notFound("User");
    return user;
  };
  const own = async (viewer: Viewer): Promise<User> => {
    open();
    if (viewer.via === "guest" || viewer.only) throw denied();
    return found(viewer);
  };
  const answer = async (user: User, viewer: Viewer) => ({
    ...shown(await withLastActivity(user, context), baseUrl),
    language: await languageOf(context, user.id),
    permissions: [...viewer.permissions].sort(),
    via: viewer.via,
  });
  app.get("/users/me", async ({ viewer }) => answer(await found(viewer), viewer), {
    permit: "access-api",
    ...endpoint("users", "me", { about: ABOUT }),
  });
  app.put(
    "/users/me",
    async ({ viewer, input }) => {
      const row = await own(viewer);
      const { name, language, current_password, password } = await validate(ownRules, input, viewer);
      await checkNewPassword(password);
      if (password) await checkPassword(context, row.id, current_password ?? "");
      const draft: UserChange = {
        ...(name ? { name } : {}),
        ...(language === undefined ? {} : { language }),
        ...(password ? { password_hash: await hashPassword(password) } : {}),
      };
      const changed = await perform("user_update", viewer, { row, draft }, (final, tx) =>
        changeUser(final.row.id, final.draft, tx),
      );
      return answer(changed, viewer);
    },
    { permit: "access-api", ...endpoint("users", "updateMe", { about: ABOUT_UPDATE, rules: ownRules }) },
  );
}

/** Throws 422 unless the password is that of the user, and 429 after too many guesses. */
async function checkPassword({ contracts, db }: Context, id: number, password: string): Promise<void> {
  await contracts.throttle.take(GUESSES, String(id));
  const [stored] = await rows(db, sql<{ hash: string }>`select password as hash from users where id = ${id}`);
  if (!(await fitsPassword(password, stored?.hash ?? "")))
    throw invalidField("current_password", "The current password is not right.");
  await contracts.throttle.forgive(GUESSES, String(id));
}

async function languageOf({ db }: Pick<Context, "db">, id: number): Promise<string> {
  const [user] = await rows(db, sql<{ language: string }>`select language from users where id = ${id}`);
  return user?.language ?? "";
}

const ABOUT =
  "Shows the user whose credential the request carries, with the permissions this credential grants: " +
  "those of the user's roles, or fewer where a token was made for fewer.\n" +
  "`via` says how the user was recognised: by token, by session, or as a guest.";
const ABOUT_UPDATE =
  "Changes the name, the language or the password of the user whose credential the request carries. An empty language is " +
  "the instance's own. A new password asks for the present one and ends all of the user's sessions.\n" +
  "A token with a scope may not.";
