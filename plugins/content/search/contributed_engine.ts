/**
 * The engine of another plugin (slot `search_engine`). It is told of changes by jobs, which are written in the transaction of the
 * change and read the item's text when they run. It answers ids with scores; the store then leaves out what the viewer does
 * not see and what does not match filters, tags and exact texts, so that its index needs no permissions and may be late. The
 * entries of the shipped index are removed when their items change, so that they are made again when that is chosen.
 */
import type { EngineAnswer, EngineHit, SearchDocument, SearchEngine } from "lectern/contracts";
import { ApiError, type EventTransaction, type Log, MINUTE_MS, sql, withinTime } from "lectern/core";
import { type Db, prepared } from "lectern/db";
import { engineCandidates } from "./candidates.ts";
import { deleteEntries, idsAfter, textsOf } from "./changes.ts";
import type { SearchedKind, SearchTask } from "./contract.ts";
import type { Engine, Found } from "./engine.ts";
import { headingsIn } from "./headings.ts";
import { exactTexts, findUnranked } from "./queries.ts";

/** Documents that are sent at a time. */
const BATCH = 50;
/** How long the engine may take to index or remove documents, in milliseconds. */
const INDEX_MS = MINUTE_MS;
/** How often an item that changes while it is sent is sent again; each change has a job of its own besides. */
const MAX_TURNS = 3;
const LARGEST_ID = 2_147_483_647;
/** The 503 of a search whose engine failed. */
const UNAVAILABLE = new ApiError(503, "The search is unavailable at the moment. Try again later.", {
  headers: { "retry-after": "5" },
});

const setFilled = prepared("search.setFilled", (db, p: { kind: string; engine: string }) =>
  db
    .insertInto("search_engine_state")
    .values({ kind: p.kind, engine: p.engine })
    .onConflict((conflict) => conflict.column("kind").doUpdateSet({ engine: p.engine })),
);

const findFilled = prepared("search.findFilled", (db, p: { engine: string }) =>
  db.selectFrom("search_engine_state").select("kind").where("engine", "=", p.engine),
);

const forgetFilled = prepared("search.forgetFilled", (db) => db.deleteFrom("search_engine_state"));

/** Forgets what engines of plugins hold: none is told of changes while another one is in use. */
export async function forgetContributed(db: Pick<EventTransaction, "db">["db"]): Promise<void> {
  await forgetFilled.execute(db, {});
}

/** What the adapter needs. */
export interface ContributedOptions {
  readonly log: Log;
  readonly limitMs: number;
  /** How often a search asks the engine for further hits, because the viewer does not see enough of the first ones. */
  readonly maxRounds: number;
}

/** The engine of a plugin as this plugin uses it. */
export function contributedEngine(engine: SearchEngine, { log, limitMs, maxRounds }: ContributedOptions): Engine {
  const ask = async (task: SearchTask, offset: number): Promise<EngineAnswer> => {
    const { search, kinds, context } = task;
    const query = {
      terms: search.terms,
      exacts: exactTexts(search),
      kinds: kinds.map(({ kind }) => kind.kind),
      offset,
      limit: context.maxCandidates,
    };
    try {
      return checkedAnswer(await withinTime(limitMs, (signal) => engine.find(query, { signal })), query);
    } catch (error) {
      log.error("The search engine failed", { engine: engine.name, error });
      throw UNAVAILABLE;
    }
  };
  return {
    name: engine.name,
    async indexItem({ kind: { kind } }, id, tx) {
      await deleteEntries(kind, [id], tx);
      await tx.enqueue("search_engine_index", { kind, ids: [id] }, { key: `${kind} ${id}` });
    },
    async removeItems(kind, ids, tx) {
      await deleteEntries(kind, ids, tx);
      for (let at = 0; at < ids.length; at += BATCH)
        await tx.enqueue("search_engine_remove", { kind, ids: ids.slice(at, at + BATCH) });
    },
    async fill(kinds, tx) {
      const filled = await findFilled.execute(tx.db, { engine: engine.name });
      for (const { kind } of kinds.filter(({ kind: { kind } }) => filled.every((one) => one.kind !== kind)))
        await tx.enqueue("search_engine_fill", { kind: kind.kind, after: 0 }, { key: kind.kind });
    },
    async find(task) {
      if (task.search.terms.length === 0 && exactTexts(task.search).length === 0) return findUnranked(task);
      const { page, count } = task.paging;
      const hits: EngineHit[] = [];
      for (let round = 1, offset = 0; ; round++) {
        const answer = await ask(task, offset);
        hits.push(...answer.hits);
        offset += answer.hits.length;
        const found = await visibleHits(task, hits);
        const isLast = answer.hits.length === 0 || round >= maxRounds || found.total >= page * count;
        if (isLast || !answer.hasMore) return { ...found, isLowerBound: answer.hasMore };
      }
    },
  };
}

/** Sends the current text of items, and removes those that are gone. */
export async function sendItems(
  engine: SearchEngine,
  searched: SearchedKind,
  ids: readonly number[],
  db: Db,
): Promise<void> {
  let documents = await documentsOf(searched, ids, db);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const sent = documents;
    const gone = ids.filter((id) => sent.every((document) => document.id !== id));
    if (sent.length > 0) await withinTime(INDEX_MS, (signal) => engine.index(sent, { signal }));
    if (gone.length > 0) await removeItems(engine, searched.kind.kind, gone);
    // Two jobs for one item may cross: what was sent last has to be what is stored.
    documents = await documentsOf(searched, ids, db);
    if (Bun.deepEquals(sent, documents)) return;
  }
}

/** Removes items from the engine. */
export async function removeItems(engine: SearchEngine, kind: string, ids: readonly number[]): Promise<void> {
  await withinTime(INDEX_MS, (signal) => engine.remove(kind, ids, { signal }));
}

/** Sends a batch of all items of a kind. Returns the id to continue after; undefined at the end, which is then recorded. */
export async function sendBatch(
  engine: SearchEngine,
  searched: SearchedKind,
  after: number,
  db: Db,
): Promise<number | undefined> {
  const ids = await idsAfter(searched, after, BATCH, db);
  if (ids.length > 0) await sendItems(engine, searched, ids, db);
  if (ids.length === BATCH) return ids.at(-1);
  await setFilled.execute(db, { kind: searched.kind.kind, engine: engine.name });
  return undefined;
}

async function documentsOf(searched: SearchedKind, ids: readonly number[], db: Db): Promise<SearchDocument[]> {
  const texts = await textsOf(searched, ids, db);
  return texts.map(({ id, name, tags, html, body }) => ({
    kind: searched.kind.kind,
    id,
    name,
    tags: tags ?? "",
    headings: headingsIn(html ?? ""),
    body: body ?? "",
  }));
}

/** An answer without hits that cannot be items. Throws TypeError for anything that is no answer. */
function checkedAnswer({ hits, hasMore }: EngineAnswer, { limit }: { readonly limit: number }): EngineAnswer {
  if (!Array.isArray(hits) || typeof hasMore !== "boolean") throw new TypeError("The answer has no hits and hasMore");
  const usable = (hits as readonly EngineHit[]).slice(0, limit).map(({ kind, id, score }) => ({
    kind: String(kind),
    id: Number.isInteger(id) && id > 0 && id <= LARGEST_ID ? id : 0,
    score: Number.isFinite(score) ? score : 0,
  }));
  return { hits: usable, hasMore: hasMore || hits.length > limit };
}

async function visibleHits(task: SearchTask, hits: readonly EngineHit[]): Promise<Found> {
  const unique = new Map(hits.toReversed().map((hit) => [`${hit.kind} ${hit.id}`, hit]));
  const given = [...unique.values()];
  const { hits: seen, counts } = await engineCandidates(task, {
    kinds: given.map(({ kind }) => kind),
    ids: given.map(({ id }) => id),
    scores: sql`${given.map(({ score }) => score)}::float8[]`,
  });
  return { hits: seen, total: Object.values(counts).reduce((sum, count) => sum + count, 0), isLowerBound: false };
}
