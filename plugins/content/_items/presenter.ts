import { type ResponseFields, withResponseFields } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import type { AnyDescribedItem, ItemContext, ItemKind } from "./contract.ts";

/** An item as an answer shows it. */
export type PresentedItem = { readonly id: number } & Readonly<Record<string, unknown>>;

/** How items of a kind are shown. */
export interface ItemPresenter<Row> {
  /** Rows of a listing. */
  listed(records: readonly Record<string, unknown>[], viewer: Viewer): Promise<PresentedItem[]>;
  /** An item after a save, or in full: with its people, and `more` before the fields of other plugins. */
  present(
    row: Row,
    viewer: Viewer,
    moment: "saved" | "read",
    more?: Readonly<Record<string, unknown>>,
  ): Promise<PresentedItem>;
}

/**
 * Makes the presenter of a kind. `fields` are in the order of answers; `cover` is null until the plugin of images fills
 * it, through the contributions to the slot `response_fields`.
 */
export function itemPresenter<Row extends AnyDescribedItem>(
  { contracts: { markup } }: Pick<ItemContext, "contracts">,
  { kind }: Pick<ItemKind, "kind">,
  fields: readonly ((keyof Row & string) | "cover")[],
  contributions: () => readonly ResponseFields[],
): ItemPresenter<Row> {
  const listedFields = fields.includes("cover") ? { cover: null } : {};
  const shownValue = (row: Row, field: (typeof fields)[number]) => {
    if (field === "cover") return null;
    return field === "description_html" ? markup.describeHtml(row.description_html, row.description) : row[field];
  };
  const saved = (row: Row) => Object.fromEntries(fields.map((field) => [field, shownValue(row, field)]));
  return {
    listed: (records, viewer) => {
      const items = records.map((record) => ({ ...(record as PresentedItem), ...listedFields }));
      return withResponseFields(contributions(), kind, "listed", items, viewer);
    },
    async present(row, viewer, moment, more = {}) {
      const base = { ...saved(row), ...(moment === "read" && { ...row.people, ...more }), id: row.id };
      const [item] = await withResponseFields(contributions(), kind, moment, [base], viewer);
      return item as PresentedItem;
    },
  };
}
