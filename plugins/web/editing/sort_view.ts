/**
 * Draws the screen that sorts a book, or several that are shown together. Each book has fields of its own for its order, as loaded and as
 * wanted; a book that is alone has them under the names that were there before.
 */
import { bookPath, type Ui, type Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import { type Cut, PART_SIZE, partOf } from "../_contents/parts.ts";
import { arranged, type Entry, orderText, STEPS } from "./order.ts";
import { MOST_BESIDE, type StepAcross } from "./order_books.ts";
import { orderButtons, orderTexts } from "./order_buttons.ts";
import type { FoundBook, ShownBook } from "./sort_books.ts";
import { keptText, type SortKey, sortByForm } from "./sort_by.ts";
import { type Named, partField, plain, type Sorted, sortPath, sortQuery } from "./sort_entries.ts";

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
  /** The book and those that are shown with it; none where it is alone. */
  readonly books: readonly ShownBook[];
  /** Books that can be shown too, as they were searched for; undefined where nobody searched. */
  readonly found: readonly FoundBook[] | undefined;
  /** The words of the search. */
  readonly query: string;
}

/** Draws the screen. */
export function drawSort(web: Pick<Web, "parts">, data: SortData, ui: Ui): Html {
  const { book, kept, error, books } = data;
  const action = ui.url(`${bookPath(book)}/sort`);
  const alone = books.length === 0;
  const help = html`${ui.t("Drag entries by their handles or use the buttons. Alt with an arrow key moves the focused entry.")}${!alone && html` ${ui.t("Alt with Page Down moves it to the next book.")}`}`;
  const part = partOf(plain(book), data.page);
  return html`<h1>${ui.t("Sort “:name”", { name: book.name })}</h1>
${alone && sortByForm(`${bookPath(book)}/sort`, kept, ui)}
<form method="post" action="${action}" class="order" data-order data-leaves${alone && goesOn(part.cut)}${orderTexts(ui)}>
${error !== undefined && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${error}</p>`}
<p class="quiet needs-script" id="order-help">${help}</p>
${alone ? drawList(data, part, ui) : drawBooks(web, books, ui)}
<p class="unseen" role="status" data-order-says></p>
<div class="ends"><button class="needs-script">${ui.t("Save")}</button> <a role="button" class="secondary outline" href="${ui.url(bookPath(book))}">${ui.t("Back")}</a></div>
</form>${alone && web.parts.pager(ui, { path: `${bookPath(book)}/sort`, query: {}, total: part.total, page: part.page, size: PART_SIZE })}
${drawSearch(web, data, ui)}`;
}

function drawList(
  { kept, wished }: SortData,
  { entries: present, page, cut }: ReturnType<typeof partOf<Named>>,
  ui: Ui,
): Html {
  const entries = wished ? arranged(present, wished) : present;
  const isPart = cut.before || cut.after;
  return html`<input type="hidden" name="loaded" value="${orderText(present)}"><input type="hidden" name="order" value="${orderText(entries)}" data-order-value>${isPart && html`<input type="hidden" name="page" value="${page}">`}
${entries.length === 0 ? html`<p class="empty">${ui.t("This book is empty.")}</p>` : html`<ol class="order-list" data-order-list>${entries.map((entry) => item(entry, { kept }, ui))}</ol>`}`;
}

function drawBooks({ parts }: Pick<Web, "parts">, books: readonly ShownBook[], ui: Ui): Html {
  const query = sortQuery(books);
  return html`<input type="hidden" name="with" value="${query.with}">
<div class="order-books">${books.map((shown, at) => {
    const { book, kept, present, entries, cut, page, total } = shown;
    const next = books[(at + 1) % books.length]?.book.name ?? "";
    const without = sortPath(books.filter((each) => each !== shown));
    const hide = ui.t("Hide “:name”", { name: book.name });
    const field = partField(shown, at);
    return html`<section class="order-book" data-order-part data-name="${book.name}" data-over="${ui.t("Move “:name” to “:book”", { name: ":name", book: next })}" aria-labelledby="order-book-${book.id}"${goesOn(cut)}>
<div class="order-head"><h2 id="order-book-${book.id}">${ui.icon("book")} ${book.name}</h2>${at > 0 && html`<a role="button" class="small secondary outline" href="${ui.url(without)}" aria-label="${hide}" title="${hide}">${ui.icon("minus")}</a>`}</div>
${kept !== null && html`<p class="quiet">${ui.icon("lock")} ${keptText(kept, ui)}</p>`}
<input type="hidden" name="${field}" value="${page}"><input type="hidden" name="loaded-${book.id}" value="${orderText(present)}"><input type="hidden" name="order-${book.id}" value="${orderText(entries)}" data-order-value>
<ol class="order-list" data-order-list data-empty="${ui.t("This book is empty.")}" aria-labelledby="order-book-${book.id}">${entries.map((entry) => item(entry, { kept, next }, ui))}</ol>
${parts.pager(ui, { path: `${bookPath(books[0]?.book ?? book)}/sort`, query, field, total, page, size: PART_SIZE })}</section>`;
  })}</div>`;
}

/** The search for another book to show. */
function drawSearch({ parts }: Pick<Web, "parts">, { book, page, books, found, query }: SortData, ui: Ui): Html {
  if (books.length > MOST_BESIDE) return html``;
  const shown = books.length > 0 ? books : [{ book, page }];
  const { t } = ui;
  return html`<section class="order-more" aria-labelledby="order-more"><h2 id="order-more">${t("Show other books")}</h2>
<form class="filters" method="get" action="${ui.url(`${bookPath(book)}/sort`)}#order-more">${Object.entries(
    sortQuery(shown),
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${parts.field(ui, { name: "q", label: t("Name of a book"), value: query })}<button class="secondary">${t("Find")}</button></form>
${found && (found.length === 0 ? html`<p class="empty">${t("No matching book.")}</p>` : html`<ul class="order-offered">${found.map((each) => html`<li>${ui.icon("book")} <a href="${ui.url(sortPath([...shown, { book: { id: each.id, slug: "" }, page: 1 }]))}">${each.name}</a></li>`)}</ul>`)}</section>`;
}

/** Says to scripts where a list goes on in other parts: a step beyond its end there is sent to the server. */
function goesOn({ before, after }: Cut): Html {
  return html`${before && html` data-order-before`}${after && html` data-order-after`}`;
}

interface Around {
  /** The rule by which the book is kept sorted, and where there are several books the name of the next one. */
  readonly kept: SortKey | null;
  readonly next?: string;
}

/** The steps that an entry can take: within its list none where a rule decides. */
function stepsOf(type: string, { kept, next }: Around): readonly StepAcross[] {
  const within = STEPS.filter((step) => (step === "up" || step === "down" ? kept === null : type === "page"));
  return next === undefined ? within : [...within, "over"];
}

function item(entry: Named, around: Around, ui: Ui): Html {
  const { type, id, name, pages, cut } = entry;
  const word = `${type}:${id}`;
  const buttons = { field: "move", word, name, steps: stepsOf(type, around), next: around.next };
  return html`<li id="order-${type}-${id}" data-order-item="${word}" data-kind="${type}"${cut && goesOn(cut)}><div class="order-row"><span class="order-handle needs-script" data-order-handle aria-hidden="true">${ui.icon("drag")}</span>
${ui.icon(type)} <span class="order-name">${name}</span>${orderButtons(buttons, ui)}</div>${
    pages &&
    html`<ol class="order-list" data-order-list aria-label="${ui.t("Pages of “:name”", { name })}">${pages.map((page) => item(page, around, ui))}</ol>`
  }</li>`;
}
