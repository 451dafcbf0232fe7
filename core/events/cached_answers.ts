/**
 * Answers that are cached: what a plugin says of them, and what it gets. It declares what answers are read from, as the cache knows of changes by the
 * rows that change; and who may share an answer, as tables whose visibility rules decide it, so no plugin answers for the sight of a reader
 * by itself. What is made of answers is in `derived_answers.ts`.
 */
import type { RawBuilder } from "kysely";
import type { TableName } from "../../db/mod.ts";
import type { JsonBytes } from "../std/json_bytes.ts";
import type { Viewer } from "../viewer.ts";

/** A table that an answer about an item is read from. */
export interface TableDependency {
  readonly table: TableName;
  /** An integer column: only the rows with the item's id in it are read. Without it, any row may be. */
  readonly column?: string;
  /** The only columns that are read: updates of others forget nothing. */
  readonly only?: readonly string[];
  /**
   * These rows are shown with the item, each one the same to all who see it by the rules of its table, and nothing of it to others. Those with
   * the item's id in `column`, or those that the rows of another table name. Of plugins that ship alone: they have `id` and `owned_by`.
   */
  readonly shown?: true | JoiningRows;
}

/** Rows that join others to items, as those of books on shelves do: their table, with the columns of the item and of the row that is shown with it. */
export interface JoiningRows {
  readonly table: TableName;
  readonly item: string;
  readonly row: string;
}

/** Notes that a load reads the rows with these values in a column, beside those that are declared. */
export type NoteRows = (table: TableName, column: string, values: readonly number[]) => void;

/** A table of which only noted rows are read. */
export type NotedRows = TableDependency & { readonly column: string };

/** Answers about items of one kind. */
export interface AnswerSource<A extends object = object> {
  /** The tables that answers are read from; undefined if they must not be cached. Called once, after the boot. */
  dependsOn(): readonly TableDependency[] | undefined;
  /** Further tables that `load` notes rows of. */
  readonly notes?: readonly NotedRows[];
  /** The tables that `findBy` finds ids in. */
  readonly aliasNotes?: readonly NotedRows[];
  /** The answer, to be sent as JSON; undefined where there is none for the viewer, which is not cached. */
  load(viewer: Viewer, id: number, note: NoteRows): Promise<A | undefined>;
  /** Called for each answer that is not loaded for its reader. */
  onHit?(viewer: Viewer, id: number): void;
  /**
   * Has readers who see the same of an item share its answer; undefined where answers differ by reader, as without it. Called once, after
   * the boot.
   */
  shared?(): SharedAnswers | undefined;
}

/**
 * How readers share the answer about an item: its bytes are kept once for all to whom the same is shown, and for each group of readers which rows
 * they see. Who sees the item, and the rows that are `shown` with it, is decided by the rules of their tables alone, and all else in the
 * answer is the same for everybody. Where a rule of these tables says no `dependsOn`, nothing is shared: by the others, readers of the same
 * roles, permissions and scope see the same rows, but for those that they own.
 */
export interface SharedAnswers {
  /** The table of the item. */
  readonly table: TableName;
  /** SQL over the item's row: whether its answer is the same for all who see the same rows, as without it; else each reader's is kept. */
  readonly isSame?: RawBuilder<boolean>;
}

/** Answers of one source. */
export interface CachedAnswers<A extends object = object> {
  /**
   * The answer about an item, as its JSON; undefined where there is none for the viewer, an object where nothing is cached. A
   * promise unless it is cached. Throws what `load` throws.
   */
  read(viewer: Viewer, id: number): Answered<A> | Promise<Answered<A>>;
  /**
   * The same answer as an object, which is frozen if it is cached; undefined where there is none for the viewer. A promise unless it is
   * cached. Throws what `load` throws.
   */
  find(viewer: Viewer, id: number): A | undefined | Promise<A | undefined>;
  /**
   * The same of the item with an alias, such as a slug; undefined where nothing is cached or known of the alias, so that the item is
   * to be found without the cache. `idOf` finds its id and notes the rows that this follows from, in the tables of `aliasNotes`: while
   * these rows do not change, the alias is of this item. Who sees the item is decided by `load`. Throws what `load` and `idOf` throw.
   */
  findBy(
    viewer: Viewer,
    alias: string,
    idOf: (note: NoteRows) => Promise<number | undefined>,
  ): A | undefined | Promise<A | undefined>;
}

/** An answer as its JSON, or as the object where nothing is cached; undefined where there is none for the viewer. */
export type Answered<A extends object> = JsonBytes | A | undefined;

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
  /**
   * Milliseconds since the last moment of which all notifications of other processes are known to have come; undefined while no
   * cached value is used. From a second on the store is asked instead.
   */
  readonly noticeAgeMs: number | undefined;
}
