import { definePlugin, t, type Viewer } from "lectern/core";
import { forgetNames, grantAdmin } from "./changes.ts";
import { roleCommand } from "./commands.ts";
import { migrations } from "./migrations.ts";
import { ALL_NAMES, SYSTEM_NAMES } from "./permission_names.ts";
import { mountRoles } from "./routes.ts";

/** Roles and their permissions (platform 4). */
export default definePlugin({
  name: "roles",
  // The table role_user refers to users, so the plugin users has to migrate first.
  requires: ["instance_settings", "users"],
  grants: { read: ["users"], write: ["roles", "role_permissions", "role_user", "permission_names"], system: true },
  settings: t.Object({
    registrationRole: t.Optional(
      t.Integer({
        minimum: 0,
        env: "REGISTRATION_ROLE",
        unit: "id",
        description:
          "Id of the role that new registrations get, 0 for none; it cannot be deleted; by default the one that administrators choose",
      }),
    ),
  }),
  migrations,
  events: ["role_create", "role_update", "role_delete"],
  permissions: SYSTEM_NAMES,
  commands: { role: roleCommand },
  setup(context) {
    const { contracts, contribute, db, visibilityRule, on, settings, slot } = context;
    const known = () => new Set([...ALL_NAMES, ...slot("permission")]);
    visibilityRule("roles", () => true);
    on("role_create", { veto: ({ permissions }, { viewer }) => beyondScope(viewer, Object.values(permissions ?? {})) });
    on("role_update", {
      veto({ row, draft: { permissions } }, { viewer }) {
        if (row.system_name === "admin" && !viewer.admin)
          return "Only an administrator may change the administrators' role";
        const present = new Set(row.permissions);
        const added = Object.values(permissions ?? {}).filter((name) => !present.has(String(name)));
        return beyondScope(viewer, added);
      },
    });
    on("app_boot", { inTransaction: (_, tx) => grantAdmin(known(), tx) });
    on("plugin_purge", { inTransaction: ({ permissions }, { db }) => forgetNames(db, permissions) });
    contribute("instance_setting", {
      ...{ name: "registration_role", group: "access", label: "Role of people who register", control: "choice" },
      help: "It cannot be deleted then.",
      ...{ default: 0, rules: { registration_role: ["integer", "min:0"] } },
      ...{ variable: "REGISTRATION_ROLE", given: settings.registrationRole },
      async options(say) {
        const roles = await db.selectFrom("roles").select(["id", "display_name"]).orderBy("display_name").execute();
        return [["0", say("None")], ...roles.map(({ id, display_name }) => [String(id), display_name] as const)];
      },
      async check(id) {
        const role = await db.selectFrom("roles").select("id").where("id", "=", Number(id)).executeTakeFirst();
        return role ? undefined : { text: "There is no role with this id." };
      },
    });
    mountRoles(context, { known, registrationRole: () => contracts.instance_settings.value("registration_role") });
  },
});

/** The reason why a viewer with a narrower credential may not add these permissions to a role; undefined if it may. */
function beyondScope({ only }: Viewer, names: readonly unknown[]): string | undefined {
  return only && names.some((name) => !only.has(String(name)))
    ? "A token may give a role no permission outside its own scope"
    : undefined;
}
