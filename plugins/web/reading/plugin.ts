/**
 * Screens for reading: home page, shelves, books, chapters, pages with attachments and comments, revisions, search. They read
 * everything through the API, which checks permissions.
 */
import { definePlugin } from "lectern/core";
import { mountCommentForms } from "./comment_forms.ts";
import { mountContainers } from "./containers.ts";
import { mountExports } from "./exports.ts";
import { mountHome } from "./home.ts";
import { mountPage } from "./page.ts";
import { mountPeople } from "./people.ts";
import { mountRevisions } from "./revisions.ts";
import { mountSearch } from "./search.ts";
import { mountSuggestions } from "./suggestions.ts";
import { warmUpScreens } from "./warm_up.ts";

export default definePlugin({
  name: "web_reading",
  requires: ["users", "web"],
  grants: { read: ["item_views", "pages", "books"], impersonate: true },
  optionalTables: ["item_views", "pages", "books"],
  setup(context) {
    const { contribute } = context;
    const shared = { ...context, web: context.contracts.web };
    shared.web.places(...(["page/aside", "page/below", "page/toolbar", "chapter/below", "chapter/toolbar"] as const));
    shared.web.places(...(["book/below", "book/toolbar", "shelf/below", "shelf/toolbar", "home/below"] as const));
    mountHome(shared);
    mountSearch(shared);
    mountSuggestions(shared);
    mountPeople(shared);
    mountContainers(shared);
    mountPage(shared);
    mountCommentForms(shared);
    mountRevisions(shared);
    mountExports(shared);
    warmUpScreens(context);
    contribute("screen_part", {
      at: "menu/main",
      path: "/shelves",
      text: "Shelves",
      icon: "shelf",
      permit: "reader",
      order: 10,
    });
    contribute("screen_part", {
      at: "menu/main",
      path: "/books",
      text: "Books",
      icon: "book",
      permit: "reader",
      order: 20,
    });
    const search = { path: "/search", text: "Search", icon: "search", needs: "/api/search" };
    contribute("screen_part", { at: "menu/main", ...search, permit: "reader", order: 30 });
  },
});
