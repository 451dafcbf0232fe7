import { definePlugin, denied, t, type Users } from "lectern/core";
import { mountChosen } from "./chosen.ts";
import { userCommand } from "./commands.ts";
import { handleLetters } from "./jobs.ts";
import { sweepLinks } from "./links.ts";
import { mountMe } from "./me.ts";
import { migrations } from "./migrations.ts";
import { byPassword } from "./passwords.ts";
import { readViewer, refOf } from "./read.ts";
import { mountUsers } from "./routes.ts";
import { beyondScope } from "./scope.ts";
import { seedUsers } from "./seed.ts";

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
  settings: t.Object({
    adminEmail: t.String({
      default: "admin@example.com",
      pattern: "^[^@\\s]+@[^@\\s]+$",
      env: "ADMIN_EMAIL",
      description: "E-mail address of the first administrator",
    }),
    adminPassword: t.String({
      default: "",
      env: "ADMIN_PASSWORD",
      description: "Password of the first administrator; random and printed once if empty",
    }),
    environment: t.String({
      default: "production",
      env: "APP_ENV",
      shared: true,
      description: "demo keeps everybody from managing users",
    }),
  }),
  migrations,
  events: [
    ...(["user_create", "user_update", "user_delete"] as const),
    ...(["auth_password_reset_request", "auth_password_reset_update"] as const),
  ],
  commands: { user: userCommand },
  setup(context) {
    const { cached, db, every, narrow, on, provide, settings } = context;
    const viewers = cached("viewers", (id) => readViewer(db, Number(id)));
    const viewer: Users["viewer"] = (id) => viewers.get(String(id));
    provide("users", { ref: refOf, viewer, byPassword: (email, password) => byPassword(db, email, password) });
    narrow("users", () => true);
    for (const event of ["user_create", "user_update", "user_delete"] as const) {
      on(event, { join: (user, work) => viewers.forget(work, String(user.id)) });
    }
    on("user_create", { veto: (draft, work) => beyondScope(work.viewer, { draft }, work) });
    on("user_update", { veto: (change, work) => beyondScope(work.viewer, change, work) });
    // Which of them have the role is not worth asking: reading a viewer again is one statement.
    for (const event of ["role_update", "role_delete"] as const) on(event, { join: (_, work) => viewers.forget(work) });
    on("app_boot", {
      async join(_, work) {
        // A new plugin's permissions go to administrators that other processes may remember.
        await viewers.forget(work);
        const password = await seedUsers({ email: settings.adminEmail, password: settings.adminPassword }, work);
        if (password === undefined) return;
        work.after(() =>
          process.stdout.write(
            `The administrator is ${settings.adminEmail} with the password ${password} (shown once)\n`,
          ),
        );
      },
    });
    handleLetters(context);
    every("sweep links", SWEEP_MS, () => sweepLinks(db));
    const open = () => {
      if (settings.environment === "demo") throw denied();
    };
    mountMe(context, open);
    mountUsers(context, open);
    mountChosen(context, viewer, open);
  },
});
