import { definePlugin, t } from "lectern/core";
import { userCommand } from "./commands.ts";
import { migrations } from "./migrations.ts";
import { readViewer, refOf } from "./read.ts";
import { mountUsers } from "./routes.ts";
import { seedUsers } from "./seed.ts";

/** Users, what others ask about them, and the first two of every instance (platform 5). */
export default definePlugin({
  name: "users",
  provides: ["users"],
  permissions: { read: ["roles", "role_permissions"], write: ["users", "user_invites", "role_user"] },
  settings: t.Object({
    adminEmail: t.String({
      default: "admin@example.com",
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
      description: "demo keeps everybody from managing users",
    }),
  }),
  migrations,
  events: ["user_create", "user_update", "user_delete"],
  commands: { user: userCommand },
  setup(context) {
    const { cached, db, narrow, on, provide, settings } = context;
    const viewers = cached("viewers", (id) => readViewer(db, Number(id)));
    provide("users", { ref: refOf, viewer: (id) => viewers.get(String(id)) });
    narrow("users", () => true);
    for (const event of ["user_create", "user_update", "user_delete"] as const) {
      on(event, { join: (user, work) => viewers.forget(work, String(user.id)) });
    }
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
    mountUsers(context, settings.environment === "demo");
  },
});
