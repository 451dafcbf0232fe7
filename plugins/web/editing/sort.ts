/**
 * The screen that sorts a book's chapters and pages. Without scripts, each button saves one step; with scripts, entries are moved or
 * dragged on the screen and saved together. A long book is sorted in parts; a step beyond the end of a part is saved with what was moved before.
 */
import {
  bookPath,
  type Item,
  type OutlineEntry,
  outlineEntries,
  type Screen,
  type Ui,
  type Visit,
  type Web,
} from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import { type Cut, PART_SIZE, partOf, partWith } from "../_contents/parts.ts";
import type { EditingContext } from "./contract.ts";
import {
  arranged,
  type Entry,
  mergeOrder,
  mergePart,
  moveEntry,
  orderIn,
  orderText,
  STEPS,
  type Step,
} from "./order.ts";
import { orderButtons, orderTexts } from "./order_buttons.ts";
import { keptText, type SortKey, sortByForm } from "./sort_by.ts";

type Sorted = Item<"book_outline">;

interface Named extends Entry {
  readonly name: string;
  readonly pages?: readonly Named[];
  readonly cut?: Cut;
}

interface Rejection {
  readonly status: number;
  readonly message: string;
}

/** Data of the screen. */
export interface SortData {
  readonly book: Sorted;
  /** The rule by which the book is kept sorted; null for none. */
  readonly kept: SortKey | null;
  readonly error: string | undefined;
  /** The rejected order, so that it does not have to be sorted again. */
  readonly wished: readonly Entry[] | undefined;
  /** The number of the part of the book that is shown, from 1. */
  readonly page: number;
}

/** Mounts the screen. */
export function mountSort({ app, web, scripts }: EditingContext): void {
  const view = web.view("editing/sort", (data, ui) => drawSort(web, data, ui));
  const shown = async (
    visit: Visit,
    { book, page, rejection, wished }: { book: Sorted; page: number; rejection?: Rejection; wished?: readonly Entry[] },
  ): Promise<Screen> => ({
    title: visit.ui.t("Sort “:name”", { name: book.name }),
    crumbs: [
      { text: visit.ui.t("Books"), path: "/books" },
      { text: book.name, path: bookPath(book) },
      { text: visit.ui.t("Sort") },
    ],
    body: view({ book, kept: await ruleOf(visit, book), error: rejection?.message, wished, page }, visit.ui),
    status: rejection?.status ?? 200,
    menu: "/books",
    scripts: [scripts.order],
  });
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

/** The API rejects an order that names entries which were removed from the book in the meantime. */
function rejectionOf({ status, message }: Rejection, ui: Ui): Rejection {
  if (status !== 422) return { status, message };
  return { status, message: ui.t("Someone else just changed this book. Nothing was saved. Sort it again.") };
}

function stepIn(visit: Visit): { step: Step; entry: Entry } | undefined {
  const [, requested, word = ""] = /^(\w+) (.*)$/.exec(visit.text("move")) ?? [];
  const step = STEPS.find((known) => known === requested);
  const [entry] = orderIn(word);
  return step && entry ? { step, entry } : undefined;
}

/** The chapters and pages without drafts, which always come first. Entries of other plugins have an order of their own. */
function plain(book: Sorted): Named[] {
  const isPlain = ({ draft, type }: OutlineEntry) => !draft && (type === "chapter" || type === "page");
  const named = ({ type, id, name }: OutlineEntry): Named => ({ type, id, name });
  return outlineEntries(book)
    .filter(isPlain)
    .map((entry) => ({ ...named(entry), ...(entry.pages && { pages: entry.pages.filter(isPlain).map(named) }) }));
}

function itemsOf(entries: readonly Entry[]): readonly InputObject[] {
  return entries.map(({ type, id, pages }) => ({ type, id, ...(pages && { pages: pages.map((page) => page.id) }) }));
}

function drawSort({ parts }: Pick<Web, "parts">, { book, kept, error, wished, page: wanted }: SortData, ui: Ui): Html {
  const { entries: present, page, total, cut } = partOf(plain(book), wanted);
  const entries = wished ? arranged(present, wished) : present;
  const path = bookPath(book);
  const isPart = cut.before || cut.after;
  return html`<h1>${ui.t("Sort “:name”", { name: book.name })}</h1>
${sortByForm(`${path}/sort`, kept, ui)}
<form method="post" action="${ui.url(`${path}/sort`)}" class="order" data-order data-leaves${goesOn(cut)}${orderTexts(ui)}>
${error !== undefined && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${error}</p>`}
<p class="quiet needs-script" id="order-help">${ui.t("Drag entries by their handles or use the buttons. Alt with an arrow key moves the focused entry.")}</p>
<input type="hidden" name="loaded" value="${orderText(present)}"><input type="hidden" name="order" value="${orderText(entries)}" data-order-value>${isPart && html`<input type="hidden" name="page" value="${page}">`}
${entries.length === 0 ? html`<p class="empty">${ui.t("This book is empty.")}</p>` : html`<ol class="order-list" data-order-list>${entries.map((entry) => item(entry, kept, ui))}</ol>`}
<p class="unseen" role="status" data-order-says></p>
<div class="ends"><button class="needs-script">${ui.t("Save")}</button> <a role="button" class="secondary outline" href="${ui.url(path)}">${ui.t("Back")}</a></div>
</form>${parts.pager(ui, { path: `${path}/sort`, query: {}, total, page, size: PART_SIZE })}`;
}

/** The steps that an entry can take: within its list none where a rule decides. */
function stepsOf(type: string, kept: SortKey | null): readonly Step[] {
  return STEPS.filter((step) => (step === "up" || step === "down" ? kept === null : type === "page"));
}

/** Says to scripts where a list goes on in other parts: a step beyond its end there is sent to the server. */
function goesOn({ before, after }: Cut): Html {
  return html`${before && html` data-order-before`}${after && html` data-order-after`}`;
}

function item(entry: Named, kept: SortKey | null, ui: Ui): Html {
  const { type, id, name, pages, cut } = entry;
  const word = `${type}:${id}`;
  return html`<li id="order-${type}-${id}" data-order-item="${word}" data-kind="${type}"${cut && goesOn(cut)}><div class="order-row"><span class="order-handle needs-script" data-order-handle aria-hidden="true">${ui.icon("drag")}</span>
${ui.icon(type)} <span class="order-name">${name}</span>${orderButtons({ field: "move", word, name, steps: stepsOf(type, kept) }, ui)}</div>${
    pages &&
    html`<ol class="order-list" data-order-list aria-label="${ui.t("Pages of “:name”", { name })}">${pages.map((page) => item(page, kept, ui))}</ol>`
  }</li>`;
}
