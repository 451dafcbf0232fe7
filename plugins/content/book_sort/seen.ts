/**
 * Orders that say how their sender saw the books. Others may have moved or deleted entries since: what the sender left where it was seen
 * stays where it is now, and what both have moved is refused, so that no change of others is undone unseen.
 */
import { localizedError } from "lectern/core";
import { type Child, containerOf, keyOf } from "./arrange.ts";
import type { BookOrder, Entry } from "./contract.ts";

/** A child of one of the books, and whether the viewer sees it. */
type SeenChild = Child & { readonly name: string; readonly is_visible: boolean };

/** The containers, as `containerOf` has them, of listed entries by their keys. */
function holders(bookId: number, entries: readonly Entry[]): (readonly [key: string, container: number])[] {
  return entries.flatMap(({ type, id, pages = [] }) => [
    [keyOf({ type, id }), -bookId] as const,
    ...pages.map((page) => [keyOf({ type: "page", id: page }), id] as const),
  ]);
}

/** The keys of the entries that orders say they saw. */
export function seenKeys(orders: readonly BookOrder[]): Set<string> {
  return new Set(orders.flatMap(({ row, seen = [] }) => holders(row.id, seen).map(([key]) => key)));
}

/**
 * The orders without entries that others have moved or deleted since they were seen and that stay where they were seen. Throws 409 for
 * those that are to move elsewhere, or into a chapter that is gone.
 */
export function withoutStale(orders: readonly BookOrder[], children: readonly SeenChild[]): readonly BookOrder[] {
  if (orders.every(({ seen }) => seen === undefined)) return orders;
  const visible = new Map(children.flatMap((child) => (child.is_visible ? [[keyOf(child), child] as const] : [])));
  const seen = new Map(orders.flatMap(({ row, seen: entries = [] }) => holders(row.id, entries)));
  const wished = new Map(orders.flatMap(({ row, items }) => holders(row.id, items)));
  const stale = new Set<string>();
  for (const [key, was] of seen) {
    const [wish, child] = [wished.get(key), visible.get(key)];
    const now = child && containerOf(child);
    if (wish === undefined || now === was || now === wish) continue;
    if (wish !== was) throw conflict(child);
    stale.add(key);
  }
  return orders.map((order) => ({ ...order, items: order.items.flatMap((entry) => withoutStaleIn(entry)) }));

  function withoutStaleIn(entry: Entry): readonly Entry[] {
    const pages = entry.pages?.filter((page) => !stale.has(`page ${page}`));
    if (!stale.has(keyOf(entry))) return [pages ? { ...entry, pages } : entry];
    const moved = pages?.find((page) => seen.get(`page ${page}`) !== entry.id);
    if (moved !== undefined) throw conflict(visible.get(keyOf(entry)));
    return [];
  }
}

function conflict(child: SeenChild | undefined) {
  return child
    ? localizedError(409, "Someone else moved “:name” meanwhile. Nothing was changed.", { name: child.name })
    : localizedError(409, "Someone else changed these books meanwhile. Nothing was changed.", {});
}
