/**
 * A cache of answers, bounded in memory: by viewer and item, or by item and what of it is shown (`shared_answers.ts`). Answers are kept as bytes for
 * routes, as frozen objects for screens. What an answer was read from is declared, as tables and rows of tables; triggers of these tables report
 * each change (`watchTables`), over the connection of the statement before its commit is answered, and by a notification at the commit. So an
 * answer is forgotten before this process sends the commit, and in others when the notification arrives; while these are lost nothing is cached, and
 * while they are late the store is asked (`notice_age.ts`). From the report to the end of the transaction, what is loaded and depends on the change is
 * neither cached nor shared (`answer_loads.ts`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeEnding, Store, TableChange } from "../../db/mod.ts";
import { isWithinTransaction, watchTables } from "../../db/mod.ts";
import type { Faults } from "../faults.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";
import { foundByAlias } from "./answer_aliases.ts";
import { AnswerEntries, type Entry } from "./answer_entries.ts";
import type { AnswerForm, KeptAnswer } from "./answer_forms.ts";
import { AnswerLoads } from "./answer_loads.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { AnswerCacheFigures, Answered, AnswerSource, CachedAnswers, TableDependency } from "./cached_answers.ts";
import { type DerivedAnswers, type DerivedSource, type DerivedValue, derivedAnswers } from "./derived_answers.ts";
import type { NoticeAge } from "./notice_age.ts";
import { ReadTables } from "./read_tables.ts";
import { ReportedChanges } from "./reported_changes.ts";
import {
  type AnswerReads,
  type AskedItem,
  type KnownSource,
  sharedAnswer,
  sharedHit,
  sharingOf,
} from "./shared_answers.ts";
import type { SharedRows } from "./shared_rows.ts";
import { sightOf } from "./sight.ts";
import { surrogateKeysOfChange, tablesOf } from "./surrogate_keys.ts";

/** What the cache needs of the runtime. */
export interface AnswerCacheParts {
  /** Bytes of memory; 0 caches nothing. */
  readonly maxBytes: number;
  readonly log: Log;
  /** Answers during whose load a contribution failed lack its part, and are not cached. */
  readonly faults: Pick<Faults, "total">;
  readonly notices: NoticeAge;
  readonly rows: SharedRows;
}

/** The part of the memory for what leads to answers. */
const SHARE_OF_LEADS = 1 / 8;

/** Milliseconds until the triggers are looked for again, where the store did not answer. */
const WATCH_RETRY_MS = 1_000;
const NOT_REPORTED = "Cannot have the store report changes: answers are not cached";

/** The answer cache of one runtime. */
export class AnswerCache {
  readonly #parts: AnswerCacheParts;
  readonly #sources = new Map<string, KnownSource>();
  readonly #answers: AnswerEntries;
  /** What leads to answers: aliases, facts of items, and who sees them. Many and small, so that they do not compete with answers. */
  readonly #leads: AnswerEntries;
  readonly #loads: AnswerLoads;
  readonly #changes = new ReportedChanges();
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
    this.#answers = new AnswerEntries(parts.maxBytes * (1 - SHARE_OF_LEADS));
    this.#leads = new AnswerEntries(parts.maxBytes * SHARE_OF_LEADS);
    this.#loads = new AnswerLoads({
      ...{ log: parts.log, faults: parts.faults, notices: parts.notices },
      ...{ changes: this.#changes, readTables: this.#readTables },
      isActive: (known) => this.#isActive(known),
      losses: () => this.#losses,
      missed: ({ entries }) => {
        if (entries === this.#answers) this.#misses += 1;
      },
      shared: (asked, answer) => this.#shared(asked, answer),
    });
  }

  /** Figures for metrics. */
  figures(): AnswerCacheFigures {
    const { bytes, size: entries, evictions } = this.#answers;
    const counts = { hits: this.#hits, misses: this.#misses, forgotten: this.#forgotten };
    return { ...counts, bytes: bytes + this.#leads.bytes, entries, evictions, noticeAgeMs: this.#parts.notices.ageMs };
  }

  /** Adds a source; `name` is unique in the runtime. */
  add<A extends object>(name: string, source: AnswerSource<A>): CachedAnswers<A> {
    const known = this.#know(name, source);
    const asked = (form: AnswerForm, viewer: Viewer, id: number): AskedItem<A> => ({
      known,
      get key() {
        return `${name} ${id} ${form} ${sightOf(viewer)}`;
      },
      form,
      id,
      load: (note) => source.load(viewer, id, note),
      onHit: () => source.onHit?.(viewer, id),
    });
    const read = (form: AnswerForm, viewer: Viewer, id: number) => {
      if (!known.sharing || !this.#isActive(known)) return this.#answer(asked(form, viewer, id));
      const kept = sharedHit(this.#reads, known.sharing, { known, form, id, viewer });
      if (kept === undefined) return sharedAnswer(this.#reads, known.sharing, asked(form, viewer, id), viewer);
      if (kept === null) return undefined;
      this.#hits += 1;
      source.onHit?.(viewer, id);
      // What is kept with a key of a source is of its type.
      return kept.shared as Answered<A>;
    };
    const find = (viewer: Viewer, id: number) =>
      // Answers are JSON in the other form alone.
      read("value", viewer, id) as A | undefined | Promise<A | undefined>;
    return {
      read: (viewer, id) => read("json", viewer, id),
      find,
      findBy: (viewer, alias, idOf) =>
        this.#isActive(known.aliases)
          ? foundByAlias(this.#reads, { known: known.aliases, alias, idOf }, (id) => find(viewer, id))
          : undefined,
    };
  }

  /** Adds a source of values that are made of answers; `name` is as that of `add`. */
  addDerived<V extends DerivedValue>(name: string, { dependsOn }: DerivedSource): DerivedAnswers<V> {
    return derivedAnswers(this.#know(name, { dependsOn, load: async () => undefined }), this.#reads);
  }

  #know<A extends object>(name: string, source: AnswerSource<A>): KnownSource<A> {
    if (this.#sources.has(name)) throw new Error(`Cannot cache the answers "${name}": this name is taken`);
    const unread = { tables: undefined, dependencies: [] };
    const aliases: Known = { name: `${name} by alias`, entries: this.#leads, ...unread };
    const known = { name, entries: this.#answers, source, aliases, ...unread };
    this.#sources.set(name, known);
    return known;
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
      notes.push(...all, ...this.#share(known));
      const { aliasNotes } = known.source;
      if (!aliasNotes) continue;
      known.aliases.tables = new Set(aliasNotes.map(({ table }) => table));
      notes.push(...aliasNotes);
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

  /** Has readers share the answers of a source, where it and all rules of its tables allow it. Returns what that is read from. */
  #share(known: KnownSource): readonly TableDependency[] {
    const answers = known.source.shared?.();
    const sharing = answers && sharingOf(known, answers, this.#parts.rows, this.#leads);
    if (!sharing) return [];
    known.sharing = sharing;
    return [sharing.facts, ...sharing.sights.values()].flatMap(({ dependencies }) => dependencies);
  }

  /** Notifications of other processes arrive from now on, or are lost. */
  setListening(isListening: boolean): void {
    this.#isListening = isListening;
    this.#losses += 1;
    this.#answers.clear();
    this.#leads.clear();
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

  /** Whether answers are cached: not those of a call within an open transaction, which nobody else sees. */
  #isActive({ tables }: Known): boolean {
    return this.#watch !== undefined && this.#isListening && tables !== undefined && !isWithinTransaction();
  }

  /**
   * A statement of this process made a change. What is kept from before it stays right until its commit is sent, as that of a save may be
   * many statements later.
   */
  #began(change: TableChange): ChangeEnding {
    const surrogateKeys = surrogateKeysOfChange(change, this.#watched);
    const ends = this.#changes.begin(surrogateKeys);
    const forget = () => this.#forget(surrogateKeys);
    // A statement of somebody's own may have committed it.
    return {
      commits: forget,
      ends() {
        forget();
        ends();
      },
    };
  }

  #forget(surrogateKeys: readonly string[]): void {
    for (const surrogateKey of surrogateKeys) {
      this.#forgotten += this.#answers.deleteWith(surrogateKey);
      this.#leads.deleteWith(surrogateKey);
    }
    this.#changes.report(surrogateKeys);
  }

  #answer<A extends object>(asked: Asked<A>): Answered<A> | Promise<Answered<A>> {
    if (!this.#isActive(asked.known)) return asked.load(() => {});
    const answer = this.#current(asked.known, asked.key)?.answer;
    return answer ? this.#shared(asked, answer) : this.#loads.answer(asked);
  }

  /** How shared answers are read. */
  readonly #reads: AnswerReads = {
    allows: (since) => this.#parts.notices.allows(since),
    isSilent: () => this.#parts.notices.isSilent,
    current: (known, key) => this.#current(known, key),
    kept: (asked) => this.#kept(asked),
    answer: (asked) => this.#answer(asked),
    combinable: (known, key, load) => this.#loads.combinable(known, key, load),
  };

  /** An entry, loaded if need be; undefined where it cannot be kept. */
  async #kept(asked: Asked<object>): Promise<Entry | undefined> {
    const { key, known } = asked;
    const present = this.#current(known, key);
    if (present) return present;
    await this.#loads.answer(asked);
    await this.#loads.settled(key);
    return this.#current(known, key);
  }

  /** The entry of a key, if notifications came in time for it. */
  #current({ entries }: Known, key: string): Entry | undefined {
    const entry = entries.get(key);
    return entry?.answer && this.#parts.notices.allows(entry.answer.since) ? entry : undefined;
  }

  /** An answer that was not loaded for its reader. */
  #shared<A extends object>(asked: Asked<A>, { shared }: KeptAnswer): Answered<A> {
    if (asked.known.entries === this.#answers) this.#hits += 1;
    asked.onHit?.();
    // What is kept with a key of a source is of its type.
    return shared as Answered<A>;
  }
}
