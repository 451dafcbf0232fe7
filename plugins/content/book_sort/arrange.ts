/**
 * Computes the new order of a book from the present order and the requested entries. Children that the request does not
 * name, because the viewer does not see them or they were added since, keep their position after what they follow now.
 */
import type { Entry } from "./contract.ts";

/** A chapter or page of a book in the present order. */
export interface Child {
  readonly type: "chapter" | "page";
  readonly id: number;
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** The new position of a chapter or page. */
export interface Placement<C extends Child = Child> {
  readonly child: C;
  /** The chapter; null for the book itself. */
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** The placements of all children, container by container, each in its order. */
export function arrange<C extends Child>(children: readonly C[], entries: readonly Entry[]): Placement<C>[] {
  const byKey = new Map(children.map((child) => [keyOf(child), child]));
  const pick = (type: Child["type"], id: number): C[] => {
    const child = byKey.get(keyOf({ type, id }));
    return child ? [child] : [];
  };
  const named = new Set(
    entries.flatMap(({ type, id, pages = [] }) => [keyOf({ type, id }), ...pages.map((page) => `page ${page}`)]),
  );
  const present = Map.groupBy([...children].sort(compareChildren), ({ chapter_id }) => chapter_id);
  const requested = new Map<number | null, C[]>([[null, entries.flatMap(({ type, id }) => pick(type, id))]]);
  for (const { type, id, pages } of entries)
    if (pages && byKey.has(keyOf({ type, id })))
      requested.set(
        id,
        pages.flatMap((page) => pick("page", page)),
      );
  const containers = new Set([...present.keys(), ...requested.keys()]);
  return [...containers].flatMap((container) => {
    const before = present.get(container) ?? [];
    const wanted = requested.get(container);
    // A chapter whose pages were not listed keeps those that the request does not name elsewhere.
    const order = wanted ? merge(before, wanted, named) : before.filter((child) => !named.has(keyOf(child)));
    return order.map((child, index) => ({ child, chapter_id: container, priority: index + 1 }));
  });
}

/** Whether these placements are in the present order of their children. */
export function keepsOrder(placements: readonly Placement[]): boolean {
  const children = placements.map(({ child }) => child);
  return children.every((child, index) => {
    const before = children[index - 1];
    return before === undefined || compareChildren(before, child) < 0;
  });
}

/** The wanted order, with each child that is not named inserted after the named child that it follows now. */
function merge<C extends Child>(before: readonly C[], wanted: readonly C[], named: ReadonlySet<string>): C[] {
  const isWanted = new Set(wanted);
  const followers = new Map<C | undefined, C[]>();
  let last: C | undefined;
  for (const child of before) {
    if (named.has(keyOf(child))) {
      if (isWanted.has(child)) last = child;
      continue;
    }
    const list = followers.get(last) ?? [];
    list.push(child);
    followers.set(last, list);
  }
  const withFollowers = wanted.flatMap((child) => [child, ...(followers.get(child) ?? [])]);
  return [...(followers.get(undefined) ?? []), ...withFollowers];
}

/** By priority, chapters before pages, by id (content-api 5.3). */
export function compareChildren(a: Child, b: Child): number {
  return a.priority - b.priority || Number(b.type === "chapter") - Number(a.type === "chapter") || a.id - b.id;
}

function keyOf({ type, id }: Pick<Child, "type" | "id">): string {
  return `${type} ${id}`;
}
