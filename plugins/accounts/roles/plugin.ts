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
  requires: ["users"],
  grants: { read: ["users"], write: ["roles", "role_permissions", "role_user", "permission_names"], system: true },
  settings: t.Object({
    registrationRole: t.Integer({
      default: 0,
      minimum: 0,
      env: "REGISTRATION_ROLE",
      unit: "id",
      description: "Id of the role that new registrations get, 0 for none; it cannot be deleted",
    }),
  }),
  migrations,
  events: ["role_create", "role_update", "role_delete"],
  permissions: SYSTEM_NAMES,
  commands: { role: roleCommand },
  setup(context) {
    const { visibilityRule, on, settings, slot } = context;
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
    mountRoles(context, { known, registrationRole: settings.registrationRole });
  },
});

/** The reason why a viewer with a narrower credential may not add these permissions to a role; undefined if it may. */
function beyondScope({ only }: Viewer, names: readonly unknown[]): string | undefined {
  return only && names.some((name) => !only.has(String(name)))
    ? "A token may give a role no permission outside its own scope"
    : undefined;
}
