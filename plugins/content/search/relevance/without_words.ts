/** Searches for tags, filters and signs alone: nothing is ranked, but order, places and facets are those of searches with words. */
import type { SearchTask } from "../contract.ts";
import { markingOf, presentResults } from "../presenter.ts";
import { findUnranked, type SearchAnswer } from "../queries.ts";
import type { Order } from "./candidates.ts";
import { facetsOf } from "./facets.ts";

/** Answers with a page of the items in order, and with facets of the first `counted` ones, if that is any. */
export async function findWithoutWords(task: SearchTask, order: Order, counted: number): Promise<SearchAnswer> {
  const ordered: SearchTask = order === "relevance" ? task : { ...task, order };
  const { hits, total, isLowerBound } = await findUnranked(ordered);
  const first = counted === 0 ? [] : (await findUnranked({ ...ordered, paging: { page: 1, count: counted } })).hits;
  const wanted = task.search.exacts.filter(({ negated }) => !negated).map(({ text }) => text);
  return {
    data: await presentResults(task.context, task.viewer, hits, markingOf(wanted)),
    total,
    ...(isLowerBound && { total_is_lower_bound: true as const }),
    ...(counted > 0 && { facets: await facetsOf(task, first) }),
  };
}
