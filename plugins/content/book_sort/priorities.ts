/**
 * New priorities of children whose order is wanted, with as few changes as it takes: those of the longest run that is in order already stay,
 * and the others get numbers between them. So a page that is put into a chapter of thousands changes its own row alone. Short lists, and
 * lists without room between two numbers, are numbered anew.
 */

interface Ranked {
  readonly priority: number;
}

/** Up to this many children are numbered from 1 without gaps, as by hand. */
const SHORT = 200;
/** The distance of numbers in long lists that are numbered anew. */
const STEP = 16;

/** The priorities of children in their wanted order, each greater than the one before. */
export function prioritiesInOrder(wanted: readonly Ranked[]): number[] {
  if (wanted.length <= SHORT) return wanted.map((_, at) => at + 1);
  const kept = longestRun(wanted);
  const numbers = wanted.map(({ priority }) => priority);
  for (let at = 0; at < kept.length - 1; at++) {
    const [from = -1, to = wanted.length] = [kept[at], kept[at + 1]];
    const count = to - from - 1;
    const low = numbers[from] ?? (numbers[to] ?? count + 1) - count - 1;
    const high = numbers[to] ?? low + count + 1;
    if (high - low <= count) return wanted.map((_, index) => (index + 1) * STEP);
    for (let step = 1; step <= count; step++)
      numbers[from + step] = low + Math.floor(((high - low) * step) / (count + 1));
  }
  return numbers;
}

/** The indexes of the longest strictly ascending run of priorities, between -1 and the length. */
function longestRun(wanted: readonly Ranked[]): number[] {
  // ends[n] is the index of the lowest end of a run of n + 1 members.
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, { priority }] of wanted.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((wanted[ends[middle] ?? 0]?.priority ?? 0) < priority) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1];
    ends[low] = at;
  }
  const run: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) run.push(at);
  return [-1, ...run.reverse(), wanted.length];
}
