import { definePlugin } from "lectern/core";
import { removeHistory } from "./changes.ts";
import { migrations } from "./migrations.ts";
import { presentPath } from "./queries.ts";

/** Redirects from the earlier addresses of shelves, books, chapters and pages to the present ones, on screens. */
export default definePlugin({
  name: "slug_history",
  requires: ["pages"],
  permissions: {
    write: ["slug_history"],
    read: ["bookshelves", "books", "chapters", "pages"],
    slots: ["screen_redirect", "dependents"],
  },
  migrations,
  setup(context) {
    context.contribute("screen_redirect", { find: (path, viewer) => presentPath(context, path, viewer) });
    context.contribute("dependents", { destroy: removeHistory });
  },
});
