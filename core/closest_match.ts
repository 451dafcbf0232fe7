/**
 * The name among `known` that differs least from a misspelt one; undefined where all differ too much: by more characters than
 * `most`, by default a third of the name.
 * @example
 * closestMatch("page/belwo", ["page/below", "page/aside"]); // "page/below"
 */
export function closestMatch(
  name: string,
  known: readonly string[],
  most: number = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    const steps = distance(name, candidate);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** The Levenshtein distance: characters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (above[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, changed));
    }
    above = row;
  }
  return above[to.length] as number;
}
