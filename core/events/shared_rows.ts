/** The rows that an answer shows, and who sees them: what is shared between readers follows from that. */
import type { TableName } from "../../db/mod.ts";
import type { Viewer } from "../viewer.ts";
import type { JoiningRows, SharedAnswers, TableDependency } from "./cached_answers.ts";

/** Rows that are shown with an item. */
export interface ShownRows {
  readonly table: TableName;
  /** The column of the item's id, or the rows that name them. */
  readonly by: string | JoiningRows;
}

/** Rows of a table that the same readers see: they are alike in what its rules read of them, and have the same owner. */
export interface AlikeRows {
  readonly table: TableName;
  readonly owned_by: number | null;
  readonly like: string;
  /** One of them. */
  readonly id: number;
}

/** What decides who shares the answer about an item, whoever asks. */
export interface SharedFacts {
  /** Whether its answer is the same for all who see the same rows. */
  readonly isSame: boolean;
  /** The rows that it shows; the item is the first. Always in the same order while they are the same. */
  readonly rows: readonly AlikeRows[];
}

/** Whether a viewer sees rows of a table that are alike, whether they own them or not. */
export interface Sight {
  readonly like: string;
  readonly isOwn: boolean;
  readonly isSeen: boolean;
}

/** How the rules of tables are asked. */
export interface SharedRows {
  /**
   * The further tables that decide who sees rows of a table, where viewers of the same roles, permissions and scope see the same but for those that they
   * own; undefined where they may see others.
   */
  rightsTo(table: TableName): readonly TableDependency[] | undefined;
  /** Whether a rule of a plugin that does not ship hides rows of a table. */
  isNarrowed(table: TableName): boolean;
  /** The facts of an item; undefined where it does not exist. One statement. */
  facts(answers: SharedAnswers, shown: readonly ShownRows[], id: number): Promise<SharedFacts | undefined>;
  /** Which of these rows a viewer sees, with what that follows from at this moment; nothing of those that do not exist. One statement. */
  sights(viewer: Viewer, table: TableName, ids: readonly number[]): Promise<readonly Sight[]>;
}
