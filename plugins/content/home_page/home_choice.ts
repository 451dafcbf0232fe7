/**
 * What the home page shows: an overview of one's own work, the list of books or of shelves, a page, or a shelf. Users choose for
 * themselves, administrators for all who have not chosen. An item that the viewer does not see is never shown nor named: the next choice
 * counts then, and at last the overview.
 */
import {
  type Cached,
  endpoint,
  type Input,
  type InputObject,
  invalidFields,
  type Static,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import { isPerson, listedItem, requireOwner } from "../_items/listed_items.ts";
import { choiceRules, type HomeChoice, type HomeContext, homeSchema, LISTINGS } from "./contract.ts";
import { about } from "./docs.ts";

/** The `user_id` of the choice for all. */
export const INSTANCE = 0;

/** The choice of a user or of the instance; null for none. */
export type KnownChoice = HomeChoice | null;

const choiceOf = prepared("home_page.choice", (db, p: { userId: number }) =>
  db.selectFrom("home_choices").select(["shows", "item_id"]).where("user_id", "=", p.userId),
);

const store = prepared("home_page.choose", (db, p: HomeChoice & { user_id: number }) =>
  db
    .insertInto("home_choices")
    .values({ user_id: p.user_id, shows: p.shows, item_id: p.item_id })
    .onConflict((known) =>
      known.column("user_id").doUpdateSet((eb) => ({
        shows: eb.ref("excluded.shows"),
        item_id: eb.ref("excluded.item_id"),
      })),
    ),
);

/** Takes the choice of a user back. */
export const removeChoiceOf = prepared("home_page.removeChoiceOf", (db, p: { userId: number }) =>
  db.deleteFrom("home_choices").where("user_id", "=", p.userId),
);

/** Takes back choices of items that are gone. Returns whose they were. */
export const removeChoicesOfItems = prepared(
  "home_page.removeChoicesOfItems",
  (db, p: { kind: string; ids: readonly number[] }) =>
    db
      .deleteFrom("home_choices")
      .where("shows", "=", sql<HomeChoice["shows"]>`${p.kind}::text`)
      .where("item_id", "=", sql<number>`any(${p.ids}::integer[])`)
      .returning("user_id"),
);

/** Reads the choice of a user, by the user's id as a text. */
export async function readChoice({ db }: Pick<HomeContext, "db">, userId: string): Promise<KnownChoice> {
  return (await choiceOf.executeTakeFirst(db, { userId: Number(userId) })) ?? null;
}

/** Mounts the routes of the home page. */
export function mountHomeChoice(context: HomeContext, cached: Cached<KnownChoice>): void {
  const { app, perform, validate } = context;
  const choose = async (viewer: Viewer, userId: number, input: InputObject) => {
    const choice = chosenIn(await validate(choiceRules, input, viewer));
    if (choice && choice.item_id !== null) await requireSeen(context, viewer, choice, choice.item_id);
    await perform("home_choose", viewer, { user_id: userId, choice }, async (final, tx) => {
      if (final.choice) await store.execute(tx.db, { user_id: final.user_id, ...final.choice });
      else await removeChoiceOf.execute(tx.db, { userId: final.user_id });
      await cached.forget(tx, String(final.user_id));
      return final;
    });
    return homeOf(context, cached, viewer);
  };
  app.get("/home", ({ viewer }) => homeOf(context, cached, viewer), {
    permit: "access-api",
    response: homeSchema,
    ...endpoint("home", "read", { about: about.home }),
  });
  app.put(
    "/home",
    ({ viewer, input }) => {
      requireOwner(viewer);
      return choose(viewer, viewer.id, input);
    },
    {
      permit: "access-api",
      response: homeSchema,
      ...endpoint("home", "choose", { about: about.choose, rules: choiceRules }),
    },
  );
  app.put("/home/instance", ({ viewer, input }) => choose(viewer, INSTANCE, input), {
    permit: "settings-manage",
    response: homeSchema,
    ...endpoint("home", "choose-for-all", { about: about.chooseForAll, rules: choiceRules }),
  });
}

/** The choice of a body: the page that it names, else the shelf, else the listing. */
function chosenIn({ page_id, bookshelf_id, shows }: Partial<Input<typeof choiceRules>>): KnownChoice {
  if (page_id !== undefined) return { shows: "page", item_id: page_id };
  if (bookshelf_id !== undefined) return { shows: "bookshelf", item_id: bookshelf_id };
  const listing = LISTINGS.find((each) => each === shows);
  return listing ? { shows: listing, item_id: null } : null;
}

async function requireSeen(context: HomeContext, viewer: Viewer, { shows }: HomeChoice, id: number): Promise<void> {
  // An item that there is not and one that the viewer does not see are the same.
  if (!(await listedItem(context, viewer, shows, id)))
    throw invalidFields({ [`${shows}_id`]: "There is no such page or shelf that you can view." });
}

/** What the home page shows to a viewer. */
async function homeOf(
  context: HomeContext,
  cached: Cached<KnownChoice>,
  viewer: Viewer,
): Promise<Static<typeof homeSchema>> {
  const own = isPerson(viewer) ? await cached.get(String(viewer.id)) : null;
  const instance = await cached.get(String(INSTANCE));
  for (const choice of [own, instance]) {
    if (!choice) continue;
    if (choice.item_id === null) return { shows: choice.shows, item: null, own, instance };
    const item = await listedItem(context, viewer, choice.shows, choice.item_id);
    if (item) return { shows: choice.shows, item, own, instance: await named(instance, viewer, context) };
  }
  return { shows: "overview", item: null, own, instance: await named(instance, viewer, context) };
}

/** The choice for all, without the item for those who do not see it. */
async function named(choice: KnownChoice, viewer: Viewer, context: HomeContext): Promise<KnownChoice> {
  if (!choice || choice.item_id === null) return choice;
  return (await listedItem(context, viewer, choice.shows, choice.item_id)) ? choice : { ...choice, item_id: null };
}
