/**
 * Search over everything a viewer sees (content-api 14): words through an index of PostgreSQL's whose words are split and
 * folded here, exact text narrowed by that index and checked in the text, tags and filters over the items themselves.
 * Entries of the index are made in the transaction that writes the item, so what was saved is found at once; kinds of
 * content take part by the slot `searchable`.
 */
import { ApiError, definePlugin, endpoint, type PluginContext, rules, sql, t } from "lectern/core";
import { type Db, hasTrigrams, rows, type TableName } from "lectern/db";
import { ORDER } from "./candidates.ts";
import type {} from "./contract.ts";
import { findItems } from "./find.ts";
import { indexItem, indexMissing, type SearchedKind, searchedKinds } from "./index_items.ts";
import { migrations } from "./migrations.ts";
import { parseSearch } from "./parse.ts";
import { Staleness } from "./staleness.ts";
import { Views } from "./views.ts";

const DEFAULT_COUNT = 20;
const TOO_LONG = new ApiError(
  422,
  "This search takes too long. Look for more or rarer words, or for one kind of content.",
);
/** How long one run of the job that indexes may take. */
const LEASE_MS = 600_000;

/** The query of a search. */
const searchRules = rules({
  query: ["required", "string"],
  page: ["integer", "min:1"],
  count: ["integer", "min:1", "max:100"],
});

export default definePlugin({
  name: "search",
  requires: ["access", "tags"],
  permissions: {
    write: ["search_index", "item_views"],
    read: ["tags", "users", "entity_permissions", "comments"],
  },
  settings: t.Object({
    candidates: t.Integer({
      default: 1_000,
      minimum: 100,
      maximum: 100_000,
      env: "SEARCH_CANDIDATES",
      description: "Items that a search ranks; where more match, its total is a lower bound, and marked so",
    }),
    mostWithin: t.Integer({
      default: 20_000,
      minimum: 0,
      env: "SEARCH_WITHIN_ITEMS",
      description: "Items up to which an exact text is looked for within words, where none begins with it",
    }),
    timeoutMs: t.Integer({
      default: 10_000,
      minimum: 100,
      env: "SEARCH_TIMEOUT_MS",
      description: "How long the store may take for a search (422 beyond)",
    }),
  }),
  migrations,
  setup(context) {
    const { app, baseUrl, contracts, log, on, onStart, settings, slot, withSlowPool, validate, visible } = context;
    const store = context.db as unknown as Db;
    let known: SearchedKind[] | undefined;
    const kinds = () => (known ??= searchedKinds(slot("content"), slot("searchable")));
    const staleness = new Staleness(store);
    on("app_boot", { inTransaction: async () => staleness.forget() });
    onStart(async () => {
      if (!(await hasTrigrams(store)))
        log.warn(
          "Cannot look inside names quickly: the store has no extension pg_trgm, and this account cannot create it",
        );
    });
    keepIndex(context, kinds, store);
    const views = keepViews(context, kinds, store);
    app.get(
      "/search",
      async ({ viewer, asked, request }) => {
        const { query, page = 1, count = DEFAULT_COUNT } = await validate(searchRules, asked, viewer);
        const search = parseSearch(query);
        if (search.filters.some(({ name }) => name.endsWith("viewed_by_me"))) await views.flush();
        const parts = {
          db: store,
          kinds: kinds(),
          tags: contracts.tags,
          baseUrl,
          sees: visible.where,
          most: settings.candidates,
          mostWithin: settings.mostWithin,
          reach: ({ kind }: SearchedKind) => contracts.access.reach(kind.kind, kind.table),
          isStale: () => staleness.ask(),
        };
        const task = { viewer, limitMs: settings.timeoutMs, signal: request.signal, tooLong: TOO_LONG };
        return withSlowPool(task, () => findItems(parts, viewer, search, { page, count }));
      },
      {
        permit: "access-api",
        ...endpoint("search", "all", { about: ABOUT, rules: searchRules, example: { response: EXAMPLE } }),
      },
    );
  },
});

type Context = PluginContext<"access" | "tags", TableName>;

/** Indexes what is written, in its transaction, and after each boot, by a job, what has no entry of the present form. */
function keepIndex({ contribute, enqueue, job, on, onAny }: Context, kinds: () => SearchedKind[], db: Db): void {
  on("app_boot", {
    async inTransaction(_, tx) {
      for (const { kind } of kinds())
        await tx.enqueue("search_index", { kind: kind.kind, after: 0 }, { key: kind.kind });
    },
  });
  job(
    "search_index",
    async ({ kind, after }) => {
      const searched = kinds().find((one) => one.kind.kind === kind);
      const next = searched && (await indexMissing(searched, after, db));
      if (next !== undefined) await enqueue("search_index", { kind, after: next }, { key: kind });
    },
    { leaseMs: LEASE_MS },
  );
  onAny({
    async inTransaction({ name, result }, tx) {
      const [, of] = /^(.+)_(?:create|update)$/.exec(name) ?? [];
      const searched = of === undefined ? undefined : kinds().find(({ kind }) => kind.kind === of);
      if (searched) await indexItem(searched, (result as { id: number }).id, tx);
    },
  });
  contribute("dependents", {
    async destroy(ids, tx, kind) {
      for (const table of ["search_index", "item_views"] as const)
        await rows(
          tx.db,
          sql`delete from ${sql.table(table)} where kind = ${kind} and item_id = any(${[...ids]}::integer[])`,
        );
    },
  });
}

/** Notes every read of an item, on a screen or by API: both ask the same route, which asks here what else to show. */
function keepViews({ contribute, log, on, onStop }: Context, kinds: () => SearchedKind[], db: Db): Views {
  const views = new Views(db, log, (kind) => kinds().find((one) => one.kind.kind === kind)?.kind.table);
  for (const kind of ORDER)
    contribute("response_fields", {
      kind,
      moment: "read",
      async add(ids, viewer) {
        for (const id of ids) views.note(viewer, kind, id);
        return new Map();
      },
    });
  onStop(() => views.stop());
  on("user_delete", {
    async inTransaction({ id }, tx) {
      await rows(tx.db, sql`delete from item_views where user_id = ${id}::integer`);
    },
  });
  return views;
}

const ABOUT =
  "Searches shelves, books, chapters and pages visible to you, the best results first.\n" +
  'Words are looked for as beginnings of words; "exact text", [tag=value] and {filter:value} ' +
  "narrow the search, and a minus before one of these turns it round. Case and accents make no difference.\n" +
  "An exact text is found where it begins with a word; where none does, it is looked for within words as well, unless " +
  "there are very many items.\n" +
  "Where more items match than are ranked, `total` is a lower bound, and `total_is_lower_bound` is there and true; " +
  "rare words among common ones then count most.\n" +
  "Of an item the first 200,000 characters of its text and of its tags are searched. A run of letters and digits longer " +
  "than 100 characters counts as several words.";
const EXAMPLE = {
  data: [
    {
      id: 12,
      name: "Failover",
      slug: "failover",
      book_id: 7,
      chapter_id: 3,
      draft: false,
      template: false,
      priority: 1,
      created_at: "2026-01-05T09:32:00.000000Z",
      updated_at: "2026-01-05T09:32:00.000000Z",
      url: "https://docs.example.com/books/runbooks/page/failover",
      type: "page",
      tags: [],
      book: { id: 7, name: "Runbooks", slug: "runbooks" },
      chapter: { id: 3, name: "Database", slug: "database" },
      preview_html: { name: "<strong>Failover</strong>", content: "Call the DBA" },
    },
  ],
  total: 1,
};
