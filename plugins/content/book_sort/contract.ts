/**
 * What sorting a book is declared by: the bodies of an order, of a move of one entry and of a rule, the answer about the rule, the table of
 * the rules that are kept, and the event. Entries of a body are judged in `entries.ts`, and what a viewer may move in `changes.ts`; the order of
 * plugins' own kinds in a book is theirs.
 */
import { nullable, type PluginContext, rules, type Static, t } from "lectern/core";

/** How books are kept sorted. */
export interface BookSortRulesTable {
  book_id: number;
  /** One of `SORT_RULES`. */
  rule: string;
}

/** The rules that sort a book; "-" is descending. Pages are sorted within their chapter. */
export const SORT_RULES = ["name", "-name", "created", "-created", "-updated"] as const;

/** How a book is sorted. */
export type SortRule = (typeof SORT_RULES)[number];

/** What ends the rule of a book. */
const NO_RULE = "none";

/** The body that sets a rule. */
export const ruleRules = rules({
  rule: ["required", "string", `in:${[...SORT_RULES, NO_RULE].join(",")}`],
  keep: ["boolean"],
});

/** The rule by which a book is kept sorted; null for none. */
export const sortRuleSchema = t.Object(
  {
    rule: nullable(
      t.Union([
        t.Literal("name"),
        t.Literal("-name"),
        t.Literal("created"),
        t.Literal("-created"),
        t.Literal("-updated"),
      ]),
    ),
  },
  { $id: "BookSortRule" },
);

/** The body: entries of the book in their new order, and the same of further books, validated one by one by `ordersIn`. */
export const orderRules = rules({ items: ["required", "array"], seen: ["array"], books: ["array"] });

const id = { type: "integer", minimum: 1, maximum: 2 ** 31 - 1 };

const entry = {
  type: "object",
  required: ["type", "id"],
  anyOf: [
    { properties: { type: { const: "page" }, id }, not: { required: ["pages"] } },
    { properties: { type: { const: "chapter" }, id, pages: { type: "array", items: id } } },
  ],
};
const entries = { type: "array", items: entry };

/** The entries in the documentation. */
export const orderFields = {
  items: { items: entry },
  seen: { items: entry },
  books: {
    items: { type: "object", required: ["id", "items"], properties: { id, items: entries, seen: entries } },
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

/** What a request says about the contents of one book. */
export interface BookOrder {
  readonly row: SortedBook;
  /** Its entries in their new order, those too that come from other books of the request. */
  readonly items: readonly Entry[];
  /** The same entries, or a part of the book, as the client saw them; absent where it does not say. */
  readonly seen?: readonly Entry[];
}

/** What the files of this plugin share. */
export type BookSortContext = Pick<
  PluginContext<"access" | "pages", "book_sort_rules" | "books" | "chapters" | "pages">,
  "app" | "contracts" | "db" | "perform" | "validate" | "visible"
>;

/** A rule that sorts the whole book: from now on with `keep`, else once, after which none is kept. Null ends what is kept. */
export interface RuleChange {
  readonly rule: SortRule | null;
  readonly keep: boolean;
}

declare module "lectern/contracts" {
  interface Answers {
    [rule: `/api/books/${number}/order/rule`]: Static<typeof sortRuleSchema>;
    [ruleUpdate: `PUT /api/books/${number}/order/rule`]: Static<typeof sortRuleSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    book_sort_rules: BookSortRulesTable;
  }
}

declare module "lectern/core" {
  interface Jobs {
    /** Sorts a book by the rule that is kept for it. */
    book_sort_keep: { readonly bookId: number };
  }
  interface Events {
    /**
     * With `move` one entry is moved, with `change` the book is sorted by a rule or is no longer, and `items` is empty. `books` are further
     * ones that are sorted with it. `page_move` is performed within for pages that change their chapter or book, or leave or enter a chapter,
     * and `chapter_move` for chapters that change their book.
     */
    book_sort: {
      draft: BookOrder & { readonly books?: readonly BookOrder[]; move?: EntryMove; change?: RuleChange };
      result: SortedBook;
    };
  }
}
