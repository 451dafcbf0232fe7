/**
 * The order of test files: those that take long first, the slowest before the others, so that the workers end at about the same
 * time; then all others in an order that a seed decides, so that files that rely on what another one left behind are found.
 * How long files took is kept in `.ci/timings.json`, in the form of `bun test --timings`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";

/** Milliseconds by path. */
export type Timings = Readonly<Record<string, number>>;

/** A file that takes at least so long, in milliseconds, would leave the other workers idle if it ran last. */
const LONG_MS = 8_000;
/** What a file is assumed to take that has never been measured. */
const UNKNOWN_MS = 3_000;
/** Differences below it are no reason to write a file's timing again: a machine's own variation is about that large. */
const RELEVANT = 0.25;

/** Reads timings; none where the file is absent. */
export function readTimings(file: string): Timings {
  if (!existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, "utf8")) as { files: Timings }).files;
}

/** Writes timings in the order of their paths. */
export function writeTimings(file: string, timings: Timings): void {
  const files = Object.fromEntries(Object.entries(timings).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify({ version: 1, files }, null, 2)}\n`);
}

/** Timings after a run: those of `paths`, as measured where that differs by a quarter and more, else as before. */
export function updatedTimings(before: Timings, measured: Timings, paths: readonly string[]): Timings {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const old = before[path];
      const found = measured[path] ?? old;
      if (found === undefined) return [];
      const isNear = old !== undefined && Math.abs(found - old) <= RELEVANT * Math.max(old, 400);
      return [[path, isNear ? old : Math.round(found)]];
    }),
  );
}

/** How long a file takes, in milliseconds. */
export function expectedMs(path: string, timings: Timings): number {
  return timings[path] ?? UNKNOWN_MS;
}

/** Paths in the order in which they begin. The same seed gives the same order of the same paths. */
export function inOrder(paths: readonly string[], timings: Timings, seed: number): string[] {
  const ms = (path: string) => expectedMs(path, timings);
  const long = paths.filter((path) => ms(path) >= LONG_MS).sort((a, b) => ms(b) - ms(a));
  const short = paths.filter((path) => ms(path) < LONG_MS).sort();
  const [shuffled = []] = fc.sample(fc.shuffledSubarray(short, { minLength: short.length }), { seed, numRuns: 1 });
  return [...long, ...shuffled];
}
