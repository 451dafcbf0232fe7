/**
 * Favourites: marked and unmarked by their user, seen by nobody else. Only what the user sees can be marked, and an item that there is not is
 * refused in the same words; a mark is taken back whether or not its item is still seen, and whether or not there is one. A user's marks are
 * cached as a set until that user changes one, since each screen of an item asks.
 */
import type { HomeKind } from "lectern/contracts";
import { type Cached, endpoint, invalidFields, noContent, rules, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { isPerson, namedItem, requireOwner, seenItem } from "../_items/listed_items.ts";
import { type FavouriteKey, favouriteSchema, type HomeContext } from "./contract.ts";
import { about } from "./docs.ts";

const PATH = "/favourites/:kind/:id";
const PERMIT = "access-api";
/** Favourites of one user; whoever needs more needs a shelf. */
const MAX_FAVOURITES = 1_000;

/** The path names all that there is to say. */
const NO_RULES = rules({});

/** The favourites of a user, each as "page 7". */
export type FavouriteSet = ReadonlySet<string>;

const ofUser = prepared("home_page.favourites", (db, p: { userId: number }) =>
  db.selectFrom("favourites").select(["kind", "item_id"]).where("user_id", "=", p.userId),
);

const add = prepared("home_page.addFavourite", (db, p: FavouriteKey) =>
  db
    .insertInto("favourites")
    .values({ user_id: p.user_id, kind: p.kind, item_id: p.item_id })
    .onConflict((twice) => twice.doNothing()),
);

const remove = prepared("home_page.removeFavourite", (db, p: FavouriteKey) =>
  db
    .deleteFrom("favourites")
    .where("user_id", "=", p.user_id)
    .where("kind", "=", p.kind)
    .where("item_id", "=", p.item_id),
);

/** Deletes the favourites of a user. */
export const removeFavouritesOf = prepared("home_page.removeFavouritesOf", (db, p: { userId: number }) =>
  db.deleteFrom("favourites").where("user_id", "=", p.userId),
);

/** Deletes the marks of items. Returns whose they were. */
export const removeMarks = prepared("home_page.removeMarks", (db, p: { kind: string; ids: readonly number[] }) =>
  db
    .deleteFrom("favourites")
    .where("kind", "=", sql<HomeKind>`${p.kind}::text`)
    .where("item_id", "=", sql<number>`any(${p.ids}::integer[])`)
    .returning("user_id"),
);

/** Reads the favourites of a user, by the user's id as a text. */
export async function readFavourites({ db }: Pick<HomeContext, "db">, userId: string): Promise<FavouriteSet> {
  const found = await ofUser.execute(db, { userId: Number(userId) });
  return new Set(found.map(({ kind, item_id }) => `${kind} ${item_id}`));
}

/** Mounts the routes of single favourites. */
export function mountFavourites(context: HomeContext, cached: Cached<FavouriteSet>): void {
  const { app, db, perform } = context;
  const seen = async (viewer: Viewer, params: { readonly kind: string; readonly id: string }) => {
    const { type, id } = await seenItem(context, viewer, params);
    return { user_id: viewer.id, kind: type, item_id: id };
  };
  app.get(
    PATH,
    async ({ viewer, params }) => {
      const { kind, item_id } = await seen(viewer, params);
      return { type: kind, id: item_id, is_favourite: (await favouritesOf(cached, viewer)).has(`${kind} ${item_id}`) };
    },
    { permit: PERMIT, response: favouriteSchema, ...endpoint("favourites", "read", { about: about.favourite }) },
  );
  app.put(
    PATH,
    async ({ viewer, params }) => {
      requireOwner(viewer);
      const key = await seen(viewer, params);
      const known = await ofUser.execute(db, { userId: viewer.id });
      if (known.length >= MAX_FAVOURITES)
        throw invalidFields({ id: "You have a thousand favourites. Remove one before you add another." });
      await perform("favourite_add", viewer, key, async (final, tx) => {
        await add.execute(tx.db, final);
        await cached.forget(tx, String(final.user_id));
        return final;
      });
      return { type: key.kind, id: key.item_id, is_favourite: true };
    },
    {
      permit: PERMIT,
      response: favouriteSchema,
      ...endpoint("favourites", "add", { about: about.add, rules: NO_RULES }),
    },
  );
  app.delete(
    PATH,
    async ({ viewer, params, set }) => {
      requireOwner(viewer);
      // Also of an item that the viewer sees no longer: it answers the same whether there is one.
      await perform("favourite_remove", viewer, { user_id: viewer.id, ...namedItem(params) }, async (final, tx) => {
        await remove.execute(tx.db, final);
        await cached.forget(tx, String(final.user_id));
        return final;
      });
      set.status = 204;
    },
    { permit: PERMIT, response: noContent, ...endpoint("favourites", "remove", { about: about.remove }) },
  );
}

/** The favourites of a viewer; visitors have none. */
export function favouritesOf(cached: Cached<FavouriteSet>, viewer: Viewer): FavouriteSet | Promise<FavouriteSet> {
  return isPerson(viewer) ? cached.get(String(viewer.id)) : NONE;
}

const NONE: FavouriteSet = new Set();
