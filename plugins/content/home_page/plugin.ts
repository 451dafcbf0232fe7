/**
 * What a person finds on the home screen: favourites, what was opened last and most, drafts, what others have done, and what the home page
 * shows at all. The lists are read from the tables of the plugins that record them, where these are there; favourites and choices are tables of
 * this plugin. Whether an item is a favourite is cached by user, since each screen of an item asks.
 */
import { itemReferences, referenceCheck } from "lectern/contracts";
import { definePlugin, sql } from "lectern/core";
import { overAll } from "lectern/db";
import { listedKinds } from "../_items/listed_items.ts";
import { presentTables } from "../_items/present_tables.ts";
import type { HomeContext } from "./contract.ts";
import { favouritesOf, mountFavourites, readFavourites, removeFavouritesOf, removeMarks } from "./favourites.ts";
import { INSTANCE, mountHomeChoice, readChoice, removeChoiceOf, removeChoicesOfItems } from "./home_choice.ts";
import { mountLists } from "./lists.ts";
import { migrations } from "./migrations.ts";
import { COUNT_EVERY_MS, countMostViewed } from "./most_viewed.ts";

export default definePlugin({
  name: "home_page",
  requires: ["access", "users"],
  uses: ["item_views"],
  provides: ["favourites"],
  grants: {
    write: ["favourites", "home_choices", "most_viewed"],
    read: ["activities", "books", "bookshelves", "chapters", "item_views", "page_drafts", "pages", "users"],
  },
  optionalTables: ["activities", "books", "bookshelves", "chapters", "item_views", "page_drafts", "pages"],
  migrations,
  events: ["favourite_add", "favourite_remove", "home_choose"],
  setup(plugin) {
    const { cache, contribute, jobs, on, provide, slot } = plugin;
    const db = overAll(plugin.db);
    const views = plugin.contracts.item_views;
    const context: HomeContext = {
      ...plugin,
      db,
      views,
      kinds: listedKinds(() => slot("content")),
      hasTable: presentTables(plugin),
    };
    const favourites = cache.values("favourites", (userId) => readFavourites(context, userId));
    const choices = cache.values("home_choices", (userId) => readChoice(context, userId));
    provide("favourites", {
      has(viewer, kind, id) {
        const own = favouritesOf(favourites, viewer);
        const name = `${kind} ${id}`;
        return own instanceof Promise ? own.then((found) => found.has(name)) : own.has(name);
      },
    });
    mountLists(context, favourites);
    mountFavourites(context, favourites);
    mountHomeChoice(context, choices);
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        const gone = { kind, ids: [...ids] };
        const marked = await removeMarks.execute(tx.db, gone);
        for (const userId of new Set(marked.map(({ user_id }) => user_id))) await favourites.forget(tx, String(userId));
        const chosen = await removeChoicesOfItems.execute(tx.db, gone);
        for (const { user_id } of chosen) await choices.forget(tx, String(user_id));
      },
    });
    const users = { column: "user_id", to: "users" };
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "home_page/favourites",
        title: "Every favourite is of an item and a user",
        references: () => [
          ...itemReferences(context.kinds(), { table: "favourites", kind: "kind", id: "item_id" }),
          { table: "favourites", ...users },
        ],
        repair: "delete",
      }),
    );
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "home_page/choices",
        title: "Every choice of a home page is of a user, and every chosen item is there",
        references: () => [
          { table: "home_choices", ...users, where: sql<boolean>`home_choices.user_id <> ${INSTANCE}` },
          ...context.kinds().map(({ kind, table }) => ({
            ...{ table: "home_choices", column: "item_id", to: table },
            where: sql<boolean>`home_choices.shows = ${kind}::text`,
          })),
        ],
        repair: "delete",
      }),
    );
    on("user_delete", {
      async inTransaction({ id }, tx) {
        await removeFavouritesOf.execute(tx.db, { userId: id });
        await removeChoiceOf.execute(tx.db, { userId: id });
        await favourites.forget(tx, String(id));
        await choices.forget(tx, String(id));
      },
    });
    jobs.every(
      "count_most_viewed",
      COUNT_EVERY_MS,
      async () => {
        if (views) await countMostViewed(db);
      },
      { isFirstAtOnce: true },
    );
  },
});
