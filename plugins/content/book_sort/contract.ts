import { type PluginContext, rules } from "lectern/core";

/** The body: entries of the book in their new order, validated one by one by `entriesIn`. */
export const orderRules = rules({ items: ["required", "array"] });

const id = { type: "integer", minimum: 1, maximum: 2 ** 31 - 1 };

/** The entries in the documentation. */
export const orderFields = {
  items: {
    items: {
      type: "object",
      required: ["type", "id"],
      anyOf: [
        { properties: { type: { const: "page" }, id }, not: { required: ["pages"] } },
        { properties: { type: { const: "chapter" }, id, pages: { type: "array", items: id } } },
      ],
    },
  },
};

/** A chapter, or a page directly in its book, in the new order. */
export interface Entry {
  readonly type: "chapter" | "page";
  readonly id: number;
  /** The pages of the chapter, in order; absent where they stay as they are. */
  readonly pages?: readonly number[];
}

/** A book as the event carries it. */
export interface SortedBook {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** What the files of this plugin share. */
export type BookSortContext = Pick<
  PluginContext<"access" | "pages", "books" | "chapters" | "pages">,
  "app" | "contracts" | "db" | "perform" | "validate" | "visible"
>;

declare module "lectern/core" {
  interface Events {
    /** `page_move` is performed within for pages that change their chapter, or leave or enter one. */
    book_sort: { draft: { row: SortedBook; items: readonly Entry[] }; result: SortedBook };
  }
}
