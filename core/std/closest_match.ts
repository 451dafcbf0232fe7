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

/**
 * The end of an error about a name that is not known: `; did you mean "page/below"?`, or "" where none is near.
 * @example
 * const message = `There is no place "page/belwo"${didYouMean("page/belwo", ["page/below", "page/aside"])}`;
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = closestMatch(name, known);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/**
 * The Levenshtein distance: characters to insert, remove or replace.
 * @example
 * distance("page", "pgae"); // 2
 */
export function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}

/** Characters from which on two mistakes in a word are taken for a slip; in shorter ones they make another word. */
const LONG_WORD = 6;

/**
 * Whether a name is another one with a slip in a single word ("page_udpate"). Names of events and slots have few words, so that "note_create",
 * whose plugin is not installed, is near "page_create" and yet no slip.
 * @example
 * isMisspelt("page_udpate", "page_update"); // true
 */
export function isMisspelt(name: string, known: string): boolean {
  const [given, meant] = [name, known].map((each) => each.toLowerCase().split(/[_\-.:]/)) as [string[], string[]];
  if (given.length !== meant.length) return false;
  const differing = given.flatMap((word, at) => (word === meant[at] ? [] : [[word, meant[at] ?? ""] as const]));
  if (differing.length > 1) return false;
  return differing.every(([word, right]) => {
    const isSwapped = word.length === right.length && [...word].sort().join("") === [...right].sort().join("");
    const steps = distance(word, right);
    return steps === 1 || (steps === 2 && (isSwapped || right.length >= LONG_WORD));
  });
}
