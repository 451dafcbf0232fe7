/**
 * What makes items searchable: the events that write and remove them, and the jobs that index all items of a kind, after each boot
 * those that the engine lacks, and by the command `search reindex` every one.
 */
import type { SearchEngine } from "lectern/contracts";
import type { PluginContext } from "lectern/core";
import { MINUTE_MS } from "lectern/core";
import type { Db, TableName } from "lectern/db";
import { deleteViews, indexMissing, isIndexed } from "./changes.ts";
import type { SearchContext } from "./contract.ts";
import { removeItems, sendBatch, sendItems } from "./contributed_engine.ts";
import { ProgressLog } from "./progress.ts";

/** Lease of the jobs that index, in milliseconds. */
const LEASE_MS = 10 * MINUTE_MS;
/** Tries of jobs for the engine of a plugin; with their growing pauses they take about a day. */
const TRIES = 28;

/** The context of the plugin. */
export type SearchPlugin = PluginContext<"access" | "tags", TableName>;

/** Indexes items when they are written, and items that the engine lacks by a job after each boot. */
export function registerIndexing(
  { contribute, jobs, log, on }: SearchPlugin,
  { engine, kinds, vocabulary }: SearchContext,
  db: Db,
): void {
  const progress = new ProgressLog(log, db);
  const kindOf = (kind: string | undefined) => kinds().find((one) => one.kind.kind === kind);
  on("app_boot", { inTransaction: (_, tx) => engine().fill(kinds(), tx) });
  jobs.handle(
    "search_index",
    async ({ kind, after, all }) => {
      const searched = kindOf(kind);
      if (searched && !all && after === 0 && (await isIndexed(searched, db))) return;
      if (!searched) return;
      const next = await indexMissing(searched, { after, all }, db, vocabulary);
      await progress.tell(searched, { after: next, all: all === true });
      if (next === undefined) return;
      const key = all ? `${kind} all` : kind;
      await jobs.enqueue("search_index", { kind, after: next, ...(all && { all }) }, { key });
    },
    { leaseMs: LEASE_MS },
  );
  on.any({
    async inTransaction({ name, result }, tx) {
      if (name === "address_replace") {
        const { kind, ids } = result as { kind: string; ids: readonly number[] };
        const changed = kindOf(kind);
        for (const id of changed ? ids : []) if (changed) await engine().indexItem(changed, id, tx);
        return;
      }
      const [, of] = /^(.+)_(?:create|update)$/.exec(name) ?? [];
      const searched = of === undefined ? undefined : kindOf(of);
      if (searched) await engine().indexItem(searched, (result as { id: number }).id, tx);
    },
  });
  contribute("dependents", {
    async destroy(ids, tx, kind) {
      await engine().removeItems(kind, ids, tx);
      await deleteViews(kind, ids, tx);
    },
  });
}

/** The jobs for the engine of a plugin; they do nothing where the shipped engine is in use again. */
export function registerEngineJobs(
  { jobs }: Pick<SearchPlugin, "jobs">,
  { kinds }: SearchContext,
  { contributed, db }: { readonly contributed: () => SearchEngine | undefined; readonly db: Db },
): void {
  const options = { leaseMs: LEASE_MS, tries: TRIES };
  const kindOf = (kind: string) => kinds().find((one) => one.kind.kind === kind);
  jobs.handle(
    "search_engine_index",
    async ({ kind, ids }) => {
      const [engine, searched] = [contributed(), kindOf(kind)];
      if (engine && searched) await sendItems(engine, searched, ids, db);
    },
    options,
  );
  jobs.handle(
    "search_engine_remove",
    async ({ kind, ids }) => {
      const engine = contributed();
      if (engine) await removeItems(engine, kind, ids);
    },
    options,
  );
  jobs.handle(
    "search_engine_fill",
    async ({ kind, after }) => {
      const [engine, searched] = [contributed(), kindOf(kind)];
      const next = engine && searched && (await sendBatch(engine, searched, after, db));
      if (next !== undefined) await jobs.enqueue("search_engine_fill", { kind, after: next }, { key: kind });
    },
    options,
  );
}
