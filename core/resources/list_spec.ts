/** What a listing is of: its table, fields and columns, and what is known of the rows that viewers see. */
import type { RawBuilder } from "kysely";
import type { Viewer } from "../viewer.ts";
import type { AddedFields } from "./added_fields.ts";
import type { FieldsOfTable } from "./listing_fields.ts";

/** Number and ids of the rows of a table that viewers see, and which lists these have. */
export interface VisibleRows {
  /** SQL for the exact number of rows a viewer sees, cheaper than counting. */
  total(viewer: Viewer): RawBuilder<number>;
  /** SQL for the approximate number of all rows. */
  readonly all: RawBuilder<number>;
  /** SQL for the ids of all rows a viewer sees, where sorting these is cheaper than skipping all others; else undefined. */
  ids(viewer: Viewer): RawBuilder<unknown> | undefined;
  /**
   * A condition over a column of access lists, for what is counted by list: a viewer sees every row with this list that is neither
   * deleted nor visible to its owner alone. True for a viewer to whom this is so whatever the list.
   */
  ofLists(viewer: Viewer, column: RawBuilder<number>): RawBuilder<boolean>;
  /**
   * A condition over the table that holds for all rows that a viewer sees beside those of `ofLists` and for none of these: some
   * of the viewer's own. Undefined where there are none. It does not check visibility.
   */
  besideLists(viewer: Viewer): RawBuilder<boolean> | undefined;
}

/** A listing of one table. */
export interface ListSpec extends FieldsOfTable {
  /** The columns of a row, such as sql`books.id, books.name`. */
  readonly columns: RawBuilder<unknown>;
  /** Joins for `columns`, such as sql`join books on …`. */
  readonly joins?: RawBuilder<unknown>;
  /** Joins for the columns of fields. */
  readonly fieldJoins?: RawBuilder<unknown>;
  /** A condition in addition to visibility. */
  readonly where?: RawBuilder<boolean>;
  /** SQL of rows with an `id` that replace the table under its name, such as groups of rows. It has to check visibility itself. */
  readonly source?: RawBuilder<unknown>;
  /** How many rows viewers see, where that is known without counting. */
  readonly visibleRows?: VisibleRows;
  /** Fields that are merged into rows, as those of other plugins; rows need the column `id` for it. */
  readonly added?: (viewer: Viewer) => readonly AddedFields[];
}

/** The envelope of every listing. */
export interface Listing<Row> {
  readonly data: Row[];
  /** The number of all rows that match. */
  readonly total: number;
}
