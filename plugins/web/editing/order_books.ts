/**
 * Several books that are sorted together: which are shown, as text in an address and a form, and what a button does where it takes an entry
 * into another book.
 */
import type { InputObject, InputValue } from "lectern/core";
import { type Entry, moveEntry, STEPS } from "./order.ts";

/** Books that are shown beside the one of the address, at most. */
export const MOST_BESIDE = 4;

/** The moves that buttons offer where several books are shown. */
export const STEPS_ACROSS = [...STEPS, "over"] as const;

/** A move that a button offers; "over" takes an entry to the end of the next book. */
export type StepAcross = (typeof STEPS_ACROSS)[number];

/** The ids of the books that an address or form names, such as "3,7", without `own`; what is no id is ignored. */
export function besideIn(value: InputValue | undefined, own: number): readonly number[] {
  const words = typeof value === "string" ? value.split(",") : [];
  const ids = words.filter((word) => /^[1-9]\d{0,8}$/.test(word)).map(Number);
  return [...new Set(ids)].filter((id) => id !== own).slice(0, MOST_BESIDE);
}

/** The order of one of the books. */
export interface BookOrder {
  readonly id: number;
  readonly entries: readonly Entry[];
}

/** The books whose order a step changes, that with the entry first. Past the end of a book an entry goes to the one beside it. */
export function moveAcross(
  books: readonly BookOrder[],
  step: StepAcross,
  moved: Pick<Entry, "type" | "id">,
): readonly BookOrder[] {
  const isMoved = ({ type, id }: Entry) => type === moved.type && id === moved.id;
  const at = books.findIndex(({ entries }) => entries.some((entry) => isMoved(entry) || entry.pages?.some(isMoved)));
  const from = books[at];
  if (!from) return [];
  const entry = from.entries.flatMap((each) => [each, ...(each.pages ?? [])]).find(isMoved);
  const place = from.entries.findIndex(isMoved);
  const leaves = (step === "up" && place === 0) || (step === "down" && place === from.entries.length - 1);
  const next = step === "over" ? books[(at + 1) % books.length] : books[step === "up" ? at - 1 : at + 1];
  if (step !== "over" && !(leaves && next)) return [{ ...from, entries: moveEntry(from.entries, step, moved) }];
  if (!entry || !next || next === from) return [];
  const rest = from.entries
    .filter((each) => each !== entry)
    .map((each) => (each.pages ? { ...each, pages: each.pages.filter((page) => page !== entry) } : each));
  const entries = step === "down" ? [entry, ...next.entries] : [...next.entries, entry];
  return [
    { ...next, entries },
    { ...from, entries: rest },
  ];
}

/** Entries as the API takes them. */
export function itemsOf(entries: readonly Entry[]): readonly InputObject[] {
  return entries.map(({ type, id, pages }) => ({ type, id, ...(pages && { pages: pages.map((page) => page.id) }) }));
}
