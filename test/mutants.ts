/**
 * `bun test/mutants.ts PATH…`: changes the source below each path in small ways, one at a time, and runs the nearest tests: a
 * mutant that no test notices survives, and names something that may be wrong without a failure. By a seed it chooses a fixed
 * number of mutants for each path (`--seed 1`, `--count 40`); `--list` prints them only. A path with a line, as survivors are
 * printed (`db/connection/changes.ts:103`), stands for all mutants of that line.
 *
 * Each nearest test runs once without a mutant, and has to pass; that gives its duration and the lines that it reaches. A mutant
 * meets the tests that reach its line until one fails: first those that killed others of the file, then the quickest. A run
 * beyond its limit counts as killed, and is counted apart. A test that cannot run twice on one server, and a server that broke,
 * would kill everything: so each test that kills runs again without a mutant, after its first kill and at the end.
 *
 * Mutants are written to copies of the source (support/mutants/sandbox.ts); which there are says support/mutants/operators.ts. It
 * takes some minutes for each path, and CI does not run it. The score counts survivors that change nothing, so 100 % is not the aim.
 */
import { readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { endLeftovers } from "./support/harness/leftover_processes.ts";
import { folderOfRun, placeOfRun } from "./support/harness/leftovers.ts";
import { choose } from "./support/mutants/choice.ts";
import { type Coverage, reaches } from "./support/mutants/coverage.ts";
import { nearestTests, sourcesOf } from "./support/mutants/nearest.ts";
import { apply, isValid, type Mutant, mutantsOf } from "./support/mutants/operators.ts";
import { Sandbox, type TestRun } from "./support/mutants/sandbox.ts";

const ROOT = join(import.meta.dir, "..");
/** The limit of a run without a mutant; with one it is LIMIT_MS and FACTOR times as long as without. */
const BASE_LIMIT_MS = 300_000;
const LIMIT_MS = 30_000;
const FACTOR = 4;
/** Copies in which tests run at a time: a test waits about half of its time. */
const SANDBOXES = availableParallelism();

/** A test file as it ran without a mutant. */
interface KnownTest {
  readonly path: string;
  readonly ms: number;
  readonly coverage: Coverage;
}

/** What became of a mutant. */
interface Result {
  readonly mutant: Mutant;
  readonly fate: "killed" | "timed out" | "survived";
  /** The test file that killed it. */
  readonly by: string | undefined;
  /** How many test files reach its line. */
  readonly reached: number;
}

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    list: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

/** The mutants of a path: those chosen by the seed, or all of the line that it names. */
function chosen(path: string): Mutant[] {
  const [, file = path, line] = /^(.+\.ts):(\d+)$/.exec(path) ?? [];
  const files = sourcesOf(ROOT, file).map((source) => {
    const text = readFileSync(join(ROOT, source), "utf8");
    return mutantsOf(source, text).filter((mutant) => isValid(text, mutant));
  });
  if (line !== undefined) return files.flat().filter((mutant) => mutant.line === Number(line));
  return choose(files, { seed: Number(values.seed), count: Number(values.count) });
}

/** Runs tasks in all sandboxes at a time. */
async function inSandboxes<T, R>(
  sandboxes: readonly Sandbox[],
  tasks: readonly T[],
  run: (sandbox: Sandbox, task: T) => Promise<R>,
): Promise<R[]> {
  const waiting = [...tasks.entries()];
  const results: R[] = [];
  const worker = async (sandbox: Sandbox) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await run(sandbox, next[1]);
  };
  await Promise.all(sandboxes.map(worker));
  return results;
}

async function knowTest(sandbox: Sandbox, path: string): Promise<KnownTest> {
  const { coverage, ms } = await passing(path, () => sandbox.cover(path, BASE_LIMIT_MS));
  report(`${(ms / 1000).toFixed(1).padStart(6)} s  ${path}`);
  return { path, ms, coverage };
}

/** A run without a mutant. Throws where the test fails twice; one that fails now and then would kill by chance, and is shown. */
async function passing<R extends TestRun>(path: string, run: () => Promise<R>): Promise<R> {
  const first = await run();
  if (first.outcome === "passed") return first;
  const second = await run();
  if (second.outcome !== "passed")
    throw new Error(`Cannot judge mutants: "${path}" ${second.outcome} without one\n${second.output}`);
  report(`"${path}" ${first.outcome} once without a mutant\n${first.output}`);
  return second;
}

async function repeated(sandbox: Sandbox, path: string): Promise<void> {
  await passing(path, () => sandbox.run(path, BASE_LIMIT_MS));
}

async function judge(sandbox: Sandbox, mutant: Mutant, tests: readonly KnownTest[]): Promise<Result> {
  const text = readFileSync(join(ROOT, mutant.path), "utf8");
  const reaching = tests.filter(({ coverage }) => reaches(coverage, mutant.path, mutant.line));
  const result = { mutant, reached: reaching.length };
  sandbox.write(mutant.path, apply(text, mutant));
  try {
    for (const { path, ms } of reaching) {
      const { outcome } = await sandbox.run(path, LIMIT_MS + FACTOR * ms);
      if (outcome !== "passed") return { ...result, fate: outcome === "failed" ? "killed" : outcome, by: path };
    }
    return { ...result, fate: "survived", by: undefined };
  } finally {
    sandbox.write(mutant.path, text);
  }
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A mutant on one line. */
function shown({ path, line, before, after }: Mutant): string {
  const short = (text: string) => {
    const flat = text.replaceAll(/\s+/g, " ");
    return flat.length > 100 ? `${flat.slice(0, 97)}...` : flat;
  };
  return `${path}:${line}: ${short(before)} -> ${after === ";" ? "nothing" : short(after)}`;
}

/** The score of each folder, as a table. */
function scores(results: readonly Result[]): string {
  const folders = Map.groupBy(results, ({ mutant }) => dirname(mutant.path));
  const lines = [...folders].map(([folder, some]) => {
    const count = (fate: Result["fate"]) => some.filter((result) => result.fate === fate).length;
    const score = ((100 * (some.length - count("survived"))) / some.length).toFixed(0);
    const cells = [count("killed"), count("timed out"), count("survived"), `${score} %`];
    return folder.padEnd(40) + cells.map((cell) => String(cell).padStart(11)).join("");
  });
  const titles = ["killed", "timed out", "survived", "score"].map((title) => title.padStart(11)).join("");
  return [`${"folder".padEnd(40)}${titles}`, ...lines].join("\n");
}

async function main(): Promise<number> {
  if (positionals.length === 0) {
    report("Usage: bun test/mutants.ts PATH… [--seed 1] [--count 40] [--list]");
    return 2;
  }
  const mutants = positionals.flatMap(chosen);
  if (values.list || mutants.length === 0) {
    process.stdout.write(`${mutants.map(shown).join("\n")}\n${mutants.length} mutants\n`);
    return 0;
  }
  const folder = folderOfRun(placeOfRun());
  // Whatever a test creates is below the folder, also what it leaves behind.
  process.env.TMPDIR = folder;
  const end = async () => {
    await endLeftovers(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
  const sandboxes = await Promise.all(Array.from({ length: SANDBOXES }, () => Sandbox.open(ROOT)));
  try {
    const results = await resultsOf(sandboxes, mutants);
    const survivors = results.filter(({ fate }) => fate === "survived");
    const lines = survivors.map(
      ({ mutant, reached }) => shown(mutant) + (reached === 0 ? " (no test reaches it)" : ""),
    );
    process.stdout.write(`\nSurvived:\n${lines.join("\n")}\n\n${scores(results)}\n\n`);
    process.stdout.write(
      `bun test/mutants.ts ${positionals.join(" ")} --seed ${values.seed} --count ${values.count}\n`,
    );
    return 0;
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    await end();
  }
}

/** How often each test has killed mutants of each file; one that is named after the file begins with one. */
class Kills {
  readonly #kills = new Map<string, Map<string, number>>();

  of(path: string, test: string): number {
    const isNamesake = basename(test) === `${basename(path, ".ts")}_test.ts`;
    return (this.#kills.get(test)?.get(path) ?? 0) + (isNamesake ? 1 : 0);
  }

  add(path: string, test: string): void {
    const files = this.#kills.get(test) ?? new Map<string, number>();
    this.#kills.set(test, files.set(path, (files.get(path) ?? 0) + 1));
  }

  has(test: string): boolean {
    return this.#kills.has(test);
  }

  /** The tests that have killed. */
  tests(): string[] {
    return [...this.#kills.keys()];
  }
}

async function resultsOf(sandboxes: readonly Sandbox[], mutants: readonly Mutant[]): Promise<Result[]> {
  const nearest = new Map(
    [...new Set(mutants.map(({ path }) => path))].map((path) => [path, nearestTests(ROOT, path)]),
  );
  const paths = [...new Set([...nearest.values()].flat())];
  const known = (await inSandboxes(sandboxes, paths, knowTest)).sort((a, b) => a.ms - b.ms);
  const kills = new Kills();
  const results = await inSandboxes(sandboxes, mutants, async (sandbox, mutant) => {
    const near = known.filter(({ path }) => nearest.get(mutant.path)?.includes(path));
    const byKills = near.sort((a, b) => kills.of(mutant.path, b.path) - kills.of(mutant.path, a.path));
    const result = await judge(sandbox, mutant, byKills);
    if (result.by !== undefined) {
      if (!kills.has(result.by)) await repeated(sandbox, result.by);
      kills.add(mutant.path, result.by);
    }
    report(`${result.fate.padEnd(10)} ${shown(mutant)}${result.by === undefined ? "" : ` (${result.by})`}`);
    return result;
  });
  await inSandboxes(sandboxes, kills.tests(), repeated);
  return results;
}

process.exitCode = await main();
