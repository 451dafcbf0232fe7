/**
 * The new order of a book out of the present one and what somebody asked for. What they did not name, since they do not
 * see it or it came meanwhile, keeps its place after what it follows now.
 */
import type { Entry } from "./contract.ts";

/** A chapter or page of a book as it stands now. */
export interface Child {
  readonly type: "chapter" | "page";
  readonly id: number;
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** Where a chapter or page shall stand. */
export interface Placement<C extends Child = Child> {
  readonly child: C;
  /** The chapter; null for the book itself. */
  readonly chapter_id: number | null;
  readonly priority: number;
}

/** The placements of all children, container by container, each in its order. */
export function arrange<C extends Child>(children: readonly C[], entries: readonly Entry[]): Placement<C>[] {
  const known = new Map(children.map((child) => [keyOf(child), child]));
  const pick = (type: Child["type"], id: number): C[] => {
    const child = known.get(keyOf({ type, id }));
    return child ? [child] : [];
  };
  const named = new Set(
    entries.flatMap(({ type, id, pages = [] }) => [keyOf({ type, id }), ...pages.map((page) => `page ${page}`)]),
  );
  const present = Map.groupBy([...children].sort(inOrder), ({ chapter_id }) => chapter_id);
  const wished = new Map<number | null, C[]>([[null, entries.flatMap(({ type, id }) => pick(type, id))]]);
  for (const { type, id, pages } of entries)
    if (pages && known.has(keyOf({ type, id })))
      wished.set(
        id,
        pages.flatMap((page) => pick("page", page)),
      );
  const containers = new Set([...present.keys(), ...wished.keys()]);
  return [...containers].flatMap((container) => {
    const stand = present.get(container) ?? [];
    const wish = wished.get(container);
    // A chapter whose pages were not asked for keeps those that were not named elsewhere.
    const order = wish ? merged(stand, wish, named) : stand.filter((child) => !named.has(keyOf(child)));
    return order.map((child, index) => ({ child, chapter_id: container, priority: index + 1 }));
  });
}

/** Whether these keep the order among themselves that they have now. */
export function keepsOrder(placements: readonly Placement[]): boolean {
  const now = placements.map(({ child }) => child);
  return now.every((child, index) => index === 0 || inOrder(now[index - 1] as Child, child) < 0);
}

function merged<C extends Child>(stand: readonly C[], wish: readonly C[], named: ReadonlySet<string>): C[] {
  const wished = new Set(wish);
  const after = new Map<C | undefined, C[]>();
  let before: C | undefined;
  for (const child of stand) {
    if (!named.has(keyOf(child))) put(after, before, child);
    else if (wished.has(child)) before = child;
  }
  return [...(after.get(undefined) ?? []), ...wish.flatMap((child) => [child, ...(after.get(child) ?? [])])];
}

function put<K, C>(lists: Map<K, C[]>, key: K, child: C): void {
  const list = lists.get(key);
  if (list) list.push(child);
  else lists.set(key, [child]);
}

/** By priority, chapters before pages, by id (content-api 5.3). */
function inOrder(a: Child, b: Child): number {
  return a.priority - b.priority || Number(b.type === "chapter") - Number(a.type === "chapter") || a.id - b.id;
}

function keyOf({ type, id }: Pick<Child, "type" | "id">): string {
  return `${type} ${id}`;
}
