/**
 * The books of a shelf in its form: those on it in their order, and a searchable list of others. Each button submits the whole form,
 * which is shown again with the change and without saving; scripts make the change on the screen.
 */
import type { Visit, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import { moveEntry, orderIn, orderText, STEPS } from "./order.ts";
import { orderButtons, orderTexts } from "./order_buttons.ts";

/** Other books on a page of their list. */
const OFFERED = 20;

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Whether a button of the books was pressed, so that nothing is saved. */
export function isBooksAction(visit: Visit): boolean {
  return visit.text("books_act") !== "";
}

/** Draws the books of the shelf: those of the submitted form, else the stored ones. */
export async function shelfBooks({ parts }: Web, visit: Visit, held: readonly Named[]): Promise<Html> {
  const { ui } = visit;
  const [act = "", asked = ""] = visit.text("books_act").split(" ");
  const books = await named(visit, changed(idsIn(visit) ?? held.map(({ id }) => id), act, asked), held);
  const page = act === "page" && /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 1;
  const query = visit.text("find");
  const others = await othersFor(visit, query, page);
  const offered = others.data.filter(({ id }) => !books.some((book) => book.id === id));
  const last = Math.max(1, Math.ceil(others.total / OFFERED));
  const turn = (to: number, text: string) =>
    html`<button class="small secondary outline" name="books_act" value="page ${to}" data-order-fetch>${text}</button>`;
  return html`<fieldset class="shelf-books" data-order${orderTexts(ui)}><legend>${ui.icon("book")} ${ui.t("Books")}</legend>
<input type="hidden" name="books" value="${orderText(books.map(({ id }) => ({ type: "book", id })))}" data-order-value>
<p class="quiet needs-script">${ui.t("Drag entries by their handles or use the buttons. Alt with an arrow key moves the focused entry.")}</p>
<ol class="order-list" data-order-list aria-label="${ui.t("Books on the shelf")}">${books.map((book) => heldBook(book, ui))}</ol>
${books.length === 0 && html`<p class="empty">${ui.t("This shelf has no books yet.")}</p>`}
<p class="unseen" role="status" data-order-says></p>
<div class="filters">${parts.field(ui, { name: "find", label: ui.t("Find a book to add"), value: query, autocomplete: "off" })}<button class="secondary" name="books_act" value="find" data-order-fetch data-order-find>${ui.t("Find")}</button></div>
<ul class="order-offered">${offered.map(
    ({ id, name }) =>
      html`<li><button class="small secondary outline" name="books_act" value="add book:${id}" data-order-fetch aria-label="${ui.t("Add “:name” to the shelf", { name })}">${ui.icon("plus")}</button> <span>${name}</span></li>`,
  )}</ul>
${others.total === 0 && html`<p class="empty">${ui.t("No matching book.")}</p>`}
${last > 1 && html`<p class="order-turns">${page > 1 && turn(page - 1, ui.t("Previous"))} <span>${ui.t("Page :page of :last", { page, last })}</span> ${page < last && turn(page + 1, ui.t("Next"))}</p>`}</fieldset>`;
}

/** The books of a form in their order; empty where the form has no such field. */
export function shelfBooksIn(visit: Visit): InputObject {
  const books = idsIn(visit);
  return books ? { books } : {};
}

function heldBook({ id, name }: Named, ui: Visit["ui"]): Html {
  const word = `book:${id}`;
  return html`<li data-order-item="${word}" data-kind="book"><div class="order-row"><span class="order-handle needs-script" data-order-handle aria-hidden="true">${ui.icon("drag")}</span>
<span class="order-name">${name}</span>${orderButtons({ field: "books_act", word, name, steps: ["up", "down", "off"] }, ui)}</div></li>`;
}

function idsIn({ input }: Visit): number[] | undefined {
  return typeof input.books === "string" ? [...new Set(orderIn(input.books).map(({ id }) => id))] : undefined;
}

function changed(ids: readonly number[], act: string, word: string): number[] {
  const [entry] = orderIn(word);
  if (!entry) return [...ids];
  const others = ids.filter((id) => id !== entry.id);
  if (act === "add") return [...others, entry.id];
  if (act === "off") return others;
  const step = STEPS.find((known) => known === act);
  const books = ids.map((id) => ({ type: "book", id }));
  return step ? moveEntry(books, step, entry).map(({ id }) => id) : [...ids];
}

/** The books by their ids; those that the viewer may not see are left out. */
async function named(visit: Visit, ids: readonly number[], held: readonly Named[]): Promise<Named[]> {
  const known = new Map<number, Named>(held.map((book) => [book.id, book]));
  const others = ids.filter((id) => !known.has(id));
  for (const book of others.length === 0 ? [] : await visit.items("book", { ids: others })) known.set(book.id, book);
  return ids.flatMap((id) => known.get(id) ?? []);
}

function othersFor(visit: Visit, query: string, page: number) {
  const filter = query === "" ? "" : `&filter[name:like]=${encodeURIComponent(`%${query}%`)}`;
  return visit.get(`/api/books?sort=name&count=${OFFERED}&offset=${(page - 1) * OFFERED}${filter}`);
}
