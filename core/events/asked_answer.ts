import type { AnswerEntries } from "./answer_entries.ts";
import type { AnswerForm } from "./answer_forms.ts";
import type { NoteRows, TableDependency } from "./cached_answers.ts";
import type { KeptMark } from "./kept_marks.ts";

/** What a load may read; without tables its answers are not cached. */
export interface Known {
  readonly name: string;
  /** Where its answers are kept. */
  readonly entries: AnswerEntries;
  tables: ReadonlySet<string> | undefined;
  dependencies: readonly TableDependency[];
}

/** An answer to read. */
export interface Asked<A extends object> {
  readonly known: Known;
  readonly key: string;
  readonly form: AnswerForm;
  /** The item whose rows are read, in the columns that are declared. */
  readonly id?: number;
  /** The objects of the cache that it is made of. */
  readonly madeOf?: readonly KeptMark[];
  load(note: NoteRows): Promise<A | undefined>;
  /** The answer is not loaded for this reader. */
  onHit?(): void;
  /**
   * Of what readers share: whether what the key follows from holds still. The answer is kept if it does when all changes that the load may
   * have seen are known, so it goes with nothing that was read before a change which it shows, nor the other way round.
   */
  isStill?(): boolean;
}
