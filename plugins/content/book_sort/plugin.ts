import { activityOf, referenceCheck } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { keepSorted } from "./keep_sorted.ts";
import { migrations } from "./migrations.ts";
import { mountOrder } from "./routes.ts";

/** Sorts the chapters and pages of a book in one request, and keeps books sorted by a rule. */
export default definePlugin({
  name: "book_sort",
  requires: ["access", "pages"],
  grants: { write: ["book_sort_rules", "books", "chapters", "pages"] },
  migrations,
  events: ["book_sort"],
  setup(context) {
    context.contribute(
      "activity",
      activityOf("book_sort", ({ draft: { books = [] }, result }) =>
        [result, ...books.map(({ row }) => row)].map((row) => ({
          ...{ type: "book_sort", item: { kind: "book", id: row.id, row: { ...row } } },
        })),
      ),
    );
    context.contribute(
      "self_check",
      referenceCheck(context.db, {
        name: "book_sort/rules",
        title: "Every rule that keeps a book sorted is of a book",
        references: () => [{ table: "book_sort_rules", column: "book_id", to: "books" }],
        repair: "delete",
      }),
    );
    keepSorted(context);
    mountOrder(context);
  },
});
