import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { SearchContext, SearchedKind } from "./contract.ts";

/** Maximum number of visible rows for which a search scans these rows instead of all candidates. */
const MAX_ROWS = 20_000;

/** All ids of a kind that a viewer sees, where they are few. */
export interface RestrictedIds {
  /** SQL for the ids. */
  readonly ids: RawBuilder<unknown>;
  readonly total: number;
}

/** The restricted ids of a viewer, by kind. Kinds of which the viewer sees many rows are absent. */
export async function findRestrictedIds(
  { db, visibleRows }: Pick<SearchContext, "db" | "visibleRows">,
  viewer: Viewer,
  kinds: readonly SearchedKind[],
): Promise<Map<string, RestrictedIds>> {
  const restricted = kinds.flatMap((searched) => {
    const ids = visibleRows(searched).ids(viewer);
    return ids ? [{ kind: searched.kind.kind, ids, total: visibleRows(searched).total(viewer) }] : [];
  });
  if (restricted.length === 0) return new Map();
  // A template, since the columns are those of the searched kinds.
  const totals = restricted.map(({ kind, total }) => sql`${total} as ${sql.ref(kind)}`);
  const [found] = await rows<Record<string, number>>(db, sql`select ${sql.join(totals)}`);
  return new Map(
    restricted.flatMap(({ kind, ids }) => {
      const total = found?.[kind] ?? 0;
      return total <= MAX_ROWS ? [[kind, { ids, total }] as const] : [];
    }),
  );
}
