/**
 * Loads of what is cached. A load is kept only if nothing that it depends on was reported from before its first statement until after its last
 * one; what readers share, until all notifications of commits before that have come. Readers of one key wait for the load of the first of them, and
 * get its answer under the same condition. Loads read from the primary.
 */
import { onPrimary, recordingStatements } from "../../db/mod.ts";
import type { Faults } from "../faults.ts";
import type { Log } from "../log.ts";
import { ANSWER_FORMS, type KeptAnswer } from "./answer_forms.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { Answered, NoteRows } from "./cached_answers.ts";
import type { NoticeAge } from "./notice_age.ts";
import type { ReadTables } from "./read_tables.ts";
import type { ReportedChanges } from "./reported_changes.ts";
import { notedKeys } from "./surrogate_keys.ts";

/** What loads need of the cache. */
export interface LoadParts {
  readonly log: Log;
  readonly faults: Pick<Faults, "total">;
  readonly notices: NoticeAge;
  readonly changes: ReportedChanges;
  readonly readTables: ReadTables;
  /** Whether answers are cached at present. */
  isActive(known: Known): boolean;
  /** The number of times that notifications were lost. */
  losses(): number;
  /** An answer is loaded for its reader. */
  missed(known: Known): void;
  /** An answer that was loaded for another reader. */
  shared<A extends object>(asked: Asked<A>, answer: KeptAnswer): Answered<A>;
}

/** How a load ended: its answer may be shared, it was made of what has changed, or it is for its reader alone. */
type Outcome = { readonly state: "shared"; readonly answer: KeptAnswer } | { readonly state: "changed" | "own" };

/** What was loaded and may be combined with what is kept. */
export interface Combinable<V> {
  readonly value: V;
  /** When its load began, of `performance.now()`. */
  readonly since: number;
}

/** What a load read, and whether that may be kept. */
interface Loaded<V> extends Combinable<V> {
  /** Undefined where it read what is not declared, or lacks a part. */
  readonly surrogateKeys: readonly string[] | undefined;
  /** Whether nothing that it depends on has changed until now. */
  isRight(): boolean;
  /** Ends the notes of changes. */
  end(): void;
}

/** Loads that a reader waits for, one after the other, before it loads by itself. */
const MAX_WAITS = 3;

/** The loads of one cache. */
export class AnswerLoads {
  readonly #parts: LoadParts;
  /** Loads under way that readers of the same key wait for. */
  readonly #loads = new Map<string, Promise<Outcome>>();
  readonly #combinable = new Map<string, Promise<Combinable<unknown> | undefined>>();
  readonly #warned = new Set<string>();

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  /** An answer that has no entry: that of a load under way, or of one of its own. */
  async answer<A extends object>(asked: Asked<A>): Promise<Answered<A>> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const present = this.#loads.get(asked.key);
      if (!present) return this.#lead(asked);
      const outcome = await present;
      if (outcome.state === "changed") continue;
      if (outcome.state !== "shared") break;
      if (!this.#parts.notices.allows(outcome.answer.since)) continue;
      return this.#parts.shared(asked, outcome.answer);
    }
    this.#parts.missed(asked.known);
    return asked.load(() => {});
  }

  /** Resolves when a load of a key, if one is under way, is kept or not. */
  async settled(key: string): Promise<void> {
    await this.#loads.get(key);
  }

  /** What is loaded and may be combined with what is kept, for all who ask for the key; undefined where it may not. */
  async combinable<V>(known: Known, key: string, load: () => Promise<V>): Promise<Combinable<V> | undefined> {
    const present = this.#combinable.get(key);
    // All who ask for a key ask for the same.
    if (present) return present as Promise<Combinable<V> | undefined>;
    const loading = this.#loadCombinable(known, load);
    this.#combinable.set(key, loading);
    try {
      return await loading;
    } finally {
      this.#combinable.delete(key);
    }
  }

  async #loadCombinable<V>(known: Known, load: () => Promise<V>): Promise<Combinable<V> | undefined> {
    const { value, since, surrogateKeys, isRight, end } = await this.#loaded({ known, load });
    try {
      const isKept = surrogateKeys && (await this.#parts.notices.haveCome()) && isRight();
      return isKept ? { value, since } : undefined;
    } finally {
      end();
    }
  }

  /** Loads an answer that readers of the same key wait for. What is shared is kept later than its reader gets it. */
  async #lead<A extends object>(asked: Asked<A>): Promise<Answered<A>> {
    const { known, key, form, isStill } = asked;
    this.#parts.missed(known);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#loads.set(key, promise);
    const settle = (outcome: Outcome) => {
      this.#loads.delete(key);
      resolve(outcome);
    };
    let loaded: Loaded<A | undefined> | undefined;
    try {
      loaded = await this.#loaded(asked);
      const { value, since, surrogateKeys, isRight } = loaded;
      if (value === undefined || !surrogateKeys) {
        settle({ state: "own" });
        return value;
      }
      const answer = ANSWER_FORMS[form](value, since);
      if (!answer) {
        settle({ state: "own" });
        return value;
      }
      const keep = (haveCome: boolean) => {
        const isKept = haveCome && isRight() && isStill?.() !== false;
        if (isKept) known.entries.set(key, answer, surrogateKeys);
        settle(isKept ? { state: "shared", answer } : { state: "changed" });
      };
      if (!isStill) keep(true);
      else void this.#parts.notices.haveCome().then(keep).finally(loaded.end);
      if (isStill) loaded = undefined;
      return answer.shared as Answered<A>;
    } catch (error) {
      settle({ state: "own" });
      throw error;
    } finally {
      loaded?.end();
    }
  }

  /** Loads something; all its statements are sent here. */
  async #loaded<V>({
    known,
    id,
    load,
    madeOf = [],
  }: Pick<Asked<object>, "known" | "id" | "madeOf"> & { load(note: NoteRows): Promise<V> }): Promise<Loaded<V>> {
    const { changes: reported, faults, losses, isActive, readTables } = this.#parts;
    const changes = reported.since();
    try {
      const [lost, failed, since] = [losses(), faults.total, performance.now()];
      const { surrogateKeys, note } = notedKeys(known.dependencies, id);
      const texts = new Set<string>();
      const value = await recordingStatements(texts, () => onPrimary(() => load(note)));
      const undeclared = readTables.undeclared(texts, known.tables ?? new Set());
      if (undeclared !== undefined) this.#warnOnce(known.name, undeclared);
      const keys = [...surrogateKeys, ...madeOf.map(({ name }) => name)];
      const isWhole = undeclared === undefined && faults.total === failed && isActive(known);
      return {
        ...{ value, since },
        surrogateKeys: isWhole ? keys : undefined,
        isRight: () => losses() === lost && !changes.concern(keys),
        end: () => changes.end(),
      };
    } catch (error) {
      changes.end();
      throw error;
    }
  }

  #warnOnce(name: string, undeclared: string): void {
    if (this.#warned.has(`${name} ${undeclared}`)) return;
    this.#warned.add(`${name} ${undeclared}`);
    this.#parts.log.warn("Answers are not cached: a statement reads what no plugin declared", {
      answers: name,
      reads: undeclared,
    });
  }
}
