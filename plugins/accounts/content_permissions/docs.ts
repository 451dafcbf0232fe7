/** Descriptions of the endpoints of content permissions. */
export const about = {
  read:
    "Shows the overrides set on one item: its owner, the permissions of roles, and the fallback for all other roles. " +
    "contentType is one of page, book, chapter, bookshelf.\n" +
    "Overrides set on the item's parents, and the permissions in force, are not included.",
  roles:
    "Lists the roles that overrides may name, sorted by name. Requires the permission to manage the permissions of items, " +
    "not the one to manage roles. Overrides do not restrict administrators, so their role is not included.",
  copyToBooks:
    "Copies the overrides set on a shelf to the books on it, in place of those that the books have; where the shelf has none, theirs are " +
    "removed. An addition to BookStack's API, as its screen of shelves does.\n" +
    "copied is the number of books that were changed. Books that you do not see, and those whose permissions you may not manage, stay as they " +
    "are; skipped counts the latter. Owners stay. Books that are put on the shelf later get nothing.",
  update:
    "Changes the overrides of one item. They take effect immediately, for the item and everything below it. Fields that " +
    "are not sent are unchanged: owner_id, role_permissions and fallback_permissions are updated independently.\n" +
    "role_permissions replaces all entries of roles; an empty list removes them. fallback_permissions applies to " +
    "all roles without an entry; while inheriting is true, its four values are ignored.",
} as const;

const shown = {
  owner: { id: 1, name: "Ada", slug: "ada" },
  role_permissions: [
    { role_id: 2, view: true, create: true, update: true, delete: false, role: { id: 2, display_name: "Editor" } },
  ],
  fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
};

/** Sample requests and responses. */
export const examples = {
  copyToBooks: { response: { copied: 3, skipped: 1 } },
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
