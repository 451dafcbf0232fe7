/**
 * Search over the content that a viewer sees (content-api 14). Words are found through a GIN index of tsvectors; splitting
 * and normalising them is done here. Exact texts are narrowed down by that index and checked in the text. Tags and filters
 * are conditions on the items. Index entries are written in the transaction that writes the item, so an item is found as
 * soon as it is saved. Kinds of content take part by the slot `searchable`. Another engine takes the place of the index by the
 * slot `search_engine`.
 */
import { type Search, searchSlots } from "lectern/contracts";
import { definePlugin, sharedLimits, sql, t, type VisibleRows } from "lectern/core";
import { hasTrigrams, overAll } from "lectern/db";
import { presentTables } from "../_items/present_tables.ts";
import { KIND_ORDER } from "./candidates.ts";
import { deleteViewsOfUser, searchedKinds, wordsOfText } from "./changes.ts";
import { searchCommand } from "./commands.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { contributedEngine } from "./contributed_engine.ts";
import { chosenEngine, type Engine } from "./engine.ts";
import { registerEngineJobs, registerIndexing, type SearchPlugin } from "./indexing.ts";
import { ItemViewRecorder } from "./item_views.ts";
import { StemLanguages } from "./languages.ts";
import { migrations } from "./migrations.ts";
import { Frequencies } from "./relevance/frequencies.ts";
import { mountSearchRoute } from "./routes.ts";
import { searchChecks } from "./self_checks.ts";
import { shippedEngine } from "./shipped_engine.ts";
import { IndexStateCheck } from "./stale_entries.ts";
import { mountSuggestions } from "./suggestions_routes.ts";
import { Vocabulary } from "./vocabulary.ts";

export default definePlugin({
  name: "search",
  requires: ["access", "tags"],
  provides: ["item_views", "search"],
  grants: {
    write: [
      "search_index",
      "search_words",
      "search_engine_state",
      "item_views",
      "books",
      "bookshelves",
      "chapters",
      "pages",
    ],
    read: ["tags", "users", "entity_permissions", "comments", "bookshelf_books", "jobs"],
    contentTables: ["write"],
  },
  optionalTables: ["comments", "entity_permissions", "bookshelf_books", "books", "bookshelves", "chapters", "pages"],
  settings: t.Object({
    candidates: t.Integer({
      default: 1_000,
      minimum: 100,
      maximum: 100_000,
      constant: true,
      description:
        "Items that a search ranks, ten pages of the longest listing; if more match, its total is a lower bound and marked as such",
    }),
    mostWithin: t.Integer({
      default: 20_000,
      minimum: 0,
      constant: true,
      description:
        "Maximum number of items for a search within words, for exact texts that begin no word: all texts are read, in a second",
    }),
    engine: t.String({
      default: "",
      env: "SEARCH_ENGINE",
      description: "What searches: postgresql, or the engine of a plugin by its name, needed where there are several",
    }),
    engineRounds: t.Integer({
      default: 5,
      minimum: 1,
      maximum: 100,
      constant: true,
      description:
        "How often a search reads further hits of a plugin's engine, because the viewer does not see enough of them: each asks the engine again",
    }),
    environment: t.String({
      default: "production",
      env: "APP_ENV",
      shared: true,
      description: "production, or demo, which closes the endpoints of users and of their tokens",
    }),
    requestsPerMinute: sharedLimits.requestsPerMinute,
    suggestionsPerMinute: t.Integer({
      default: 720,
      minimum: 1,
      constant: true,
      times: { of: "requestsPerMinute", by: 4 },
      description:
        "Requests of a user for suggestions, counted apart from others: one for each letter or two that somebody types",
    }),
    databaseTimeoutMs: sharedLimits.databaseTimeoutMs,
    timeoutMs: t.Integer({
      default: 10_000,
      minimum: 100,
      constant: true,
      times: { of: "databaseTimeoutMs", by: 2 },
      description: "How long the store may take for a search (422 beyond): it reads many rows, and its user waits",
    }),
  }),
  migrations,
  commands: { search: searchCommand },
  slots: searchSlots,
  setup(plugin) {
    const { baseUrl, contracts, log, on, onStart, settings, slot, visible } = plugin;
    const db = overAll(plugin.db);
    const visibleRows = new WeakMap<SearchedKind, VisibleRows>();
    let cachedKinds: readonly SearchedKind[] | undefined;
    const parts = () => slot("searched_parts");
    const vocabulary = new Vocabulary(db, new StemLanguages(db, plugin.language), parts);
    const frequencies = new Frequencies(db);
    const indexState = new IndexStateCheck(db, settings.candidates);
    const contributed = () => chosenEngine(slot("search_engine"), settings.engine);
    let engine: Engine | undefined;
    const engineInUse = (): Engine => {
      const other = contributed();
      return other
        ? contributedEngine(other, { log, limitMs: settings.timeoutMs, maxRounds: settings.engineRounds })
        : shippedEngine(vocabulary, frequencies);
    };
    const context: SearchContext = {
      db,
      kinds: () => (cachedKinds ??= searchedKinds(slot("content"), slot("searchable"))),
      parts,
      tags: contracts.tags,
      baseUrl,
      hasTable: presentTables(plugin),
      maxCandidates: settings.candidates,
      maxEntriesWithin: settings.mostWithin,
      visibleTo: visible.where,
      visibleRows: (searched) => {
        const { kind, table } = searched.kind;
        const known = visibleRows.get(searched) ?? contracts.access.visibleRows(kind, table);
        visibleRows.set(searched, known);
        return known;
      },
      vocabulary,
      frequencies,
      engine: () => (engine ??= engineInUse()),
      indexState: () => indexState.state(),
      lastIndexState: () => indexState.last,
    };
    plugin.provide("search", searchService(context));
    on("app_boot", { inTransaction: async () => indexState.reset() });
    onStart(async () => {
      if (!(await hasTrigrams(db)))
        log.warn(
          "Cannot look inside names quickly: the store has no extension pg_trgm, and this account cannot create it",
        );
    });
    registerIndexing(plugin, context, db);
    registerEngineJobs(plugin, context, { contributed, db });
    for (const check of searchChecks(context, db)) plugin.contribute("self_check", check);
    const views = registerViews(plugin, context);
    plugin.provide("item_views", { stored: (viewer) => views.stored(viewer) });
    mountSearchRoute(plugin, context, { limitMs: settings.timeoutMs, views });
    mountSuggestions(plugin, context, {
      perMinute: settings.suggestionsPerMinute,
      isDemo: settings.environment === "demo",
      views,
    });
  },
});

/** What rows of other plugins need that are found with items. */
function searchService({ db, frequencies, vocabulary }: SearchContext): Search {
  return {
    wordsOf: (text) => wordsOfText(text, vocabulary, db),
    async forgetWords(words) {
      const { common } = await frequencies.figures();
      await vocabulary.forget({ words: sql`select unnest(tsvector_to_array(${words}::tsvector))` }, { common, db });
    },
  };
}

/** Records every read of an item: screens and API clients read through the route that asks for its response fields. */
function registerViews({ contribute, log, on, onStop }: SearchPlugin, { db, kinds }: SearchContext): ItemViewRecorder {
  const views = new ItemViewRecorder(db, log, (kind) => kinds().find((one) => one.kind.kind === kind)?.kind.table);
  for (const kind of KIND_ORDER)
    contribute("response_fields", {
      kind,
      moment: "read",
      schema: {},
      async add(ids, viewer) {
        for (const id of ids) views.record(viewer, kind, id);
        return new Map();
      },
      cached: { dependsOn: [], isSame: true, onHit: (id, viewer) => views.record(viewer, kind, id) },
    });
  onStop(() => views.stop());
  on("user_delete", { inTransaction: ({ id }, tx) => deleteViewsOfUser(id, tx) });
  return views;
}
