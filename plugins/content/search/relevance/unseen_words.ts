/**
 * Words that the vocabulary has from items that the viewer does not see. They are corrected as words that no item has: otherwise the lack
 * of a correction would tell that somewhere out of sight is an item with the word.
 */
import type { SearchTask } from "../contract.ts";
import { findRestrictedIds } from "../restricted_ids.ts";
import type { Branch } from "./branches.ts";
import { rankedCandidates } from "./candidates.ts";
import type { IndexFigures } from "./frequencies.ts";
import { partsFor } from "./parts.ts";
import { queryOf } from "./term_query.ts";
import { correctedTerm, type Term } from "./terms.ts";

/** What a search has found of its terms. */
interface Met {
  /** The first terms, which may be misspelt; the others are of exact texts. */
  readonly free: number;
  /** The terms that some result has, as bits. */
  readonly met: number;
  readonly figures: IndexFigures;
}

/** The terms, those corrected that nothing has that the viewer sees; the same list where there are none. */
export async function correctedTerms(
  task: SearchTask,
  terms: readonly Term[],
  { free, met, figures }: Met,
): Promise<readonly Term[]> {
  const doubtful = terms.filter(
    ({ parts, isCorrected }, at) => at < free && parts.length === 0 && !isCorrected && (met & (1 << at)) === 0,
  );
  if (doubtful.length === 0) return terms;
  const seen = await seenTerms(task, doubtful, figures);
  const unseen = new Set(doubtful.filter((_, at) => (seen & (1 << at)) === 0));
  const { vocabulary } = task.context;
  const corrected = await Promise.all(terms.map((term) => (unseen.has(term) ? correctedTerm(term, vocabulary) : term)));
  return corrected.some(({ isCorrected }, at) => isCorrected !== terms[at]?.isCorrected) ? corrected : terms;
}

/** The terms that an item has that the viewer sees, as bits, whatever else is searched. */
async function seenTerms(task: SearchTask, terms: readonly Term[], figures: IndexFigures): Promise<number> {
  const { context, viewer } = task;
  const kinds = context.kinds();
  const search = { ...task.search, exacts: [], tags: [], filters: [] };
  const every: SearchTask = { ...task, kinds, search, restricted: await findRestrictedIds(context, viewer, kinds) };
  const columns: Branch["column"][] = partsFor(every).length > 0 ? ["words", "parts"] : ["words"];
  const branches = terms.flatMap((term, at) =>
    columns.map((column) => ({ query: queryOf(term), column, has: 1 << at, most: 1 })),
  );
  const nothing = { closely: 0, all: 0, order: "relevance" } as const;
  const expected = terms.map(() => 0);
  const { met } = await rankedCandidates(every, { terms, branches, expected, figures, ...nothing });
  return met;
}
