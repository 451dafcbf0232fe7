/**
 * Search over the content that a viewer sees (content-api 14). Words are found through a GIN index of tsvectors; splitting
 * and normalising them is done here. Exact texts are narrowed down by that index and checked in the text. Tags and filters
 * are conditions on the items. Index entries are written in the transaction that writes the item, so an item is found as
 * soon as it is saved. Kinds of content take part by the slot `searchable`.
 */
import { definePlugin, type PluginContext, t } from "lectern/core";
import { type Db, hasTrigrams, type TableName } from "lectern/db";
import { KIND_ORDER } from "./candidates.ts";
import { deleteItems, deleteViewsOfUser, indexItem, indexMissing, searchedKinds } from "./changes.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { ItemViewRecorder } from "./item_views.ts";
import { migrations } from "./migrations.ts";
import { mountSearchRoute } from "./routes.ts";
import { StaleEntryCheck } from "./stale_entries.ts";

/** Lease of the job that indexes, in milliseconds. */
const LEASE_MS = 600_000;

export default definePlugin({
  name: "search",
  requires: ["access", "tags"],
  permissions: {
    writeIfPresent: ["books", "bookshelves", "chapters", "pages"],
    write: ["search_index", "item_views"],
    read: ["tags", "users", "entity_permissions", "comments"],
  },
  optionalTables: ["comments", "entity_permissions"],
  settings: t.Object({
    candidates: t.Integer({
      default: 1_000,
      minimum: 100,
      maximum: 100_000,
      env: "SEARCH_CANDIDATES",
      description: "Items that a search ranks; if more match, its total is a lower bound and marked as such",
    }),
    mostWithin: t.Integer({
      default: 20_000,
      minimum: 0,
      env: "SEARCH_WITHIN_ITEMS",
      description: "Maximum number of items for a search within words, for exact texts that begin no word",
    }),
    timeoutMs: t.Integer({
      default: 10_000,
      minimum: 100,
      env: "SEARCH_TIMEOUT_MS",
      description: "How long the store may take for a search (422 beyond)",
    }),
  }),
  migrations,
  setup(plugin) {
    const { baseUrl, contracts, log, on, onStart, runtime, settings, slot, visible } = plugin;
    const db = plugin.db as unknown as Db;
    let cachedKinds: readonly SearchedKind[] | undefined;
    const staleEntries = new StaleEntryCheck(db);
    const context: SearchContext = {
      db,
      kinds: () => (cachedKinds ??= searchedKinds(slot("content"), slot("searchable"))),
      tags: contracts.tags,
      baseUrl,
      hasTable: (table) => runtime.plugins().some((booted) => booted.plugin.permissions.write?.includes(table)),
      maxCandidates: settings.candidates,
      maxEntriesWithin: settings.mostWithin,
      visibleTo: visible.where,
      visibleRows: ({ kind }) => contracts.access.visibleRows(kind.kind, kind.table),
      hasStaleEntries: () => staleEntries.exists(),
    };
    on("app_boot", { inTransaction: async () => staleEntries.reset() });
    onStart(async () => {
      if (!(await hasTrigrams(db)))
        log.warn(
          "Cannot look inside names quickly: the store has no extension pg_trgm, and this account cannot create it",
        );
    });
    registerIndexing(plugin, context, db);
    const views = registerViews(plugin, context);
    mountSearchRoute(plugin, context, { limitMs: settings.timeoutMs, views });
  },
});

type SearchPlugin = PluginContext<"access" | "tags", TableName>;

/** Indexes items in the transaction that writes them, and items without a current entry by a job after each boot. */
function registerIndexing(
  { contribute, enqueue, job, on, onAny }: SearchPlugin,
  { kinds }: SearchContext,
  db: Db,
): void {
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
  contribute("dependents", { destroy: deleteItems });
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
    });
  onStop(() => views.stop());
  on("user_delete", { inTransaction: ({ id }, tx) => deleteViewsOfUser(id, tx) });
  return views;
}
