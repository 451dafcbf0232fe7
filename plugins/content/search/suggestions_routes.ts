/**
 * `GET /api/search/suggestions`: items by name (`suggestions_items.ts`), people (`suggestions_people.ts`), and tags (contract `tags`). It has a
 * limit of its own, since somebody who types asks for each letter or two. Screens ask within the process, where nothing is limited.
 */
import { endpoint, type PluginContext, rules } from "lectern/core";
import type { SearchContext } from "./contract.ts";
import type { ItemViewRecorder } from "./item_views.ts";
import { type Suggestions, suggestionsSchema } from "./suggestions_contract.ts";
import { ItemSuggestions, type SuggestedItem } from "./suggestions_items.ts";
import { PeopleSuggestions } from "./suggestions_people.ts";
import { typedText } from "./suggestions_text.ts";

const PATH = "/search/suggestions";
const DEFAULT_COUNT = 10;
/** People and tags are fewer than items: they stand below these. */
const BESIDE = 5;

const suggestionRules = rules({ query: ["string", "max:255"], count: ["integer", "min:1", "max:50"] });

/** Text of the endpoint in the API documentation. */
const about =
  "Suggests what may be meant while somebody types, for menus that open pages at once. `data` has shelves, books, chapters and pages visible to " +
  "you: those whose name begins with the text, then those with a word that begins with it, then those whose name contains all its words " +
  "in any order. Among each, what you opened last comes first, then names in order. Case and accents make no difference.\n" +
  "Two letters are needed to search all names, one of Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese. With fewer, and with an empty " +
  "query, `data` has what you opened last, the last one first.\n" +
  "`people` are users whose name has a word that begins with the text, only for those who may list users (`users-manage`); `tags` are names and values of tags on what you " +
  "see that begin with it, five at most of each. The parents of an item are left out if you do not see them. Of very common words in a large instance not all " +
  "items are compared.\n" +
  "This endpoint has its own limit of requests a minute, four times `API_REQUESTS_PER_MIN`, which is counted by user and apart from all others.";

const book = { id: 7, name: "Runbooks", slug: "runbooks" };
/** Example in the API documentation. */
const example = {
  response: {
    data: [
      {
        type: "page",
        ...{ id: 12, name: "Failover", slug: "failover" },
        url: "https://docs.example.com/books/runbooks/page/failover",
        viewed_at: "2026-01-05T09:32:00.000000Z",
        book,
        chapter: { id: 3, name: "Database", slug: "database" },
      },
    ],
    people: [{ id: 4, name: "Faye Ito", slug: "faye-ito" }],
    tags: [{ name: "failover", value: null }],
  },
};

type Parts = Pick<PluginContext, "app" | "limiter" | "routeScope" | "validate">;

/** What the suggestions depend on beside the context. */
export interface SuggestionOptions {
  /** How many a user, or the address of guests, may ask for in a minute. */
  readonly perMinute: number;
  /** Whether the instance is a demo, which lists no users. */
  readonly isDemo: boolean;
  readonly views: ItemViewRecorder;
}

/** Mounts the suggestions. */
export function mountSuggestions(
  { app, limiter, routeScope, validate }: Parts,
  context: SearchContext,
  { isDemo, perMinute, views }: SuggestionOptions,
): void {
  const [itemsOf, peopleOf] = [new ItemSuggestions(context), new PeopleSuggestions(context)];
  routeScope(PATH, { limiter: limiter("suggestions", perMinute) });
  app.get(
    PATH,
    async ({ viewer, nestedQuery }): Promise<Suggestions> => {
      const { query = "", count = DEFAULT_COUNT } = await validate(suggestionRules, nestedQuery, viewer);
      const typed = typedText(query);
      // What was opened a moment ago is shown at once where only that is.
      if (!typed.isEnough) await views.flush();
      const [items, people, tags] = await Promise.all([
        itemsOf.find({ viewer, typed, count }),
        typed.isEnough && !isDemo ? peopleOf.find(viewer, typed.text, BESIDE) : [],
        typed.isEnough ? context.tags.beginningWith(viewer, typed.text, BESIDE) : [],
      ]);
      return { data: items.map((item) => presentItem(item, context.baseUrl)), people, tags: [...tags] };
    },
    {
      permit: "access-api",
      response: suggestionsSchema,
      ...endpoint("search", "suggestions", { about, rules: suggestionRules, example }),
    },
  );
}

function presentItem({ kind, parents, path, viewed_at, ...item }: SuggestedItem, baseUrl: string) {
  const { book, chapter } = parents;
  return {
    type: kind,
    ...{ id: item.id, name: item.name, slug: item.slug, url: `${baseUrl}${path}`, viewed_at },
    ...(book && { book }),
    ...(chapter && { chapter }),
  };
}
