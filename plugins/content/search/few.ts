import { type RawBuilder, sql, type Viewer, type VisibleIds } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { SearchedKind } from "./index_items.ts";

/** Rows a viewer may see at most for them to be gone through instead of the candidates. */
const FEW = 20_000;

/** SQL for the only ids of a kind that a viewer may see, and how many these are. */
export interface Few {
  readonly ids: RawBuilder<unknown>;
  readonly total: number;
}

/** What a viewer may see of the kinds of which that is little. */
export async function fewOf(
  { db, reach }: { readonly db: Pick<Db, "executeQuery">; readonly reach: (searched: SearchedKind) => VisibleIds },
  viewer: Viewer,
  kinds: readonly SearchedKind[],
): Promise<Map<string, Few>> {
  const restricted = kinds.flatMap((searched) => {
    const few = reach(searched).few(viewer);
    return few ? [{ kind: searched.kind.kind, few, total: reach(searched).total(viewer) }] : [];
  });
  if (restricted.length === 0) return new Map();
  const totals = restricted.map(({ kind, total }) => sql`${total} as ${sql.ref(kind)}`);
  const [found] = await rows<Record<string, number>>(db, sql`select ${sql.join(totals)}`);
  return new Map(
    restricted.flatMap(({ kind, few: ids }) => {
      const total = found?.[kind] ?? 0;
      return total <= FEW ? [[kind, { ids, total }] as const] : [];
    }),
  );
}
