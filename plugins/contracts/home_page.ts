import type { Viewer } from "lectern/core";

/** A kind of content that people mark as favourites, and that lists of the home screen show. */
export type HomeKind = "page" | "chapter" | "book" | "bookshelf";

/**
 * What users have marked as favourites.
 * @example
 * export default definePlugin({
 *   name: "stars",
 *   requires: ["favourites", "web"],
 *   setup({ contracts: { favourites }, contribute }) {
 *     contribute("screen_part", {
 *       at: "page/below",
 *       permit: "user",
 *       draw: async (page, { viewer }) => (await favourites.has(viewer, "page", page.id)) && html`<p>★</p>`,
 *     });
 *   },
 * });
 */
export interface Favourites {
  /** Whether the viewer has marked an item. At once where it is cached, which it is until the viewer marks another. */
  has(viewer: Viewer, kind: HomeKind, id: number): boolean | Promise<boolean>;
}

/**
 * Which users opened which items.
 * @example
 * export default definePlugin({
 *   name: "last_opened",
 *   uses: ["item_views"],
 *   setup({ app, contracts: { item_views: views } }) {
 *     app.post("/last-opened", async ({ viewer }) => views?.stored(viewer), { permit: "access-api" });
 *   },
 * });
 */
export interface ItemViews {
  /** Resolves once what this process has noted of a viewer's views is in the table `item_views`, where others come within seconds. */
  stored(viewer: Viewer): Promise<void>;
}

declare module "lectern/core" {
  interface Contracts {
    favourites: Favourites;
    item_views: ItemViews;
  }
}
