/** Fields that are merged into the rows of a listing: those that other plugins add to answers. */
import type { RawBuilder } from "kysely";

/** Fields of the rows of a listing, by id. */
export interface AddedFields {
  /** SQL for the fields of a row as a JSON object, null for none, over the table: it is selected with the rows. */
  readonly select?: RawBuilder<Record<string, unknown> | null> | undefined;
  /** The same by the ids of rows, where they are not selected. */
  read(ids: readonly number[]): Promise<FieldsOfRows>;
}

/** Fields by the id of their row. */
export type FieldsOfRows = ReadonlyMap<number, Record<string, unknown>>;

/** The rows with their fields; later ones take the place of earlier ones, and of columns. */
export function withFields<Row extends { readonly id: number }>(
  rows: readonly Row[],
  added: readonly FieldsOfRows[],
): Row[] {
  return rows.map((row) => {
    const own = added.flatMap((fields) => fields.get(row.id) ?? []);
    return own.length === 0 ? row : Object.assign({}, row, ...own);
  });
}
