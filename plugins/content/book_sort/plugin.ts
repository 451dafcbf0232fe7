import { activityOf } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { mountOrder } from "./routes.ts";

/** Sorts the chapters and pages of a book in one request. */
export default definePlugin({
  name: "book_sort",
  requires: ["access", "pages"],
  grants: { write: ["books", "chapters", "pages"] },
  events: ["book_sort"],
  setup(context) {
    context.contribute(
      "activity",
      activityOf("book_sort", ({ result }) => [
        { type: "book_sort", item: { kind: "book", id: result.id, row: { ...result } } },
      ]),
    );
    mountOrder(context);
  },
});
