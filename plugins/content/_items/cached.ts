/** The cached single reads of items: what all kinds are read from, what other plugins add to them, and how slugs are found. */
import type { ItemAddress, ResponseFields } from "lectern/contracts";
import {
  type AnswerSource,
  type CachedAnswers,
  callContributionNow,
  type PluginContext,
  type TableDependency,
  type Viewer,
} from "lectern/core";
import type { ItemKind } from "./contract.ts";

/** The tables that every kind is read from: tags, names of people, and the lists of who sees an item. */
const SHARED: readonly TableDependency[] = [
  { table: "tags", column: "item_id" },
  { table: "users", only: ["id", "name", "slug"] },
  { table: "acl", only: ["id", "view_fallback", "view_allow", "view_deny"] },
];

/** The answers of a kind's single read, or of another read with its fields by the name `answers`; cached unless a plugin adds fields to them without saying what these are read from. */
export function cachedReads<A extends object>(
  { cache, slot }: Pick<PluginContext, "cache" | "slot">,
  { kind, table, answers = "read" }: Pick<ItemKind, "kind" | "table"> & { readonly answers?: string },
  own: Pick<AnswerSource<A>, "dependsOn" | "load" | "notes" | "shared">,
): CachedAnswers<A> {
  const fields = () => slot("response_fields").filter((each) => each.kind === kind && each.moment === "read");
  let hooked: readonly ResponseFields[] | undefined;
  return cache.answers(answers, {
    ...own,
    shared: () => (fields().every(({ cached }) => cached?.isSame) ? own.shared?.() : undefined),
    aliasNotes: [
      { table, column: "id" },
      { table: "books", column: "id" },
    ],
    dependsOn() {
      const [further, added] = [own.dependsOn(), fields()];
      if (!further || added.some(({ cached }) => !cached)) return undefined;
      const addedTables = added.flatMap(({ cached }) => cached?.dependsOn ?? []);
      return [{ table, column: "id" }, ...SHARED, ...further, ...addedTables];
    },
    onHit(viewer, id) {
      hooked ??= fields().filter(({ cached }) => cached?.onHit);
      for (const field of hooked)
        callContributionNow(field, (each) => each.cached?.onHit?.(id, viewer), `${kind}.read`);
    },
  });
}

/** An item by its slug, whoever sees it; with the book that contains it. */
export interface SlugOwner {
  readonly id: number;
  readonly book_id?: number;
}

/**
 * A reader of the slot `item_reader` whose single reads are the cached ones. `slugOwner` finds the item that is not in the
 * bin and has a slug as written, in a book that has one as written: as these are unique, no other item can have the address while
 * neither the item nor the book changes. Addresses that are not known so are found by `reader`.
 */
export function cachedReader<
  A extends object,
  Reader extends { find(viewer: Viewer, where: ItemAddress): A | undefined | Promise<A | undefined> },
>(
  { table }: Pick<ItemKind, "table">,
  reader: Reader,
  cached: CachedAnswers<A>,
  slugOwner: (where: Exclude<ItemAddress, { readonly id: number }>) => Promise<SlugOwner | undefined>,
): Reader {
  return {
    ...reader,
    find(viewer: Viewer, where: ItemAddress) {
      if ("id" in where) return cached.find(viewer, where.id);
      const alias = JSON.stringify([where.slug, where.within]);
      // JSON writes NUL, which PostgreSQL rejects, as an escape.
      if (alias.includes("\\u0000")) return reader.find(viewer, where);
      const known = cached.findBy(viewer, alias, async (note) => {
        const owner = await slugOwner(where);
        if (owner) note(table, "id", [owner.id]);
        if (owner?.book_id !== undefined) note("books", "id", [owner.book_id]);
        return owner?.id;
      });
      return known instanceof Promise
        ? known.then((found) => found ?? reader.find(viewer, where))
        : (known ?? reader.find(viewer, where));
    },
  };
}
