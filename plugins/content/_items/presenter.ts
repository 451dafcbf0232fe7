import {
  type FieldsById,
  mergeResponseFields,
  type People,
  type ResponseFields,
  withResponseFields,
} from "lectern/contracts";
import type { Viewer } from "lectern/core";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** An item after a save: fields of its row, and `cover`. */
export type SavedItem<Row, Field extends string> = { readonly id: number } & {
  readonly [F in Field]: F extends keyof Row ? Row[F] : null;
};

/** An item in full: the same with its people. */
export type ReadItem<Row, Field extends string> = Omit<SavedItem<Row, Field>, keyof People> & People;

/** How single items of a kind are shown. */
export interface ItemPresenter<Row, Field extends string> {
  /** An item after a save. */
  saved(row: Row, viewer: Viewer): Promise<SavedItem<Row, Field>>;
  /** An item in full, with `more` before the fields of other plugins, which are read unless they are given. */
  read<More extends object>(row: Row, more: More, fields: Promise<FieldsById>): Promise<ReadItem<Row, Field> & More>;
}

/**
 * Makes the presenter of a kind. `fields` are in the order of answers; `cover` is null until the plugin of images fills
 * it, through the contributions to the slot `response_fields`.
 */
export function itemPresenter<Row extends AnyDescribedItem, Field extends (keyof Row & string) | "cover">(
  { contracts: { markup } }: Pick<ItemContext, "contracts">,
  { kind }: Pick<ItemKind, "kind">,
  fields: readonly Field[],
  contributions: () => readonly ResponseFields[],
): ItemPresenter<Row, Field> {
  const shownValue = (row: Row, field: keyof Row | "cover") => {
    if (field === "cover") return null;
    return field === "description_html" ? markup.describeHtml(row.description_html, row.description) : row[field];
  };
  // The compiler does not follow keys through entries.
  const shown = (row: Row) =>
    Object.fromEntries(fields.map((field) => [field, shownValue(row, field)])) as SavedItem<Row, Field>;
  return {
    async saved(row, viewer) {
      const item = { ...shown(row), id: row.id };
      const [whole = item] = await withResponseFields(contributions(), kind, "saved", [item], viewer);
      return whole;
    },
    // Rows that were read for an answer have people.
    async read(row, more, fields) {
      const item = { ...shown(row), ...(row.people as People), ...more, id: row.id };
      const [whole = item] = mergeResponseFields([item], await fields);
      return whole;
    },
  };
}
