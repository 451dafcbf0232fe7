import { definePlugin } from "lectern/core";
import type {} from "./contract.ts";
import { forget } from "./forget.ts";
import { migrations } from "./migrations.ts";
import { resolve } from "./resolve.ts";

/** Earlier addresses of shelves, books, chapters and pages: screens asked for there lead on to where the item is today. */
export default definePlugin({
  name: "slug_history",
  requires: ["pages"],
  permissions: { write: ["slug_history"], read: ["bookshelves", "books", "chapters", "pages"] },
  migrations,
  setup({ contribute, db, visible }) {
    contribute("screen_redirect", { find: (path, viewer) => resolve({ db, sees: visible.where }, path, viewer) });
    contribute("dependents", { destroy: forget });
  },
});
