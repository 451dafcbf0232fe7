/** The cached single reads of items: what all kinds are read from, and what other plugins add to them. */
import type { ResponseFields } from "lectern/contracts";
import {
  type AnswerSource,
  type CachedAnswers,
  callContributionNow,
  type PluginContext,
  type TableDependency,
} from "lectern/core";
import type { ItemKind } from "./contract.ts";

/** The tables that every kind is read from: tags, names of people, and the lists of who sees an item. */
const SHARED: readonly TableDependency[] = [
  { table: "tags", column: "item_id" },
  { table: "users", only: ["id", "name", "slug"] },
  { table: "acl", only: ["id", "view_fallback", "view_allow", "view_deny"] },
];

/** The answers of a kind's single read, cached unless a plugin adds fields to them without saying what these are read from. */
export function cachedReads<A extends object>(
  { cachedAnswers, slot }: Pick<PluginContext, "cachedAnswers" | "slot">,
  { kind, table }: Pick<ItemKind, "kind" | "table">,
  own: Pick<AnswerSource<A>, "dependsOn" | "load" | "notes">,
): CachedAnswers<A> {
  const fields = () => slot("response_fields").filter((each) => each.kind === kind && each.moment === "read");
  let hooked: readonly ResponseFields[] | undefined;
  return cachedAnswers("read", {
    ...own,
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
