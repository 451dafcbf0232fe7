/**
 * Watches: how much of an item a user is told, chosen by that user alone. Only what the user sees can be watched, and an item that there is not
 * is refused in the same words; a choice is taken back whether or not its item is still seen.
 */
import type { HomeKind } from "lectern/contracts";
import { jsonTime } from "lectern/contracts";
import { endpoint, invalidFields, noContent, rules, type Static, sql, type Viewer } from "lectern/core";
import { prepared, refs, rows } from "lectern/db";
import {
  type HomeItem,
  listedItem,
  listedItems,
  listRules,
  namedItem,
  partIn,
  requireOwner,
  seenItem,
} from "../_items/listed_items.ts";
import {
  LEVELS,
  MAY_BE_TOLD,
  type WatchChoice,
  type WatchingContext,
  type WatchLevel,
  watchListSchema,
  watchRules,
  watchSchema,
} from "./contract.ts";
import { about } from "./docs.ts";
import { placesOf } from "./places.ts";

const PATH = "/watches/:kind/:id";
/** Choices of one user. */
const MAX_WATCHES = 5_000;

/** The path names all that there is to say. */
const NO_RULES = rules({});

const countOthers = prepared("watching.countOthers", (db, p: { userId: number; kind: HomeKind; itemId: number }) =>
  db
    .selectFrom("watches")
    .select((eb) => eb.fn.countAll<number>().$castTo<number>().as("n"))
    .where("user_id", "=", p.userId)
    .where((eb) => eb.or([eb("kind", "<>", p.kind), eb("item_id", "<>", p.itemId)])),
);

const set = prepared("watching.setWatch", (db, p: { userId: number; kind: HomeKind; itemId: number; level: number }) =>
  db
    .insertInto("watches")
    .values({ user_id: p.userId, kind: p.kind, item_id: p.itemId, level: p.level })
    .onConflict((known) =>
      known.columns(["user_id", "kind", "item_id"]).doUpdateSet((eb) => ({
        level: eb.ref("excluded.level"),
        updated_at: eb.fn<string>("now"),
      })),
    ),
);

const remove = prepared("watching.removeWatch", (db, p: { userId: number; kind: HomeKind; itemId: number }) =>
  db.deleteFrom("watches").where("user_id", "=", p.userId).where("kind", "=", p.kind).where("item_id", "=", p.itemId),
);

/** Mounts the routes of watches. */
export function mountWatches(context: WatchingContext): void {
  const { app, db, perform, validate } = context;
  const choose = (viewer: Viewer, choice: WatchChoice) =>
    perform("watch_set", viewer, choice, async (final, tx) => {
      const { user_id: userId, kind, item_id: itemId, level } = final;
      if (level === null) await remove.execute(tx.db, { userId, kind, itemId });
      else await set.execute(tx.db, { userId, kind, itemId, level: LEVELS.indexOf(level) });
      return final;
    });
  app.get(
    "/watches",
    async ({ viewer, nestedQuery }) => {
      const listed = {
        listed: sql`select kind, item_id, row_number() over (order by updated_at desc, kind, item_id) as place, level, updated_at
          from watches where ${refs("watches.user_id")} = ${viewer.id}::integer`,
        extra: sql`json_build_object('level', seen.level, 'updated_at', ${jsonTime("seen.updated_at")})`,
      };
      const asked = await partIn(context, nestedQuery, viewer);
      const found = await listedItems<{ level: number; updated_at: string }>(context, viewer, listed, asked);
      const data = found.data.map(({ item, extra }) => ({
        item,
        level: levelOf(extra.level),
        updated_at: extra.updated_at,
      }));
      return { data, total: found.total };
    },
    {
      permit: MAY_BE_TOLD,
      response: watchListSchema,
      ...endpoint("watches", "list", { about: about.watches, query: listRules }),
    },
  );
  app.get(PATH, async ({ viewer, params }) => stateOf(context, viewer, await seenItem(context, viewer, params)), {
    permit: MAY_BE_TOLD,
    response: watchSchema,
    ...endpoint("watches", "read", { about: about.watch }),
  });
  app.put(
    PATH,
    async ({ viewer, params, input }) => {
      requireOwner(viewer);
      const { level } = await validate(watchRules, input, viewer);
      const item = await seenItem(context, viewer, params);
      const wanted = LEVELS.find((each) => each === level) ?? null;
      const named = { userId: viewer.id, kind: item.type, itemId: item.id };
      const others = wanted === null ? undefined : await countOthers.executeTakeFirst(db, named);
      if (others && Number(others.n) >= MAX_WATCHES)
        throw invalidFields({ level: "You watch five thousand items. Watch a book or a shelf instead of its pages." });
      await choose(viewer, { user_id: viewer.id, kind: item.type, item_id: item.id, level: wanted });
      return stateOf(context, viewer, item);
    },
    {
      permit: MAY_BE_TOLD,
      response: watchSchema,
      ...endpoint("watches", "set", { about: about.set, rules: watchRules }),
    },
  );
  app.delete(
    PATH,
    async ({ viewer, params, set: answer }) => {
      requireOwner(viewer);
      await choose(viewer, { user_id: viewer.id, ...namedItem(params), level: null });
      answer.status = 204;
    },
    {
      permit: MAY_BE_TOLD,
      response: noContent,
      ...endpoint("watches", "remove", { about: about.remove, rules: NO_RULES }),
    },
  );
}

interface ChosenLevel {
  readonly kind: HomeKind;
  readonly item_id: number;
  readonly place: number;
  readonly level: number;
}

/** How a viewer watches an item that they see. */
async function stateOf(context: WatchingContext, viewer: Viewer, item: HomeItem): Promise<Static<typeof watchSchema>> {
  const { type, id } = item;
  // A template: where an item is, is a union over tables of several plugins.
  const chosen = await rows<ChosenLevel>(
    context.db,
    sql`select places.kind, places.item_id, places.place, watches.level
      from (${placesOf(context, type, sql`${id}`)}) as places
      join watches on watches.kind = places.kind and watches.item_id = places.item_id
      where ${refs("watches.user_id")} = ${viewer.id}::integer order by places.place, watches.level desc, places.item_id limit 20`,
  );
  const own = chosen.find(({ place }) => place === 1);
  const above = chosen.find(({ place }) => place > 1);
  const inherited = above && {
    level: levelOf(above.level),
    item: (await listedItem(context, viewer, above.kind, above.item_id)) ?? null,
  };
  const level = own ? levelOf(own.level) : "default";
  return {
    type,
    id,
    item,
    level,
    inherited: inherited ?? null,
    effective: own ? level : (inherited?.level ?? "default"),
  };
}

/** The level of a stored number. */
function levelOf(stored: number): WatchLevel {
  return LEVELS[stored] ?? "ignore";
}
