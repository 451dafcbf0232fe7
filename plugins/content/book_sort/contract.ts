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

/** The body of a move of one entry. */
export const moveRules = rules({
  type: ["required", "string", "in:chapter,page"],
  id: ["required", "integer", "min:1"],
  place: ["required", "string", "in:before,after,inside"],
  target_type: ["required", "string", "in:chapter,page"],
  target_id: ["required", "integer", "min:1"],
  within: ["nullable", "integer", "min:1"],
});

/** A move of one chapter or page to a place beside another, or to the end of a chapter. */
export interface EntryMove {
  readonly moved: Pick<Entry, "type" | "id">;
  readonly place: "before" | "after" | "inside";
  readonly target: Pick<Entry, "type" | "id">;
  /** The chapter in which the target was seen, null for none; the move is refused where it is elsewhere. Undefined: wherever it is. */
  readonly within: number | null | undefined;
}

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
    /** With `move` one entry is moved, and `items` is empty. `page_move` is performed within for pages that change their chapter, or leave or enter one. */
    book_sort: { draft: { row: SortedBook; items: readonly Entry[]; move?: EntryMove }; result: SortedBook };
  }
}
