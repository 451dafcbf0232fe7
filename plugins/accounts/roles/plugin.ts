import { definePlugin, mountResource, sql, t, type Viewer } from "lectern/core";
import { roleCommand } from "./commands.ts";
import { createRules, type Role, type RoleChange, type RoleDraft, updateRules } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { ALL_NAMES, SYSTEM_NAMES } from "./names.ts";
import { columns, permissionsCount, readRole, usersCount } from "./read.ts";
import { changeRole, grantAdmin, insertRole, removeRole } from "./write.ts";

/** Roles and what they grant (platform 4). */
export default definePlugin({
  name: "roles",
  // The table of members refers to users, whose plugin must have made theirs.
  requires: ["users"],
  permissions: { read: ["users"], write: ["roles", "role_permissions", "role_user", "permission_names"] },
  settings: t.Object({
    registrationRole: t.Integer({
      default: 0,
      minimum: 0,
      env: "REGISTRATION_ROLE",
      description: "Id of the role that registering gives, 0 for none; it cannot be deleted",
    }),
  }),
  migrations,
  events: ["role_create", "role_update", "role_delete"],
  adds: SYSTEM_NAMES,
  commands: { role: roleCommand },
  setup(context) {
    const { db, visibilityRule, on, settings, slot } = context;
    const known = () => new Set([...ALL_NAMES, ...slot("permission")]);
    visibilityRule("roles", () => true);
    const beyond = ({ only }: Viewer, names: readonly unknown[]) =>
      only && names.some((name) => !only.has(String(name)))
        ? "A token may give a role no permission outside its own scope"
        : undefined;
    on("role_create", { veto: ({ permissions }, { viewer }) => beyond(viewer, Object.values(permissions ?? {})) });
    on("role_update", {
      veto({ row, draft: { permissions } }, { viewer }) {
        if (row.system_name === "admin" && !viewer.admin)
          return "Only an administrator may change the administrators' role";
        const present = new Set(row.permissions);
        return beyond(
          viewer,
          Object.values(permissions ?? {}).filter((name) => !present.has(String(name))),
        );
      },
    });
    on("app_boot", { inTransaction: (_, tx) => grantAdmin(known(), tx) });
    mountResource<Role, typeof createRules, typeof updateRules, null>(
      context,
      {
        name: "role",
        noun: "Role",
        path: "/roles",
        permit: "user-roles-manage",
        create: createRules,
        update: updateRules,
        bodyFirst: true,
        list: {
          table: "roles",
          fields: {
            display_name: { type: "text", key: "display_name_key" },
            id: "integer",
            description: { type: "text", nullable: true },
            system_name: "code",
            mfa_enforced: "boolean",
            external_auth_id: "code",
            created_at: "timestamp",
            updated_at: "timestamp",
            permissions_count: { type: "integer", column: permissionsCount },
            users_count: { type: "integer", column: usersCount },
          },
          columns: sql`${columns}, ${usersCount} as users_count, ${permissionsCount} as permissions_count`,
        },
        about: {
          list: "Lists the roles, with how many users have each and how many permissions it grants.",
          create: "Makes a role. Permissions are given by name; unknown names are ignored.",
          read: "Shows a role with its permissions and the users who have it.",
          update:
            "Changes a role. A list of permissions replaces the present ones; an empty list removes all.\n" +
            "The system role Admin is changed by those who hold it.",
          delete: "Deletes a role; its users lose it. The built-in roles cannot be deleted.",
        },
      },
      {
        find: (_viewer, id) => readRole(db, sql`roles.id = ${id}`),
        may: async () => true,
        place: async () => null,
        insert: (draft: RoleDraft, tx) => insertRole(draft, known(), tx),
        change: (role, draft: RoleChange, tx) => changeRole(role.id, draft, known(), tx),
        remove: (role, tx) => removeRole(role, settings.registrationRole, tx),
        listed: (records) => [...records],
        show: async (role) => role,
      },
    );
  },
});
