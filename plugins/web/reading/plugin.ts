/**
 * Screens for reading: where one arrives, shelves, books, chapters, pages with what hangs on them, revisions, search. They
 * ask the API for what they show and decide nothing about who sees what.
 */
import { definePlugin } from "lectern/core";
import { mountComments } from "./comment_forms.ts";
import { mountContainers } from "./containers.ts";
import { mountExports } from "./exports.ts";
import { mountHome } from "./home.ts";
import { mountPage } from "./page.ts";
import { mountRevisions } from "./revisions.ts";

export default definePlugin({
  name: "web_reading",
  requires: ["web"],
  setup(context) {
    const { contribute } = context;
    const { web } = context.contracts;
    mountHome(context, web);
    mountContainers(context, web);
    mountPage(context, web);
    mountComments(context, web);
    mountRevisions(context, web);
    mountExports(context, web);
    contribute("menu", { menu: "main", path: "/shelves", text: "Shelves", icon: "shelf", admits: "reader", order: 10 });
    contribute("menu", { menu: "main", path: "/books", text: "Books", icon: "book", admits: "reader", order: 20 });
    contribute("menu", { menu: "main", path: "/search", text: "Search", icon: "search", admits: "reader", order: 30 });
  },
});
