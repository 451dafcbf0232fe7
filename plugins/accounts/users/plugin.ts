import { join } from "node:path";
import type { Users } from "lectern/contracts";
import { definePlugin, denied, type EventTransaction, shippedFile } from "lectern/core";
import { guardedAdmin, guardedChange } from "./admin_guard.ts";
import { userCommand } from "./commands.ts";
import { commonPasswordError, passwordChecker } from "./common_passwords.ts";
import type { User, UserChange } from "./contract.ts";
import { handleMailJobs } from "./jobs.ts";
import { sweepLinks } from "./links.ts";
import { mountMe } from "./me.ts";
import { migrations } from "./migrations.ts";
import { mountPasswordLinks } from "./password_links.ts";
import { byPassword } from "./passwords.ts";
import { mountPeople } from "./people.ts";
import { readViewer, refOf } from "./read.ts";
import { mountUsers } from "./routes.ts";
import { beyondScope } from "./scope.ts";
import { seedUsers, tellPassword } from "./seed.ts";
import { settings } from "./settings.ts";

const SWEEP_MS = 3_600_000;

/** Users, what others ask about them, and the first two of every instance (platform 5). */
export default definePlugin({
  name: "users",
  provides: ["users"],
  requires: ["mail", "throttle"],
  permissions: {
    read: ["roles", "role_permissions"],
    write: ["users", "user_invites", "user_resets", "role_user"],
  },
  settings,
  migrations,
  events: [
    ...(["user_create", "user_update", "user_delete"] as const),
    ...(["auth_password_reset_request", "auth_password_reset_update"] as const),
  ],
  commands: { user: userCommand },
  setup(context) {
    const { cached, db, every, visibilityRule, on, onStart, provide, site } = context;
    const viewers = cached("viewers", (id) => readViewer(db, Number(id)));
    const viewer: Users["viewer"] = (id) => viewers.get(String(id));
    provide("users", {
      ref: refOf,
      viewer,
      byPassword: (email, password) => byPassword(db, email, password),
      guardedAdmin,
      commonPassword: (password) => commonPasswordError(context.settings.passwordCheck, password),
    });
    visibilityRule("users", () => true);
    for (const event of ["user_create", "user_update", "user_delete"] as const) {
      on(event, { inTransaction: (user, tx) => viewers.forget(tx, String(user.id)) });
    }
    const beyond = async (change: { row?: User; draft: UserChange }, tx: EventTransaction) =>
      (await beyondScope(tx.viewer, change, tx)) ?? guardedChange(tx.viewer, change, tx);
    on("user_create", { veto: (draft, tx) => beyond({ draft }, tx) });
    on("user_update", { veto: beyond });
    on("user_delete", { veto: ({ row }, tx) => guardedAdmin(tx.viewer, row.id, tx) });
    // Which of them have the role is not worth asking: reading a viewer again is one statement.
    for (const event of ["role_update", "role_delete"] as const)
      on(event, { inTransaction: (_, tx) => viewers.forget(tx) });
    on("app_boot", {
      async inTransaction(_, tx) {
        // A new plugin's permissions go to administrators that other processes may remember.
        await viewers.forget(tx);
        const { adminEmail: email, adminPassword: password, passwordCheck: check } = context.settings;
        await seedUsers({ email, password, check }, tx);
      },
    });
    onStart(() => tellPassword(db, (line) => void process.stdout.write(`${line}\n`)));
    handleMailJobs(context);
    every("sweep links", SWEEP_MS, () => sweepLinks(db));
    const open = () => {
      if (context.settings.environment === "demo") throw denied();
    };
    const avatar = shippedFile(join(import.meta.dir, "public", "user_avatar.png"), "image/png");
    site.get("/user_avatar.png", ({ request }) => avatar(request.headers), { permit: "public" });
    const checkPassword = passwordChecker(context.settings.passwordCheck);
    mountMe(context, { open, checkPassword: checkPassword.byApi });
    mountPeople(context);
    mountUsers(context, { open, checkPassword: checkPassword.byApi });
    mountPasswordLinks(context, { viewerOf: viewer, open, checkPassword: checkPassword.byPeople });
  },
});
