/**
 * The lists of the home screen: favourites, what was opened last and most, drafts, and what others have done. Each is one statement over
 * a bounded number of rows.
 */
import { jsonTime, type UserRef } from "lectern/contracts";
import { type Cached, denied, endpoint, type InputObject, sql, type Viewer } from "lectern/core";
import { onPrimary, refs } from "lectern/db";
import { type ListedPart, type ListSql, listedItems, listRules, partIn } from "../_items/listed_items.ts";
import { type HomeContext, listAnswers } from "./contract.ts";
import { about } from "./docs.ts";
import { type FavouriteSet, favouritesOf } from "./favourites.ts";

/** Items opened last of which those are shown that still exist and are seen. */
const MOST_RECENT = 200;
/** Rows of the log among which activity is looked for, and those of them that are shown at most. */
const LOG_ROWS = 20_000;
const MOST_ACTIVITY = 500;
/** Verbs of the events that activity shows, of each kind. */
const VERBS = ["create", "update", "move"];
/** The other activity that is shown. */
const OTHERS = ["page_restore"];

const PERMIT = "access-api";

/** Mounts the lists. */
export function mountLists(context: HomeContext, marks: Cached<FavouriteSet>): void {
  const { app, hasTable, views } = context;
  const part = async <Extra>(
    viewer: Viewer,
    query: InputObject,
    listed: ListSql | undefined,
  ): Promise<ListedPart<Extra>> => {
    const asked = await partIn(context, query, viewer);
    return listed ? listedItems<Extra>(context, viewer, listed, asked) : { data: [], total: 0 };
  };
  app.get(
    "/favourites",
    async ({ viewer, nestedQuery }) => {
      // Most users have none, which the cached marks know.
      const listed = (await favouritesOf(marks, viewer)).size > 0 ? markedBy(viewer) : undefined;
      const found = await part<{ favourited_at: string }>(viewer, nestedQuery, listed);
      return { data: found.data.map(({ item, extra }) => ({ ...item, ...extra })), total: found.total };
    },
    {
      permit: PERMIT,
      response: listAnswers.favourites,
      ...endpoint("favourites", "list", { about: about.favourites, query: listRules }),
    },
  );
  app.get(
    "/recently-viewed",
    async ({ viewer, nestedQuery }) => {
      await views?.stored(viewer);
      const listed = views ? viewsOf(viewer) : undefined;
      // A replica may not have what was stored just now, which is no change by the user.
      const found = await onPrimary(() => part<{ viewed_at: string; views: number }>(viewer, nestedQuery, listed));
      return { data: found.data.map(({ item, extra }) => ({ ...item, ...extra })), total: found.total };
    },
    {
      permit: PERMIT,
      response: listAnswers.recent,
      ...endpoint("recently-viewed", "list", { about: about.recent, query: listRules }),
    },
  );
  app.get(
    "/most-viewed",
    async ({ viewer, nestedQuery }) => {
      const found = await part<{ views: number }>(viewer, nestedQuery, MOST);
      return { data: found.data.map(({ item, extra }) => ({ ...item, ...extra })), total: found.total };
    },
    {
      permit: PERMIT,
      response: listAnswers.most,
      ...endpoint("most-viewed", "list", { about: about.most, query: listRules }),
    },
  );
  app.get(
    "/drafts",
    async ({ viewer, nestedQuery }) => {
      // A draft is read by who may write; a narrower credential would learn the names of all.
      if (viewer.only) throw denied();
      const listed = hasTable("page_drafts") ? draftsOf(viewer) : undefined;
      const found = await part<Draft>(viewer, nestedQuery, listed);
      return { data: found.data.map(({ item, extra }) => ({ ...extra, item })), total: found.total };
    },
    {
      permit: PERMIT,
      response: listAnswers.drafts,
      ...endpoint("drafts", "list", { about: about.drafts, query: listRules }),
    },
  );
  app.get(
    "/activity",
    async ({ viewer, nestedQuery }) => {
      const listed = hasTable("activities") ? activityOf(context) : undefined;
      const found = await part<Done>(viewer, nestedQuery, listed);
      return { data: found.data.map(({ item, extra }) => ({ ...extra, item })), total: found.total };
    },
    {
      permit: PERMIT,
      response: listAnswers.activity,
      ...endpoint("activity", "list", { about: about.activity, query: listRules }),
    },
  );
}

interface Draft {
  readonly kind: "page" | "chapter" | "book";
  readonly item_id: number;
  readonly slot: string;
  readonly name: string;
  readonly page_id: number | null;
  readonly updated_at: string;
}

interface Done {
  readonly id: number;
  readonly type: string;
  readonly created_at: string;
  readonly user: UserRef | null;
}

// Parts of the statement of a list, whose rows are of several tables: templates, as the builder has no type for such a union.

function markedBy({ id }: Viewer): ListSql {
  return {
    listed: sql`select kind, item_id, row_number() over (order by created_at desc, kind, item_id) as place, created_at
      from favourites where ${refs("favourites.user_id")} = ${id}::integer`,
    extra: sql`json_build_object('favourited_at', ${jsonTime("seen.created_at")})`,
  };
}

function viewsOf({ id }: Viewer): ListSql {
  return {
    listed: sql`select kind, item_id, row_number() over (order by viewed_at desc, kind, item_id) as place, count, viewed_at
      from (select kind, item_id, count, viewed_at from item_views where ${refs("item_views.user_id")} = ${id}::integer
        order by viewed_at desc limit ${sql.lit(MOST_RECENT)}) as recent`,
    extra: sql`json_build_object('viewed_at', ${jsonTime("seen.viewed_at")}, 'views', seen.count)`,
  };
}

const MOST: ListSql = {
  listed: sql`select kind, item_id, row_number() over (order by views desc, kind, item_id) as place, views from most_viewed`,
  extra: sql`json_build_object('views', seen.views)`,
};

function draftsOf({ id }: Viewer): ListSql {
  const draftPage = sql`(select pages.id from pages where pages.id = seen.page_id and pages.draft and pages.deleted_at is null)`;
  return {
    listed: sql`select own.*, row_number() over (order by updated_at desc, kind, item_id, slot) as place
      from (select kind, item_id, slot, name, page_id, updated_at from page_drafts
        where ${refs("page_drafts.user_id")} = ${id}::integer order by updated_at desc limit ${sql.lit(MOST_RECENT)}) as own`,
    extra: sql`json_build_object('kind', seen.kind, 'item_id', seen.item_id, 'slot', seen.slot, 'name', seen.name,
      'page_id', ${draftPage}, 'updated_at', ${jsonTime("seen.updated_at")})`,
  };
}

/** Of what a user did to an item several times the last one alone. */
function activityOf({ contracts, kinds }: HomeContext): ListSql {
  const types = [...kinds().flatMap(({ kind }) => VERBS.map((verb) => `${kind}_${verb}`)), ...OTHERS];
  const user = contracts.users.ref(sql.ref("seen.user_id"));
  return {
    listed: sql`select done.*, row_number() over (order by done.log_id desc) as place
      from (select distinct on (user_id, event, kind, item_id) * from (
          select id as log_id, type as event, user_id, loggable_type as kind, loggable_id as item_id, created_at from activities
          where id > (select max(id) from activities) - ${sql.lit(LOG_ROWS)} and loggable_id is not null and type = any(${types}::text[])
          order by id desc limit ${sql.lit(MOST_ACTIVITY)}) as logged
        order by user_id, event, kind, item_id, log_id desc) as done`,
    extra: sql`json_build_object('id', seen.log_id, 'type', seen.event, 'created_at', ${jsonTime("seen.created_at")}, 'user', ${user})`,
  };
}
