import { deepFreeze } from "lectern/core";

/**
 * Phrases of the types of activities that BookStack has, as it says them (platform 10.3). `activityDescription` has those of all types.
 * @example
 * activityPhrases.page_create; // "created page"
 */
export const activityPhrases: Readonly<Record<string, string>> = deepFreeze({
  ...verbs("page", "page", ["create", "update", "delete", "restore", "move"]),
  ...verbs("chapter", "chapter", ["create", "update", "delete", "move"]),
  ...verbs("book", "book", ["create", "update", "delete"]),
  book_sort: "sorted book",
  book_create_from_chapter: "converted chapter to book",
  ...verbs("bookshelf", "shelf", ["create", "update", "delete"]),
  bookshelf_create_from_book: "converted book to shelf",
  ...verbs("user", "user", ["create", "update", "delete"]),
  ...verbs("role", "role", ["create", "update", "delete"]),
  ...verbs("api_token", "API token", ["create", "update", "delete"]),
  ...verbs("webhook", "webhook", ["create", "update", "delete"]),
  ...verbs("host", "host", ["create", "update", "delete"]),
  ...verbs("dashboard_key", "dashboard key", ["create", "update", "delete"]),
  commented_on: "commented on",
  comment_create: "added comment",
  comment_update: "updated comment",
  comment_delete: "deleted comment",
  permissions_update: "updated permissions",
  revision_restore: "restored revision",
  revision_delete: "deleted revision",
  recycle_bin_restore: "restored from recycle bin",
  recycle_bin_destroy: "removed from recycle bin",
  recycle_bin_empty: "emptied recycle bin",
  maintenance_action_run: "ran maintenance action",
  auth_login: "logged in",
  auth_password_reset_request: "requested user password reset",
  auth_password_reset_update: "reset user password",
  import_create: "created import",
  import_run: "updated import",
  import_delete: "deleted import",
});

function verbs(type: string, noun: string, actions: readonly string[]): Record<string, string> {
  const past: Record<string, string> = { move: "moved" };
  return Object.fromEntries(actions.map((action) => [`${type}_${action}`, `${past[action] ?? `${action}d`} ${noun}`]));
}
