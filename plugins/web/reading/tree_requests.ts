/** Parts of a book's tree, which scripts put into it where a chapter is unfolded or a list goes on. */
import { outlineEntries } from "lectern/contracts";
import { htmlResponse, notFound } from "lectern/core";
import type { ReadingContext } from "./contract.ts";
import { Tree } from "./tree.ts";

/** Mounts the route: pages of the chapter with the id `chapter`, or entries of the book itself, `before` an index or `from` it on. */
export function mountTree({ app, slot, web }: ReadingContext): void {
  web.screen(app.site, "/books/:book/tree", "reader", async (visit) => {
    const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
    const { chapter: id, before, from } = visit.query;
    const chapter = outlineEntries(book).find((entry) => entry.type === "chapter" && String(entry.id) === id);
    if (id !== undefined && !chapter) throw notFound("Chapter");
    const tree = new Tree({ slot }, book, visit.ui);
    return htmlResponse(tree.more(chapter, { before: indexIn(before), from: indexIn(from) }));
  });
}

/** An index of a list; undefined for anything else. */
function indexIn(text: unknown): number | undefined {
  return typeof text === "string" && /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}
