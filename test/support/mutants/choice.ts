import { createHash } from "node:crypto";
import type { Mutant } from "./operators.ts";

/**
 * Chooses mutants of many files by a seed: of each file as many as its share of all, of its operators in turn, and of a line at
 * most one while other lines have some. The same seed chooses the same ones again. The order of a file's mutants depends on
 * nothing but the seed and their own texts, so that a change elsewhere in the file leaves most of them chosen.
 */
export function choose(
  files: readonly (readonly Mutant[])[],
  { seed, count }: { seed: number; count: number },
): Mutant[] {
  const shares = sharesOf(
    files.map(({ length }) => length),
    count,
  );
  return files.flatMap((mutants, at) => spread(inSeededOrder(mutants, seed)).slice(0, shares[at]).sort(byPlace));
}

/** Splits a count in proportion to sizes; the greatest remainders are rounded up. */
export function sharesOf(sizes: readonly number[], count: number): number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const wanted = Math.min(count, total);
  const exact = sizes.map((size) => (total === 0 ? 0 : (size * wanted) / total));
  const shares = exact.map(Math.floor);
  const left = wanted - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((share, at) => ({ at, rest: share % 1 }))
    .sort((a, b) => b.rest - a.rest || a.at - b.at);
  for (const { at } of byRemainder.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}

function inSeededOrder(mutants: readonly Mutant[], seed: number): Mutant[] {
  const times = counter();
  const keyed = mutants.map((mutant) => {
    const text = JSON.stringify([seed, mutant.path, mutant.operator, mutant.before, mutant.after]);
    return {
      mutant,
      key: createHash("sha256")
        .update(`${text} ${times(text)}`)
        .digest("hex"),
    };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ mutant }) => mutant);
}

/** Those that come first of their operator, then the second ones, and so on; of a line one, then what is left. */
function spread(mutants: readonly Mutant[]): Mutant[] {
  const times = counter();
  const turns = Map.groupBy(mutants, ({ operator }) => times(operator));
  const inTurn = [...turns.keys()].sort((a, b) => a - b).flatMap((turn) => turns.get(turn) ?? []);
  const lines = new Set<number>();
  const isFirst = new Set(inTurn.filter(({ line }) => !lines.has(line) && lines.add(line)));
  return [...isFirst, ...inTurn.filter((mutant) => !isFirst.has(mutant))];
}

/** Counts how often it was called with each text before. */
function counter(): (text: string) => number {
  const seen = new Map<string, number>();
  return (text) => {
    const before = seen.get(text) ?? 0;
    seen.set(text, before + 1);
    return before;
  };
}

function byPlace(a: Mutant, b: Mutant): number {
  return a.start - b.start;
}
