/**
 * A cache of answers, bounded in memory: by viewer and item, or by item alone where all who see it get the same answer. Then there is one
 * way to the bytes: an entry which says that the store showed the item to readers like this one, at the present state of rights; for a reader
 * without one the store is asked for that alone. Answers are kept as bytes for routes, as frozen objects for screens. What an answer was read
 * from is declared, as tables and rows of tables; triggers of these tables report each change (`watchTables`), over the connection of the
 * statement before its commit is answered, and by a notification at the commit. So an answer is forgotten before this process answers the
 * change, and in others when the notification arrives; while these are lost nothing is cached, and while they are late the store is asked
 * (`notice_age.ts`). From the report to the end of the transaction, answers that depend on the change are neither cached nor shared.
 * Loads read from the primary.
 *
 * A load is stored only if nothing that it depends on was reported from before its first statement until after its last one.
 * Readers of one key wait for the load of the first of them, and share its answer under the same condition.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store, TableChange } from "../../db/mod.ts";
import { isWithinTransaction, onPrimary, recordingStatements, watchTables } from "../../db/mod.ts";
import type { Faults } from "../faults.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";
import { foundByAlias } from "./answer_aliases.ts";
import { AnswerEntries } from "./answer_entries.ts";
import { ANSWER_FORMS, type AnswerForm, type KeptAnswer } from "./answer_forms.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { AnswerCacheFigures, Answered, AnswerSource, CachedAnswers, TableDependency } from "./cached_answers.ts";
import type { NoticeAge } from "./notice_age.ts";
import { ReadTables } from "./read_tables.ts";
import { ReportedChanges } from "./reported_changes.ts";
import {
  type AnswerReads,
  type AskedItem,
  type KnownSource,
  type Sharing,
  sharedAnswer,
  sharingOf,
} from "./shared_answers.ts";
import { sightOf } from "./sight.ts";
import { notedKeys, surrogateKeysOfChange, tablesOf } from "./surrogate_keys.ts";

/** What the cache needs of the runtime. */
export interface AnswerCacheParts {
  /** Bytes of memory; 0 caches nothing. */
  readonly maxBytes: number;
  readonly log: Log;
  /** Answers during whose load a contribution failed lack its part, and are not cached. */
  readonly faults: Pick<Faults, "total">;
  readonly notices: NoticeAge;
  /**
   * The further tables that decide who sees rows of a table, and the rows of those `shown` with them; undefined where that differs by viewer, so
   * that nothing is shared.
   */
  rightsTo(table: string, shown: readonly string[]): readonly string[] | undefined;
}

/** How a load ended: its answer may be shared, it was made of what has changed, or it is for its reader alone. */
type Outcome = { readonly state: "shared"; readonly answer: KeptAnswer } | { readonly state: "changed" | "own" };

/** The part of the memory for what leads to answers. */
const SHARE_OF_LEADS = 1 / 8;

/** Loads that a reader waits for, one after the other, before it loads by itself. */
const MAX_WAITS = 3;

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
  /** Loads under way that readers of the same key wait for. */
  readonly #loads = new Map<string, Promise<Outcome>>();
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
  }

  /** Figures for metrics. */
  figures(): AnswerCacheFigures {
    const { bytes, size: entries, evictions } = this.#answers;
    const counts = { hits: this.#hits, misses: this.#misses, forgotten: this.#forgotten };
    const all = bytes + this.#leads.bytes;
    return { ...counts, bytes: all, entries, evictions, noticeAgeMs: this.#parts.notices.ageMs };
  }

  /** Adds a source; `name` is unique in the runtime. */
  add<A extends object>(name: string, source: AnswerSource<A>): CachedAnswers<A> {
    if (this.#sources.has(name)) throw new Error(`Cannot cache the answers "${name}": this name is taken`);
    const aliases: Known = { name: `${name} by alias`, entries: this.#leads, tables: undefined, dependencies: [] };
    const known: KnownSource<A> = {
      name,
      entries: this.#answers,
      source,
      aliases,
      tables: undefined,
      dependencies: [],
    };
    this.#sources.set(name, known);
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
    const read = (form: AnswerForm, viewer: Viewer, id: number) =>
      known.sharing
        ? this.#sharedAnswer(known.sharing, asked(form, viewer, id), viewer)
        : this.#answer(asked(form, viewer, id));
    const find = async (viewer: Viewer, id: number) =>
      // Answers are JSON in the other form alone.
      (await read("value", viewer, id)) as A | undefined;
    return {
      read: (viewer, id) => read("json", viewer, id),
      find,
      findBy: async (viewer, alias, idOf) =>
        this.#isActive(aliases)
          ? foundByAlias(this.#reads, { known: aliases, alias, idOf }, (id) => find(viewer, id))
          : undefined,
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

  /** Has readers share the answers of a source, where it and all rules of its table allow it. Returns what that is read from. */
  #share(known: KnownSource): readonly TableDependency[] {
    const answers = known.source.shared?.();
    const rights = answers && this.#parts.rightsTo(answers.table, [...(known.tables ?? [])]);
    if (!answers || !rights) return [];
    known.sharing = sharingOf(known, answers, rights, this.#leads);
    return known.sharing.facts.dependencies;
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

  /** A statement of this process made a change. Returns the function that is called when its transaction has ended. */
  #began(change: TableChange): () => void {
    const surrogateKeys = surrogateKeysOfChange(change, this.#watched);
    this.#forget(surrogateKeys);
    return this.#changes.begin(surrogateKeys);
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
    const answer = this.#current(this.#answers, asked.key);
    return answer ? this.#shared(asked, answer) : this.#fill(asked);
  }

  /** How shared answers are read. */
  readonly #reads: AnswerReads = {
    current: ({ entries }, key) => this.#current(entries, key),
    kept: (asked) => this.#kept(asked),
    answer: (asked) => this.#answer(asked),
    shared: (asked, answer) => this.#shared(asked, answer),
    alone: (asked) => this.#alone(asked),
  };

  #sharedAnswer<A extends object>(sharing: Sharing, own: AskedItem<A>, viewer: Viewer) {
    return this.#isActive(own.known) ? sharedAnswer(this.#reads, sharing, own, viewer) : own.load(() => {});
  }

  /** An entry, loaded if need be; undefined where it cannot be kept. */
  async #kept(asked: Asked<object>): Promise<KeptAnswer | undefined> {
    const { entries } = asked.known;
    const present = this.#current(entries, asked.key);
    if (present) return present;
    await this.#fill(asked);
    return this.#current(entries, asked.key);
  }

  /** The cached answer of a key, if notifications came in time for it. */
  #current(entries: AnswerEntries, key: string): KeptAnswer | undefined {
    const answer = entries.get(key);
    return answer && this.#parts.notices.allows(answer.since) ? answer : undefined;
  }

  #missed({ entries }: Known): void {
    if (entries === this.#answers) this.#misses += 1;
  }

  /** An answer that was not loaded for its reader. */
  #shared<A extends object>(asked: Asked<A>, { shared }: KeptAnswer): Answered<A> {
    if (asked.known.entries === this.#answers) this.#hits += 1;
    asked.onHit?.();
    // What is kept with a key of a source is of its type.
    return shared as Answered<A>;
  }

  async #fill<A extends object>(asked: Asked<A>): Promise<Answered<A>> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const present = this.#loads.get(asked.key);
      if (!present) return this.#lead(asked);
      const outcome = await present;
      if (outcome.state === "changed") continue;
      if (outcome.state !== "shared") break;
      if (!this.#parts.notices.allows(outcome.answer.since)) continue;
      return this.#shared(asked, outcome.answer);
    }
    return this.#alone(asked);
  }

  #alone<A extends object>(asked: Asked<A>): Promise<A | undefined> {
    this.#missed(asked.known);
    return asked.load(() => {});
  }

  /** Loads an answer that readers of the same key wait for. */
  async #lead<A extends object>(asked: Asked<A>): Promise<Answered<A>> {
    const { known, key, form } = asked;
    this.#missed(known);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const changes = this.#changes.since();
    this.#loads.set(key, promise);
    let outcome: Outcome = { state: "own" };
    try {
      const [losses, faults, since] = [this.#losses, this.#parts.faults.total, performance.now()];
      const { answer, surrogateKeys } = await this.#loaded(asked);
      if (answer === undefined) return undefined;
      const isWhole = this.#parts.faults.total === faults && this.#losses === losses && this.#isActive(known);
      if (!isWhole || !surrogateKeys) return answer;
      const kept = ANSWER_FORMS[form](JSON.stringify(answer), since);
      const isChanged = asked.isStill?.() === false || changes.concern(surrogateKeys);
      outcome = isChanged ? { state: "changed" } : { state: "shared", answer: kept };
      if (!isChanged) known.entries.set(key, kept, surrogateKeys);
      return kept.shared as Answered<A>;
    } finally {
      changes.end();
      this.#loads.delete(key);
      resolve(outcome);
    }
  }

  /** Loads an answer; all its statements are sent here. Without surrogate keys it read what is not declared. */
  async #loaded<A extends object>({
    known,
    id,
    load,
  }: Asked<A>): Promise<{ answer: A | undefined; surrogateKeys: readonly string[] | undefined }> {
    const { surrogateKeys, note } = notedKeys(known.dependencies, id);
    const texts = new Set<string>();
    const answer = await recordingStatements(texts, () => onPrimary(() => load(note)));
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
