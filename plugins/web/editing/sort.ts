/**
 * The screen that sorts a book's chapters and pages. Without scripts, each button saves one step; with scripts, entries are moved or
 * dragged on the screen and saved together. A long book is sorted in parts; a step beyond the end of a part is saved with what was moved before.
 * Several books that are shown together are in `sort_books.ts`.
 */
import { bookPath, type Screen, type Visit } from "lectern/contracts";
import { partWith } from "../_contents/parts.ts";
import type { EditingContext } from "./contract.ts";
import { type Entry, mergeOrder, mergePart, moveEntry, orderIn, STEPS, type Step } from "./order.ts";
import { itemsOf } from "./order_books.ts";
import { booksOf, foundBooks, saveBooks, shownBooks } from "./sort_books.ts";
import { keptText, type SortKey } from "./sort_by.ts";
import { plain, type Rejection, rejectionOf, type Sorted } from "./sort_entries.ts";
import { drawSort } from "./sort_view.ts";

/** Mounts the screen. */
export function mountSort({ app, web, scripts }: EditingContext): void {
  const view = web.view("editing/sort", (data, ui) => drawSort(web, data, ui));
  const shown = async (
    visit: Visit,
    { book, page, rejection, wished }: { book: Sorted; page: number; rejection?: Rejection; wished?: readonly Entry[] },
  ): Promise<Screen> => {
    const { ui } = visit;
    const books = await booksOf(web, visit, book);
    const data = {
      ...{ book, kept: await ruleOf(visit, book), error: rejection?.message, wished, page },
      books: books.length > 1 ? await shownBooks(visit, books, rejection !== undefined) : [],
      found: await foundBooks(
        visit,
        books.map((each) => each.book.id),
      ),
      query: typeof visit.query.q === "string" ? visit.query.q : "",
    };
    return {
      title: ui.t("Sort “:name”", { name: book.name }),
      crumbs: [
        { text: ui.t("Books"), path: "/books" },
        { text: book.name, path: bookPath(book) },
        { text: ui.t("Sort") },
      ],
      body: view(data, ui),
      status: rejection?.status ?? 200,
      menu: "/books",
      scripts: [scripts.order],
    };
  };
  const sorted = (visit: Visit) => visit.item("book_outline", { slug: visit.params.book ?? "" });
  const put = (visit: Visit, book: Sorted, entries: readonly Entry[]) =>
    visit.send("PUT", `/api/books/${book.id}/order`, { items: itemsOf(entries) });

  web.screen(app.site, "/books/:book/sort", "user", async (visit) =>
    shown(visit, { book: await sorted(visit), page: web.paged(visit.query).page }),
  );
  web.form(app.site, "/books/:book/sort", "user", async (visit) => {
    const book = await sorted(visit);
    const path = bookPath(book);
    const isEnd = visit.text("act") === "end";
    if (isEnd || visit.text("by") !== "") {
      const change = isEnd ? { rule: "none" } : { rule: visit.text("by"), keep: visit.text("keep") === "true" };
      const sent = await visit.send("PUT", `/api/books/${book.id}/order/rule`, change);
      const said = isEnd ? visit.ui.t("The book is no longer kept sorted.") : visit.ui.t("The order is saved.");
      if (sent.ok) return visit.goTo(`${path}/sort`, said);
      return shown(visit, { book: await sorted(visit), page: 1, rejection: rejectionOf(sent, visit.ui) });
    }
    const books = await booksOf(web, visit, book);
    if (books.length > 1)
      return saveBooks(visit, books, async (rejection) =>
        shown(visit, { book: await sorted(visit), page: 1, rejection }),
      );
    const present = plain(book);
    const { page } = web.paged({ page: visit.text("page") });
    const isPart = visit.text("page") !== "";
    const screen = isPart ? `${path}/sort?page=${page}` : `${path}/sort`;
    const merge = isPart ? mergePart : mergeOrder;
    const [loaded, order] = [visit.text("loaded"), visit.text("order")];
    const step = stepIn(visit);
    if (step) {
      const base = isPart && order !== loaded ? merge(present, orderIn(loaded), orderIn(order)).entries : present;
      const moved = moveEntry(base, step.step, step.entry);
      const sent = await put(visit, book, moved);
      if (!sent.ok) return shown(visit, { book: await sorted(visit), page, rejection: rejectionOf(sent, visit.ui) });
      const { type, id } = step.entry;
      const part = partWith(moved, (entry) => entry.type === type && entry.id === id);
      const place = isPart ? `${path}/sort?page=${part}` : screen;
      return visit.goTo(`${place}#order-${type}-${id}`, await savedText(visit, book));
    }
    const { entries, isStale } = merge(present, orderIn(loaded), orderIn(order));
    const sent = entries.length === 0 ? { ok: true as const } : await put(visit, book, entries);
    if (!sent.ok) {
      const rejection = rejectionOf(sent, visit.ui);
      const wished = sent.status === 422 ? {} : { wished: orderIn(order) };
      return shown(visit, { book: await sorted(visit), page, rejection, ...wished });
    }
    return isStale
      ? visit.goTo(
          screen,
          visit.ui.t("The order is saved. Someone else changed this book in the meantime: check the result."),
        )
      : visit.goTo(isPart ? screen : path, await savedText(visit, book));
  });
}

/** What is said of a saved order, which is that of the rule where the book is kept sorted. */
async function savedText(visit: Visit, book: Sorted): Promise<string> {
  const kept = await ruleOf(visit, book);
  return kept === null ? visit.ui.t("The order is saved.") : keptText(kept, visit.ui);
}

/** The rule by which a book is kept sorted. */
async function ruleOf(visit: Visit, { id }: Sorted): Promise<SortKey | null> {
  return (await visit.get(`/api/books/${id}/order/rule`)).rule;
}

function stepIn(visit: Visit): { step: Step; entry: Entry } | undefined {
  const [, requested, word = ""] = /^(\w+) (.*)$/.exec(visit.text("move")) ?? [];
  const step = STEPS.find((known) => known === requested);
  const [entry] = orderIn(word);
  return step && entry ? { step, entry } : undefined;
}
