import { ApiError, endpoint, type PluginContext, rules } from "lectern/core";
import { type SearchContext, searchAnswerSchema } from "./contract.ts";
import { about, example } from "./docs.ts";
import { SHIPPED } from "./engine.ts";
import type { ItemViewRecorder } from "./item_views.ts";
import { parseQuery } from "./parse_query.ts";
import { findItems } from "./queries.ts";
import type { Order } from "./relevance/candidates.ts";
import { findByRelevance } from "./relevance/find.ts";

const DEFAULT_COUNT = 20;
const TOO_LONG = new ApiError(
  422,
  "This search takes too long. Look for more or rarer words, or for one kind of content.",
);

const searchRules = rules({
  query: ["required", "string"],
  page: ["integer", "min:1"],
  count: ["integer", "min:1", "max:100"],
  mode: ["string", "in:better"],
});

/** What is read with mode=better; other searches ignore it, as before. */
const relevanceRules = rules({
  sort: ["string", "in:relevance,updated,created,name"],
  facets: ["string", "in:true,false"],
});

/** Mounts the search (content-api 14). `limitMs` is the time that the store may take. */
export function mountSearchRoute(
  { app, validate, pools }: Pick<PluginContext, "app" | "validate" | "pools">,
  context: SearchContext,
  { limitMs, views }: { readonly limitMs: number; readonly views: ItemViewRecorder },
): void {
  app.get(
    "/search",
    async ({ viewer, nestedQuery, request }) => {
      const { query, page = 1, count = DEFAULT_COUNT, mode } = await validate(searchRules, nestedQuery, viewer);
      const { sort = "relevance", facets } =
        mode === undefined ? {} : await validate(relevanceRules, nestedQuery, viewer);
      const search = parseQuery(query);
      if (search.filters.some(({ name }) => name.endsWith("viewed_by_me"))) await views.flush();
      // Among few entries plans for certain words are no better, and making them takes as long as the search.
      // The statement of a search by relevance has one plan for all words, and takes longer to plan than to run.
      const keepsPlans = mode !== undefined || context.lastIndexState().isSmall;
      return pools.slow({ viewer, limitMs, signal: request.signal, keepsPlans, tooLong: TOO_LONG }, () =>
        // The engine of a plugin has the only index, and knows of no modes.
        mode === undefined || context.engine().name !== SHIPPED
          ? findItems(context, viewer, search, { page, count })
          : findByRelevance(context, viewer, query, {
              paging: { page, count },
              order: sort as Order,
              facets: facets === "true",
            }),
      );
    },
    {
      permit: "access-api",
      response: searchAnswerSchema,
      ...endpoint("search", "all", { about, rules: { ...searchRules, ...relevanceRules }, example }),
    },
  );
}
