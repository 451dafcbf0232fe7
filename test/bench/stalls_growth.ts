/**
 * `bun test/bench/stalls.ts --grow SECONDS`: grows random texts for each function that works in the server's own process on what
 * users send (`grown_inputs.ts`), as long as that for each, and prints the slowest ones with the CPU time at a quarter of the
 * size up to which the process works on them and at that size, the median of five. A ratio above 6 is more than linear, and
 * more than 20 ms is too long for the process: both are marked, and belong to the corpus (`slow_inputs.ts`), whose sizes the suite
 * checks; the ratio of a text of the corpus is not marked again. `--seed N` repeats a run.
 */
import { GROWN, type Grown, IN_CHILD } from "../support/data/grown_inputs.ts";
import { grownTo, SLOW_INPUTS, type SlowInput } from "../support/data/slow_inputs.ts";

const RUNS = 5;
const KEPT = 3;
const MAX_RATIO = 6;
const MAX_MS = 20;
/** Below, the ratio of two measurements says nothing. */
const MIN_MS = 2;

type Text = Omit<SlowInput, "of">;

/** A text with its CPU time in milliseconds. */
interface Slow {
  readonly text: Text;
  readonly ms: number;
}

/** Grows texts for every function, or for those whose name contains one of the words. Returns how many are marked. */
export async function grow(
  seconds: number,
  {
    only,
    seed,
    out,
  }: { readonly only: readonly string[]; readonly seed: number; readonly out: (line: string) => void },
): Promise<number> {
  const random = randomOf(seed);
  let marked = 0;
  for (const grown of GROWN.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)))) {
    const { tried, slowest } = await slowestOf(grown, seconds * 1000, random);
    out(`\n${grown.name}, ${tried} texts of ${grown.maxChars} characters`);
    for (const { text } of slowest) {
      const [small, large] = [
        await medianOf(grown, grown.maxChars / 4, text),
        await medianOf(grown, grown.maxChars, text),
      ];
      const isKnown = SLOW_INPUTS.some((known) => known.of === grown.name && isSame(known, text));
      const isMarked = large > MAX_MS || (!isKnown && large >= MIN_MS && large / small > MAX_RATIO);
      if (isMarked) marked += 1;
      const figures = `${small.toFixed(2)} ms, ${large.toFixed(2)} ms, ratio ${(large / small).toFixed(1)}`;
      out(`  ${isMarked ? "SLOW " : ""}${figures}: ${JSON.stringify(text)}`);
    }
  }
  return marked;
}

async function slowestOf(grown: Grown, ms: number, random: (below: number) => number) {
  const known = SLOW_INPUTS.filter(({ of }) => of === grown.name).map(({ before, unit, after }) => ({
    before,
    unit,
    after,
  }));
  let slowest: Slow[] = [];
  let tried = 0;
  for (const until = performance.now() + ms; performance.now() < until; tried++) {
    const text = known[tried] ?? randomText(grown, slowest, random);
    const took = await cpuMs(grown, grownTo(grown.maxChars, text));
    if (took === undefined || slowest.some((other) => isSame(other.text, text))) continue;
    slowest = [...slowest, { text, ms: took }].sort((one, other) => other.ms - one.ms).slice(0, KEPT);
  }
  return { tried, slowest };
}

/** Half of the texts are made of random pieces, half are a slow one with one part changed. */
function randomText({ pieces }: Grown, slowest: readonly Slow[], random: (below: number) => number): Text {
  const some = (most: number) => Array.from({ length: random(most + 1) }, () => pieces[random(pieces.length)]).join("");
  const base = random(2) === 0 ? slowest[random(slowest.length)]?.text : undefined;
  const fresh = { before: some(2), unit: some(3) || "a", after: some(2) };
  if (!base) return fresh;
  const part = (["before", "unit", "after"] as const)[random(3)] ?? "unit";
  return { ...base, [part]: part === "unit" && random(2) === 0 ? base.unit + fresh.unit : fresh[part] };
}

const isSame = (one: Text, other: Text) =>
  one.before === other.before && one.unit === other.unit && one.after === other.after;

async function medianOf(grown: Grown, chars: number, text: Text): Promise<number> {
  const sent = grownTo(chars, text);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push((await cpuMs(grown, sent)) ?? 0);
  return times.sort((one, other) => one - other)[Math.floor(RUNS / 2)] ?? 0;
}

/** Milliseconds of CPU that a text takes; undefined where a child process would work on it. */
async function cpuMs({ run, made, maxChars }: Grown, text: string): Promise<number | undefined> {
  const given = made?.(text).slice(0, maxChars) ?? text;
  const before = process.cpuUsage();
  try {
    await run(given);
  } catch (error) {
    if (error === IN_CHILD) return undefined;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Random integers below a bound, the same for a seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
