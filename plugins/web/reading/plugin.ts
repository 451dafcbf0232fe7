/**
 * Screens for reading: home page, shelves, books, chapters, pages with attachments and comments, revisions, search. They read
 * everything through the API, which checks permissions.
 */
import { join } from "node:path";
import { definePlugin } from "lectern/core";
import { mountCommentForms } from "./comment_forms.ts";
import { mountContainers } from "./containers.ts";
import { mountExports } from "./exports.ts";
import { mountHome } from "./home.ts";
import { mountHomeChoice } from "./home_choice.ts";
import { mountHomeLists } from "./home_lists.ts";
import { mountPage } from "./page.ts";
import { mountPeople } from "./people.ts";
import { mountRevisions } from "./revisions.ts";
import { mountSearch } from "./search.ts";
import { mountStars } from "./stars.ts";
import { mountSuggestions } from "./suggestions.ts";
import { mountTags } from "./tags.ts";
import { mountTree } from "./tree_requests.ts";
import { mountUnsubscribe } from "./unsubscribe.ts";
import { warmUpScreens } from "./warm_up.ts";
import { mountWatching } from "./watching.ts";

export default definePlugin({
  name: "web_reading",
  requires: ["users", "web"],
  uses: ["favourites"],
  grants: { read: ["item_views", "pages", "books"], impersonate: true },
  optionalTables: ["item_views", "pages", "books"],
  setup(context) {
    const { contribute } = context;
    const { web } = context.contracts;
    const asset = (name: string) => web.asset(name, join(import.meta.dir, "public", name));
    const [treeScript, pageScript] = [asset("tree.js"), asset("page.js")];
    const commentAssets = {
      script: asset("comments.js"),
      editor: asset("comment_editor.js"),
      style: asset("comments.css"),
    };
    const shared = { ...context, web, treeScript, pageScript, commentAssets };
    shared.web.places(...(["page/aside", "page/below", "page/toolbar", "chapter/below", "chapter/toolbar"] as const));
    shared.web.places(...(["book/below", "book/toolbar", "shelf/below", "shelf/toolbar", "home/below"] as const));
    mountHome(shared);
    mountHomeLists(shared);
    if (context.contracts.favourites) mountHomeChoice(shared);
    mountStars(shared, context);
    mountSearch(shared);
    mountTags(shared);
    mountSuggestions(shared);
    mountPeople(shared);
    mountContainers(shared);
    mountPage(shared);
    mountTree(shared);
    mountCommentForms(shared);
    mountRevisions(shared);
    mountExports(shared);
    mountUnsubscribe(shared);
    mountWatching(shared, context);
    warmUpScreens(context);
    const home = { text: "Home page", needs: "/api/home" };
    contribute("screen_part", {
      at: "menu/account",
      path: "/home",
      text: "Overview",
      icon: "book",
      permit: "user",
      order: -1,
    });
    contribute("screen_part", {
      at: "menu/account",
      ...home,
      path: "/my-account/home",
      icon: "settings",
      permit: "user",
    });
    contribute("screen_part", {
      ...{ at: "menu/settings", ...home, path: "/settings/home", icon: "book", permit: ["settings-manage"], order: 75 },
    });
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
    const tags = { path: "/tags", text: "Tags", icon: "tag", needs: "/api/tags/names" };
    contribute("screen_part", { at: "menu/main", ...tags, permit: "reader", order: 40 });
  },
});
