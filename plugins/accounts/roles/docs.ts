/** Descriptions of the endpoints of roles. */
export const about = {
  list: "Lists the roles with their numbers of users and permissions.",
  create: "Creates a role. Permissions are given by name; unknown names are ignored.",
  read: "Shows a role with its permissions and users.",
  update:
    "Updates a role. A list of permissions replaces the existing ones; an empty list removes all.\n" +
    "Only users who have the system role Admin may update it.",
  delete: "Deletes a role; its users lose it. The built-in roles cannot be deleted.",
} as const;
