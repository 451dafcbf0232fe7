/**
 * What the plugin of home screens declares: its tables, the answers and bodies of its routes, its events, and what its files share. The
 * routes are additions to BookStack's API, which has these lists on screens alone.
 */
import type { Generated } from "kysely";
import type { HomeKind, ItemViews } from "lectern/contracts";
import {
  idSchema,
  nullable,
  type PluginContext,
  rules,
  type Static,
  type TSchema,
  t,
  timestampSchema,
  userRefSchema,
} from "lectern/core";
import { homeItemSchema, listedFields as itemFields, type ListedContext } from "../_items/listed_items.ts";

/** Items that users have marked. */
export interface FavouritesTable {
  user_id: number;
  kind: HomeKind;
  item_id: number;
  created_at: Generated<string>;
}

/** What `/` shows. */
export interface HomeChoicesTable {
  /** The user whose choice it is; 0 for that of the instance. */
  user_id: number;
  shows: HomeShows;
  /** The page or shelf that is shown; null for anything else. */
  item_id: number | null;
}

/** The items that were opened most, counted by a schedule. */
export interface MostViewedTable {
  kind: string;
  item_id: number;
  views: number;
}

/** What the home page can show beside a page or a shelf: an overview of one's work, or a listing. */
export const LISTINGS = ["overview", "books", "bookshelves"] as const;

/** What the home page shows. */
export type HomeShows = (typeof LISTINGS)[number] | "page" | "bookshelf";

/** A choice of a home page. */
export interface HomeChoice {
  readonly shows: HomeShows;
  readonly item_id: number | null;
}

/** The body of a choice; an empty one takes the choice back. */
export const choiceRules = rules({
  shows: ["string", `in:,${LISTINGS.join()}`],
  page_id: ["integer"],
  bookshelf_id: ["integer"],
});

const views = t.Integer({ minimum: 1 });

/** The answer of a list, which is sorted and filtered by nobody. */
function answerOf<Item extends TSchema>($id: string, item: Item) {
  return t.Object({ data: t.Array(item), total: t.Integer({ minimum: 0 }) }, { $id });
}

/** The answers of the lists. */
export const listAnswers = {
  favourites: answerOf("Favourites", t.Object({ ...itemFields, favourited_at: timestampSchema }, { $id: "Favourite" })),
  recent: answerOf(
    "RecentlyViewed",
    t.Object({ ...itemFields, viewed_at: timestampSchema, views }, { $id: "RecentlyViewedItem" }),
  ),
  most: answerOf("MostViewed", t.Object({ ...itemFields, views }, { $id: "MostViewedItem" })),
  drafts: answerOf(
    "OwnDrafts",
    t.Object(
      {
        kind: t.Union([t.Literal("page"), t.Literal("chapter"), t.Literal("book")]),
        item_id: idSchema,
        slot: t.String(),
        name: t.String(),
        page_id: nullable(idSchema),
        updated_at: timestampSchema,
        item: homeItemSchema,
      },
      { $id: "OwnDraft", description: "A draft of yours, with the page that it changes or the place of a new page" },
    ),
  ),
  activity: answerOf(
    "Activities",
    t.Object(
      {
        id: idSchema,
        type: t.String({ description: "What was done, as the audit log has it, such as page_update" }),
        created_at: timestampSchema,
        user: nullable(userRefSchema),
        item: homeItemSchema,
      },
      { $id: "RecentActivity" },
    ),
  ),
};

/** Whether an item is a favourite. */
export const favouriteSchema = t.Object(
  { type: t.String(), id: idSchema, is_favourite: t.Boolean() },
  { $id: "FavouriteState" },
);

const shows = t.Union([
  t.Literal("overview"),
  t.Literal("books"),
  t.Literal("bookshelves"),
  t.Literal("page"),
  t.Literal("bookshelf"),
]);

const choiceSchema = t.Object({ shows, item_id: nullable(idSchema) }, { $id: "HomeChoice" });

/** What the home page shows, and by whose choice. */
export const homeSchema = t.Object(
  {
    shows,
    item: nullable(homeItemSchema),
    own: nullable(choiceSchema),
    instance: nullable(choiceSchema),
  },
  { $id: "Home" },
);

/** What the files of this plugin share. */
export interface HomeContext
  extends ListedContext,
    Pick<
      PluginContext<"access" | "users", "favourites" | "home_choices" | "most_viewed">,
      "app" | "contracts" | "perform"
    > {
  /** Undefined where nothing records views. */
  readonly views: ItemViews | undefined;
  /** Whether the plugin of an optional table is there. */
  hasTable(table: "activities" | "page_drafts"): boolean;
}

/** Names a favourite of a user. */
export type FavouriteKey = Omit<FavouritesTable, "created_at">;

declare module "lectern/contracts" {
  interface Answers {
    "/api/activity": Static<typeof listAnswers.activity>;
    "/api/drafts": Static<typeof listAnswers.drafts>;
    "/api/favourites": Static<typeof listAnswers.favourites>;
    "/api/home": Static<typeof homeSchema>;
    "/api/most-viewed": Static<typeof listAnswers.most>;
    "/api/recently-viewed": Static<typeof listAnswers.recent>;
    [favourite: `/api/favourites/${HomeKind}/${number}`]: Static<typeof favouriteSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    favourites: FavouritesTable;
    home_choices: HomeChoicesTable;
    most_viewed: MostViewedTable;
  }
}

declare module "lectern/core" {
  interface Events {
    favourite_add: { draft: FavouriteKey; result: FavouriteKey };
    favourite_remove: { draft: FavouriteKey; result: FavouriteKey };
    /** A user chooses what the home page shows, or an administrator for all; null takes a choice back. */
    home_choose: {
      draft: { readonly user_id: number; readonly choice: HomeChoice | null };
      result: { readonly user_id: number; readonly choice: HomeChoice | null };
    };
  }
}
