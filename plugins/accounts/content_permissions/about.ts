/** What the documentation says about the endpoints of content permissions. */
export const about = {
  read:
    "Shows the overrides set on one item: its owner, what roles may do there, and what everybody else may. " +
    "contentType is one of page, book, chapter, bookshelf.\n" +
    "Nothing is shown of what items above it set, nor what follows from all of it.",
  roles:
    "Lists the roles that overrides may name, by name: to whoever manages permissions of items, whether or not they manage " +
    "roles. Overrides do not narrow what administrators may, so their role is not among them.",
  update:
    "Changes the overrides of one item; they hold at once, for it and all below it. Fields that are not sent stay: " +
    "owner_id, role_permissions and fallback_permissions each change alone.\n" +
    "role_permissions replaces all entries of roles, so an empty list removes them. fallback_permissions speaks for " +
    "all roles without an entry; while inheriting, its four values are not looked at.",
} as const;

const shown = {
  owner: { id: 1, name: "Ada", slug: "ada" },
  role_permissions: [
    { role_id: 2, view: true, create: true, update: true, delete: false, role: { id: 2, display_name: "Editor" } },
  ],
  fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
};

/** Samples for the documentation. */
export const examples = {
  read: { response: shown },
  update: {
    request: {
      owner_id: 1,
      role_permissions: [{ role_id: 2, view: true, create: true, update: true, delete: false }],
      fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
    },
    response: shown,
  },
};
