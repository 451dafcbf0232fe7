/** Random content with permissions, and viewers of it, for properties of what a viewer finds. */
import fc from "fast-check";
import type { PlainEntry, PlainItem } from "../harness/permission_evaluator.ts";

const ROLES = [901, 902];
/** Ids of the users that own items. */
export const USERS = [701, 702];
/** Kinds of content in the order of search results. */
export const KINDS = ["bookshelf", "book", "chapter", "page"] as const;

/** An item with its name. */
export type NamedItem = PlainItem & { readonly name: string };

/** Items, each drawn alone. */
export const drawnItems = (words: readonly string[]) => {
  const name = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((drawn) => drawn.join(" "));
  const item = fc.record({
    kind: fc.constantFrom(...KINDS),
    name,
    owned_by: fc.constantFrom(...USERS, null),
    rules: fc.uniqueArray(fc.record({ role_id: fc.constantFrom(0, ...ROLES), view: fc.boolean() }), {
      selector: ({ role_id }) => role_id,
      maxLength: 2,
    }),
    draft: fc.integer({ max: 9 }).map((n) => n === 0),
    deleted: fc.integer({ max: 9 }).map((n) => n === 0),
    isViewed: fc.boolean(),
    parent: fc.nat(),
  });
  return fc.array(item, { minLength: 6, maxLength: 14 });
};

const VIEWS = KINDS.flatMap((kind) => [`${kind}-view-all`, `${kind}-view-own`]);

/** A viewer without name. */
export const drawnViewer = fc.record({
  id: fc.constantFrom(...USERS),
  roles: fc.subarray(ROLES),
  permissions: fc.oneof(fc.constant(VIEWS), fc.subarray(VIEWS)).map((list) => new Set(["access-api", ...list])),
  admin: fc.integer({ max: 5 }).map((n) => n === 0),
});

type Drawn = ReturnType<typeof drawnItems> extends fc.Arbitrary<infer T> ? T : never;

/** The items with ids and parents, and their rules. The first item is a book that holds what has no other place. */
export function worldOf(drawn: Drawn): { readonly items: NamedItem[]; readonly entries: PlainEntry[] } {
  const items: NamedItem[] = [{ kind: "book", id: 1, name: "foo", owned_by: null }];
  const entries: PlainEntry[] = [];
  for (const [at, { kind, name, owned_by, rules, draft, deleted, parent }] of drawn.entries()) {
    const parents = items.filter((item) => item.kind === "book" || (kind === "page" && item.kind === "chapter"));
    const within = parents[parent % parents.length] as NamedItem;
    const book_id = within.kind === "book" ? within.id : (within.book_id as number);
    const place =
      kind === "page"
        ? { book_id, chapter_id: within.kind === "chapter" ? within.id : null, draft }
        : kind === "chapter"
          ? { book_id }
          : {};
    items.push({ kind, id: at + 2, name, owned_by, deleted, ...place });
    for (const { role_id, view } of rules)
      entries.push({ kind, item_id: at + 2, role_id, view, create: false, update: false, delete: false });
  }
  return { items, entries };
}
