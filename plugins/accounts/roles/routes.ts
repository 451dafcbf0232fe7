import { mountResource, type Static, sql } from "lectern/core";
import { changeRole, insertRole, removeRole } from "./changes.ts";
import {
  createRules,
  type Role,
  type RoleChange,
  type RoleDraft,
  type RolesContext,
  roleAnswers,
  updateRules,
} from "./contract.ts";
import { about } from "./docs.ts";
import { columns, findRole, permissionsCount, usersCount } from "./queries.ts";

/** Mounts the routes. `known` returns all permission names; `registrationRole` returns the id of a role that cannot be deleted. */
export function mountRoles(
  context: RolesContext,
  { known, registrationRole }: { readonly known: () => ReadonlySet<string>; readonly registrationRole: () => number },
): void {
  const { db } = context;
  mountResource<Role, typeof createRules, typeof updateRules, null, typeof roleAnswers>(
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
      answers: roleAnswers,
      errors: { update: [500], delete: [500] },
      about,
    },
    {
      find: (_viewer, id) => findRole.executeTakeFirst(db, { id }),
      may: async () => true,
      place: async () => null,
      insert: (draft: RoleDraft, tx) => insertRole(draft, known(), tx),
      change: (role, draft: RoleChange, tx) => changeRole(role.id, draft, known(), tx),
      remove: (role, tx) => removeRole(role, registrationRole(), tx),
      // The columns of the listing are those of its schema.
      listed: (records) => records as Static<typeof roleAnswers.listed>[],
      show: async (role) => role,
    },
  );
}
