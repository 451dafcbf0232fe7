/**
 * Computes the new order of books from the present order and the requested entries. Children that the request does not
 * name, because the viewer does not see them or they were added since, keep their position after what they follow now. What is behind
 * the last entry of a part stays behind it.
 */
import type { Entry } from "./contract.ts";

/** A chapter or page of a book in the present order. */
export interface Child {
  readonly type: "chapter" | "page";
  readonly id: number;
  readonly book_id: number;
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** The new position of a chapter or page. */
export interface Placement<C extends Child = Child> {
  readonly child: C;
  readonly book_id: number;
  /** The chapter; null for the book itself. */
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** The entries that a request lists for a book. */
export interface Order {
  readonly bookId: number;
  readonly items: readonly Entry[];
  /** Whether the entries are a part of the book as it was seen, so that the last one is not followed by what is behind the part. */
  readonly isPart: boolean;
}

/** Children of a book or chapter in the wanted order. */
interface Wish<C> {
  readonly wanted: readonly C[];
  readonly isPart: boolean;
}

/** What holds a child, as one number: the id of its chapter, or that of its book below zero. */
export function containerOf({ book_id, chapter_id }: Pick<Child, "book_id" | "chapter_id">): number {
  return chapter_id ?? -book_id;
}

/** The placements of all children, container by container, each in its order. Pages go along with their chapter. */
export function arrange<C extends Child>(children: readonly C[], orders: readonly Order[]): Placement<C>[] {
  const byKey = new Map(children.map((child) => [keyOf(child), child]));
  const pick = (type: Child["type"], id: number): C[] => {
    const child = byKey.get(keyOf({ type, id }));
    return child ? [child] : [];
  };
  const named = new Set(
    orders.flatMap(({ items }) =>
      items.flatMap(({ type, id, pages = [] }) => [keyOf({ type, id }), ...pages.map((page) => `page ${page}`)]),
    ),
  );
  const present = Map.groupBy([...children].sort(compareChildren), containerOf);
  const requested = new Map<number, Wish<C>>();
  for (const { bookId, items, isPart } of orders) {
    requested.set(-bookId, { wanted: items.flatMap(({ type, id }) => pick(type, id)), isPart });
    for (const { type, id, pages } of items)
      if (pages && byKey.has(keyOf({ type, id })))
        requested.set(id, { wanted: pages.flatMap((page) => pick("page", page)), isPart });
  }
  const ordered = new Map(
    [...new Set([...present.keys(), ...requested.keys()])].map((container) => {
      const before = present.get(container) ?? [];
      const wish = requested.get(container);
      // A chapter whose pages were not listed keeps those that the request does not name elsewhere.
      return [container, wish ? merge(before, wish, named) : before.filter((child) => !named.has(keyOf(child)))];
    }),
  );
  const homes = new Map<number, number>();
  for (const [container, order] of ordered)
    if (container < 0) for (const { type, id } of order) if (type === "chapter") homes.set(id, -container);
  return [...ordered].flatMap(([container, order]) =>
    order.map((child, index) => ({
      ...{ child, priority: index + 1, chapter_id: container < 0 ? null : container },
      book_id: container < 0 ? -container : (homes.get(container) ?? child.book_id),
    })),
  );
}

/** Whether these placements are in the present order of their children. */
export function keepsOrder(placements: readonly Placement[]): boolean {
  const children = placements.map(({ child }) => child);
  return children.every((child, index) => {
    const before = children[index - 1];
    return before === undefined || compareChildren(before, child) < 0;
  });
}

/** Whether a child is placed elsewhere than it is now; pages of a chapter that is moved are not. */
export function isMoved({ child, book_id, chapter_id }: Placement): boolean {
  return child.chapter_id !== chapter_id || (chapter_id === null && child.book_id !== book_id);
}

/** The wanted order, with each child that is not named inserted after the named child that it follows now. */
function merge<C extends Child>(before: readonly C[], { wanted, isPart }: Wish<C>, named: ReadonlySet<string>): C[] {
  const isWanted = new Set(wanted);
  const followers = new Map<C | undefined, C[]>();
  const end = isPart ? before.findLastIndex((child) => named.has(keyOf(child))) : -1;
  const tail = end < 0 ? [] : before.slice(end + 1);
  let last: C | undefined;
  for (const child of end < 0 ? before : before.slice(0, end + 1)) {
    if (named.has(keyOf(child))) {
      if (isWanted.has(child)) last = child;
      continue;
    }
    const list = followers.get(last) ?? [];
    list.push(child);
    followers.set(last, list);
  }
  const withFollowers = wanted.flatMap((child) => [child, ...(followers.get(child) ?? [])]);
  return [...(followers.get(undefined) ?? []), ...withFollowers, ...tail];
}

/** By priority, chapters before pages, by id (content-api 5.3). */
export function compareChildren(a: Child, b: Child): number {
  return a.priority - b.priority || Number(b.type === "chapter") - Number(a.type === "chapter") || a.id - b.id;
}

/** Names a chapter or page among those of all books. */
export function keyOf({ type, id }: Pick<Child, "type" | "id">): string {
  return `${type} ${id}`;
}
