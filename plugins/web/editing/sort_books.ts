/**
 * Sorting several books together: what is moved on the screen between them is saved by one request, with the orders as they were loaded,
 * so that the API refuses what others have moved meanwhile. Without scripts each button saves a step. Refused moves stay on the screen.
 */
import type { Screen, Visit, Web } from "lectern/contracts";
import { type Cut, partOf, partWith } from "../_contents/parts.ts";
import { arranged, type Entry, orderIn } from "./order.ts";
import { besideIn, itemsOf, moveAcross, STEPS_ACROSS, type StepAcross } from "./order_books.ts";
import type { SortKey } from "./sort_by.ts";
import { type Named, partField, plain, type Rejection, rejectionOf, type Sorted, sortPath } from "./sort_entries.ts";

/** One of several books on the screen. */
export interface ShownBook {
  readonly book: Sorted;
  /** The rule by which the book is kept sorted; null for none. */
  readonly kept: SortKey | null;
  /** The entries of the part that is shown: as they are, and in the order that was refused, which has those of other books too. */
  readonly present: readonly Named[];
  readonly entries: readonly Named[];
  readonly cut: Cut;
  readonly page: number;
  readonly total: number;
}

/** A book that can be shown too. */
export interface FoundBook {
  readonly id: number;
  readonly name: string;
}

/** How many books a search for another one shows. */
const OFFERED = 20;

/** A book with its outline, and the number of its part that is shown. */
interface Turned {
  readonly book: Sorted;
  readonly page: number;
}

/** The books of the screen: that of the address, and those that the query or the form names and the reader sees. */
export async function booksOf({ paged }: Pick<Web, "paged">, visit: Visit, book: Sorted): Promise<Turned[]> {
  const ids = besideIn(visit.input.with, book.id);
  const beside = await Promise.all(ids.map((id) => visit.findItem("book_outline", { id })));
  return [book, ...beside].flatMap((each, at) =>
    each ? [{ book: each, page: paged({ page: visit.input[partField({ book: each, page: 1 }, at)] }).page }] : [],
  );
}

/** The books as the screen shows them; `areWished`: in the orders of the form, which were refused. */
export async function shownBooks(visit: Visit, books: readonly Turned[], areWished: boolean): Promise<ShownBook[]> {
  const parts = books.map(({ book, page }) => ({ book, ...partOf(plain(book), page) }));
  const wishes = new Map(books.map(({ book }) => [book.id, orderIn(visit.text(`order-${book.id}`))]));
  const all = { present: parts.flatMap(({ entries }) => entries), wished: [...wishes.values()].flat() };
  return Promise.all(
    parts.map(async ({ book, entries: present, ...part }) => ({
      ...{ book, kept: (await visit.get(`/api/books/${book.id}/order/rule`)).rule, present, ...part },
      entries: areWished ? arranged(present, wishes.get(book.id) ?? [], all) : present,
    })),
  );
}

/** Books whose names have the words that were searched for, without those that are shown; undefined where nothing was. */
export async function foundBooks(visit: Visit, shown: readonly number[]): Promise<readonly FoundBook[] | undefined> {
  const { q } = visit.query;
  if (typeof q !== "string") return undefined;
  const named = q === "" ? "" : `&filter[name:like]=${encodeURIComponent(`%${q}%`)}`;
  const { data } = await visit.get(`/api/books?sort=name${named}&count=${OFFERED}`);
  return data.filter(({ id }) => !shown.includes(id));
}

/** What the screen shows where an order was refused. */
type Shown = (rejection: Rejection) => Promise<Screen>;

/** Saves the form of several books: the moves on the screen together, then the step of a button. */
export async function saveBooks(visit: Visit, books: readonly Turned[], shown: Shown): Promise<Screen | Response> {
  const [main] = books;
  if (!main) return visit.goTo("/books");
  const orders = books.map(({ book }) => ({
    ...{ id: book.id, loaded: visit.text(`loaded-${book.id}`), order: visit.text(`order-${book.id}`) },
  }));
  const changed = orders.filter(({ loaded, order }) => loaded !== order);
  const saved = await put(
    visit,
    changed.map(({ id, loaded, order }) => ({ id, entries: orderIn(order), seen: orderIn(loaded) })),
  );
  if (saved) return shown(saved);
  const step = stepIn(visit);
  const path = sortPath(books);
  if (!step) return visit.goTo(path, visit.ui.t("The order is saved."));
  const present = await Promise.all(
    books.map(async ({ book }) => {
      const { id } = book;
      return { id, entries: plain(changed.length === 0 ? book : await visit.item("book_outline", { id })) };
    }),
  );
  const seenOf = new Map(present.map(({ id, entries }) => [id, entries]));
  const moved = moveAcross(present, step.step, step.entry);
  const refused = await put(
    visit,
    moved.map((order) => ({ ...order, seen: seenOf.get(order.id) ?? [] })),
  );
  if (refused) return shown(refused);
  const { type, id } = step.entry;
  const target = moved[0];
  const part = target && partWith(target.entries, (entry) => entry.type === type && entry.id === id);
  const turned = books.map((each) => (each.book.id === target?.id ? { ...each, page: part ?? 1 } : each));
  return visit.goTo(`${sortPath(turned)}#order-${type}-${id}`, visit.ui.t("The order is saved."));
}

interface SentOrder {
  readonly id: number;
  readonly entries: readonly Entry[];
  readonly seen: readonly Entry[];
}

/** Sends orders in one request, which the API takes whole or refuses. */
async function put(visit: Visit, orders: readonly SentOrder[]): Promise<Rejection | undefined> {
  // The API wants entries of the book of the path; further ones may be empty by now.
  const first = orders.find(({ entries }) => entries.length > 0);
  if (!first) return undefined;
  const bodyOf = ({ entries, seen }: SentOrder) => ({ items: itemsOf(entries), seen: itemsOf(seen) });
  const others = orders.filter((order) => order !== first).map((order) => ({ id: order.id, ...bodyOf(order) }));
  const sent = await visit.send("PUT", `/api/books/${first.id}/order`, { ...bodyOf(first), books: others });
  return sent.ok ? undefined : rejectionOf(sent, visit.ui);
}

function stepIn(visit: Visit): { step: StepAcross; entry: Entry } | undefined {
  const [, requested, word = ""] = /^(\w+) (.*)$/.exec(visit.text("move")) ?? [];
  const step = STEPS_ACROSS.find((known) => known === requested);
  const [entry] = orderIn(word);
  return step && entry ? { step, entry } : undefined;
}
