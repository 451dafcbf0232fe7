/**
 * A cache of answers as bytes, by viewer and item, bounded in memory. What an answer was read from is declared, as tables and
 * rows of tables; triggers of these tables report each change (`watchTables`), over the connection of the statement before its
 * commit is answered, and by a notification at the commit. So an answer is forgotten before this process answers the change,
 * and in others when the notification arrives; while notifications are lost nothing is cached. From the report to the
 * end of the transaction, answers that depend on the change are neither cached nor shared. Loads read from the primary.
 *
 * A load is stored only if nothing that it depends on was reported from before its first statement until after its last one.
 * Readers of one key wait for the load of the first of them, and share its answer under the same condition.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store, TableChange, TableName } from "../../db/mod.ts";
import { onPrimary, recordingStatements, watchTables } from "../../db/mod.ts";
import type { Faults } from "../faults.ts";
import { JsonBytes } from "../http/default_headers.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";
import { AnswerEntries } from "./answer_entries.ts";
import { ReadTables } from "./read_tables.ts";
import { sightOf } from "./sight.ts";
import { surrogateKeysOfChange, surrogateKeysOfRows, tablesOf } from "./surrogate_keys.ts";

/** A table that an answer about an item is read from. */
export interface TableDependency {
  readonly table: TableName;
  /** An integer column: only the rows with the item's id in it are read. Without it, any row may be. */
  readonly column?: string;
  /** The only columns that are read: updates of others forget nothing. */
  readonly only?: readonly string[];
}

/** Notes that a load reads the rows with these values in a column, beside those that are declared. */
export type NoteRows = (table: TableName, column: string, values: readonly number[]) => void;

/** Answers about items of one kind. */
export interface AnswerSource<A extends object = object> {
  /** The tables that answers are read from; undefined if they must not be cached. Called once, after the boot. */
  dependsOn(): readonly TableDependency[] | undefined;
  /** Further tables that `load` notes rows of. */
  readonly notes?: readonly (TableDependency & { readonly column: string })[];
  /** The answer, to be sent as JSON; undefined where there is none for the viewer, which is not cached. */
  load(viewer: Viewer, id: number, note: NoteRows): Promise<A | undefined>;
  /** Called for each answer that is not loaded for its reader. */
  onHit?(viewer: Viewer, id: number): void;
}

/** Answers of one source. */
export interface CachedAnswers<A extends object = object> {
  /**
   * The answer about an item, as its JSON; undefined where there is none for the viewer, an object where nothing is cached. A
   * promise unless it is cached. Throws what `load` throws.
   */
  read(viewer: Viewer, id: number): Answered<A> | Promise<Answered<A>>;
}

type Answered<A extends object> = JsonBytes | A | undefined;

/** Figures of the cache since the process started. */
export interface AnswerCacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
  readonly entries: number;
  /** Answers removed for others. */
  readonly evictions: number;
  /** Answers removed since something that they depend on changed. */
  readonly forgotten: number;
}

/** What the cache needs of the runtime. */
export interface AnswerCacheParts {
  /** Bytes of memory; 0 caches nothing. */
  readonly maxBytes: number;
  readonly log: Log;
  /** Answers during whose load a contribution failed lack its part, and are not cached. */
  readonly faults: Pick<Faults, "total">;
}

/** A source with what it depends on; without tables it is not cached. */
interface Known<A extends object = object> {
  readonly name: string;
  readonly source: AnswerSource<A>;
  tables: ReadonlySet<string> | undefined;
  dependencies: readonly TableDependency[];
}

/** How a load ended: its answer may be shared, it was made of what has changed, or it is for its reader alone. */
type Outcome = { readonly state: "shared"; readonly json: JsonBytes } | { readonly state: "changed" | "own" };

interface Load {
  /** What was reported since the load began. */
  readonly changed: Set<string>;
  readonly outcome: Promise<Outcome>;
}

/** Loads that a reader waits for, one after the other, before it loads by itself. */
const MAX_WAITS = 3;

/** Milliseconds until the triggers are looked for again, where the store did not answer. */
const WATCH_RETRY_MS = 1_000;
const NOT_REPORTED = "Cannot have the store report changes: answers are not cached";

/** The answer cache of one runtime. */
export class AnswerCache {
  readonly #parts: AnswerCacheParts;
  readonly #sources = new Map<string, Known>();
  readonly #entries: AnswerEntries;
  readonly #loads = new Map<string, Load>();
  /** All loads under way, also those that no reader may join. */
  readonly #loading = new Set<Set<string>>();
  /** What transactions that have not ended changed, with their number. */
  readonly #open = new Map<string, number>();
  readonly #readTables = new ReadTables();
  /** Watched columns by table. */
  #watched = new Map<string, readonly string[]>();
  /** Creates the triggers that are missing; undefined until the tables are watched. */
  #watch: (() => Promise<void>) | undefined;
  #isListening = false;
  /** Counts losses of notifications. */
  #losses = 0;
  #hits = 0;
  #misses = 0;
  #forgotten = 0;

  constructor(parts: AnswerCacheParts) {
    this.#parts = parts;
    this.#entries = new AnswerEntries(parts.maxBytes);
  }

  /** Figures for metrics. */
  figures(): AnswerCacheFigures {
    const { bytes, size: entries, evictions } = this.#entries;
    return { hits: this.#hits, misses: this.#misses, bytes, entries, evictions, forgotten: this.#forgotten };
  }

  /** Adds a source; `name` is unique in the runtime. */
  add<A extends object>(name: string, source: AnswerSource<A>): CachedAnswers<A> {
    if (this.#sources.has(name)) throw new Error(`Cannot cache the answers "${name}": this name is taken`);
    const known: Known<A> = { name, source, tables: undefined, dependencies: [] };
    this.#sources.set(name, known);
    return {
      read: (viewer, id) => {
        if (!this.#isActive(known)) return source.load(viewer, id, () => {});
        const key = `${known.name} ${id} ${sightOf(viewer)}`;
        const json = this.#entries.get(key);
        if (json === undefined) return this.#fill(known, viewer, id, key);
        this.#hits += 1;
        source.onHit?.(viewer, id);
        return json;
      },
    };
  }

  /**
   * Begins to cache, when all plugins are set up: has the store report changes. Where that fails, nothing is cached and a
   * warning is logged.
   */
  async begin(store: Store): Promise<void> {
    if (this.#parts.maxBytes === 0 || this.#sources.size === 0) return;
    const notes: TableDependency[] = [];
    for (const known of this.#sources.values()) {
      const dependencies = known.source.dependsOn();
      if (!dependencies) continue;
      known.dependencies = dependencies;
      const all = [...dependencies, ...(known.source.notes ?? [])];
      known.tables = new Set(all.map(({ table }) => table));
      notes.push(...all);
    }
    const watched = tablesOf(notes);
    const watch = () => watchTables(store.db, watched);
    try {
      await watch();
      await this.#readTables.learn(store.db);
    } catch (error) {
      this.#parts.log.warn(NOT_REPORTED, { error });
      return;
    }
    this.#watched = new Map(watched.map(({ table, columns }) => [table, columns]));
    store.observeChanges((change) => this.#began(change));
    this.#watch = watch;
  }

  /** Notifications of other processes arrive from now on, or are lost. */
  setListening(isListening: boolean): void {
    this.#isListening = isListening;
    this.#losses += 1;
    this.#entries.clear();
  }

  /** Notifications arrive again, maybe of another database: one that was restored, or that of a new leader. */
  async returned(): Promise<void> {
    const losses = this.#losses;
    for (let isWarned = false; this.#losses === losses; isWarned = true) {
      try {
        await this.#watch?.();
        if (this.#losses === losses) this.setListening(true);
      } catch (error) {
        if (!isWarned) this.#parts.log.warn(NOT_REPORTED, { error });
        await sleep(WATCH_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Another process, or an unknown one, committed a change. */
  changed(change: TableChange): void {
    this.#forget(surrogateKeysOfChange(change, this.#watched));
  }

  #isActive({ tables }: Known): boolean {
    return this.#watch !== undefined && this.#isListening && tables !== undefined;
  }

  /** A statement of this process made a change. Returns the function that is called when its transaction has ended. */
  #began(change: TableChange): () => void {
    const surrogateKeys = surrogateKeysOfChange(change, this.#watched);
    for (const surrogateKey of surrogateKeys) this.#open.set(surrogateKey, (this.#open.get(surrogateKey) ?? 0) + 1);
    this.#forget(surrogateKeys);
    return () => {
      for (const surrogateKey of surrogateKeys) {
        const left = (this.#open.get(surrogateKey) ?? 1) - 1;
        if (left > 0) this.#open.set(surrogateKey, left);
        else this.#open.delete(surrogateKey);
      }
      // Loads that began meanwhile may have been answered before the commit took effect, or after it.
      for (const changed of this.#loading) for (const surrogateKey of surrogateKeys) changed.add(surrogateKey);
    };
  }

  #forget(surrogateKeys: readonly string[]): void {
    for (const surrogateKey of surrogateKeys) this.#forgotten += this.#entries.deleteWith(surrogateKey);
    for (const changed of this.#loading) for (const surrogateKey of surrogateKeys) changed.add(surrogateKey);
  }

  async #fill<A extends object>(known: Known<A>, viewer: Viewer, id: number, key: string): Promise<Answered<A>> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const present = this.#loads.get(key);
      if (!present) return this.#lead(known, viewer, id, key);
      const outcome = await present.outcome;
      if (outcome.state === "changed") continue;
      if (outcome.state !== "shared") break;
      this.#hits += 1;
      known.source.onHit?.(viewer, id);
      return outcome.json;
    }
    this.#misses += 1;
    return known.source.load(viewer, id, () => {});
  }

  /** Loads an answer that readers of the same key wait for. */
  async #lead<A extends object>(known: Known<A>, viewer: Viewer, id: number, key: string): Promise<Answered<A>> {
    this.#misses += 1;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const load: Load = { changed: new Set(), outcome: promise };
    this.#loads.set(key, load);
    this.#loading.add(load.changed);
    let outcome: Outcome = { state: "own" };
    try {
      const [losses, faults] = [this.#losses, this.#parts.faults.total];
      const { answer, surrogateKeys } = await this.#loaded(known, viewer, id);
      if (answer === undefined) return undefined;
      const isWhole = this.#parts.faults.total === faults && this.#losses === losses && this.#isActive(known);
      if (!isWhole || !surrogateKeys) return answer;
      const json = new JsonBytes(JSON.stringify(answer));
      const isChanged = surrogateKeys.some(
        (surrogateKey) => load.changed.has(surrogateKey) || this.#open.has(surrogateKey),
      );
      outcome = isChanged ? { state: "changed" } : { state: "shared", json };
      if (!isChanged) this.#entries.set(key, json, surrogateKeys);
      return json;
    } finally {
      this.#loading.delete(load.changed);
      this.#loads.delete(key);
      resolve(outcome);
    }
  }

  /** Calls the load of a source; all its statements are sent here. Without surrogate keys it read what is not declared. */
  async #loaded<A extends object>(
    known: Known<A>,
    viewer: Viewer,
    id: number,
  ): Promise<{ answer: A | undefined; surrogateKeys: readonly string[] | undefined }> {
    const surrogateKeys = new Set<string>();
    const note: NoteRows = (table, column, values) => {
      for (const surrogateKey of surrogateKeysOfRows(table, column, values)) surrogateKeys.add(surrogateKey);
    };
    for (const { table, column } of known.dependencies) {
      if (column === undefined) surrogateKeys.add(table);
      else note(table, column, [id]);
    }
    const texts = new Set<string>();
    const answer = await recordingStatements(texts, () => onPrimary(() => known.source.load(viewer, id, note)));
    const undeclared = this.#readTables.undeclared(texts, known.tables ?? new Set());
    if (undeclared === undefined) return { answer, surrogateKeys: [...surrogateKeys] };
    this.#warnOnce(known.name, undeclared);
    return { answer, surrogateKeys: undefined };
  }

  readonly #warned = new Set<string>();

  #warnOnce(name: string, undeclared: string): void {
    if (this.#warned.has(`${name} ${undeclared}`)) return;
    this.#warned.add(`${name} ${undeclared}`);
    this.#parts.log.warn("Answers are not cached: a statement reads what no plugin declared", {
      answers: name,
      reads: undeclared,
    });
  }
}
