/**
 * Values that are made of cached answers, such as drawn screens. They are entries of the answer cache, and as such bounded, forgotten and
 * loaded once for many readers as answers are. Their keys name the objects that they were made of: the cache gives the same object to
 * readers until its answer is forgotten, so whoever has been given it now may get what was made of it, and nobody else.
 */
import type { Viewer } from "../viewer.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { NoteRows, TableDependency } from "./cached_answers.ts";
import { keptMark } from "./kept_marks.ts";
import type { AnswerReads } from "./shared_answers.ts";
import { groupOf, sightOf } from "./sight.ts";

/** A value that is made of answers. */
export interface DerivedValue {
  /** Approximate bytes of memory; undefined for a value that must not be kept. */
  readonly bytes: number | undefined;
}

/** What values are made of beside answers. */
export interface DerivedSource {
  /** The tables that are read; of one with a column, those rows that a maker notes. Called once, after the boot. */
  dependsOn(): readonly TableDependency[];
}

/** Which value to read. */
export interface AskedValue {
  /** The objects that `find` or `findBy` of cached answers gave this reader now. With any other object, the value is not kept. */
  readonly answers: readonly object[];
  /** What the value follows from beside them and the reader. */
  readonly key: string;
  /** Whether it is kept for this reader alone; otherwise for all with the same roles, permissions and scope. */
  readonly isPersonal: boolean;
}

/** Values of one source. */
export interface DerivedAnswers<V extends DerivedValue> {
  /** The value; a promise unless it is kept. `make` sends all statements itself. Throws what it throws. */
  read(viewer: Viewer, asked: AskedValue, make: (note: NoteRows) => Promise<V>): V | Promise<V>;
}

/** Values that are read by `reads`. */
export function derivedAnswers<V extends DerivedValue>(
  known: Known,
  reads: Pick<AnswerReads, "answer">,
): DerivedAnswers<V> {
  return {
    read(viewer, { answers, key, isPersonal }, make) {
      const marks = answers.map(keptMark);
      if (!marks.every((mark) => mark !== undefined)) return make(() => {});
      const reader = isPersonal ? sightOf(viewer) : groupOf(viewer);
      const asked: Asked<V> = {
        known,
        key: `${known.name} ${marks.map(({ name }) => name).join()} ${reader} ${key}`,
        form: "derived",
        madeOf: marks,
        isStill: () => marks.every(({ entries }) => entries > 0),
        load: make,
      };
      // What is kept under a key of a source is of its type, and `make` always answers.
      return reads.answer(asked) as V | Promise<V>;
    },
  };
}
