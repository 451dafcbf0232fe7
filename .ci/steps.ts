/**
 * The list of checks, the same for developers and CI. `bun .ci/steps.ts check` is the quick check before a commit: types of
 * everything; format and promises in the files that differ from the last commit (in those of the last commit, if nothing does);
 * the tests beside files that import them; the source rules, and a few tests over a store. `bun .ci/steps.ts all` is what CI
 * runs: everything, whole. The whole suite is run by the command in the README, so that this command is tested too, with the
 * options that follow `all`: `--full` has every file that opens a runtime run on both stores, `--seed N` gives the order.
 *
 * Small steps run in parallel; those of `all` run one after the other beside the whole suite, which begins by waiting for the
 * servers that it starts. The output of a failing step is shown, and a failing step without tests counts as one failure, so that
 * the last line of `all`, `N passed, N failed`, agrees with the exit code.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../package.json" with { type: "json" };

/** A named check and its command. */
interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Shows its output while it runs instead of only when it fails; its last line contains the numbers of tests. */
  readonly streams?: boolean;
}

/** The result of a step in numbers of tests; a failing step without tests counts as one failure. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const ROOT = join(import.meta.dir, "..");
const WORKERS = 3;
/** Of which the whole suite, the first step, keeps one to its end. */
const BESIDE_SUITE = 2;
const bun = process.execPath;

/** The folder in which the compiler of the quick check keeps what it knows. */
const TYPES_CACHE = "node_modules/.cache/types";
const TYPES: Step = { name: "types", command: [bun, "x", "tsc", "--noEmit"] };
/** Modules for browsers, with the types of browsers. */
const BROWSER_TYPES: Step = {
  name: "types of modules for browsers",
  command: [bun, "x", "tsc", "--noEmit", "--project", "plugins/web/editing/browser"],
};
/**
 * Checks all files, and again only what a change reaches. The declarations are written since the compiler compares a changed file
 * with them: without, the first change of a file counts as one of its types, and most of the tree is checked again (14 s of CPU).
 */
const CHANGED_TYPES: Step = {
  name: "types",
  command: [
    bun,
    "x",
    "tsc",
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    "--outDir",
    TYPES_CACHE,
    "--incremental",
    "--tsBuildInfoFile",
    `${TYPES_CACHE}/tsbuildinfo`,
  ],
};
/** Without names it checks all files. */
const FORMAT: Step = { name: "lint and format", command: [bun, "x", "biome", "check", "--error-on-warnings"] };
const PROMISES: Step = { name: "promises", command: [bun, "x", "oxlint", "--type-aware", "--deny-warnings"] };
/** Tests beside their files that only the whole suite runs, as they start and kill servers or wait for time limits. */
const SLOW = [
  "core/children/pool_test.ts",
  "db/connection/deadline_pool_test.ts",
  "db/connection/hosts_test.ts",
  "db/connection/pooler_test.ts",
  "db/connection/stalled_server_test.ts",
  "db/throwaway_store_test.ts",
  "db/embedded/embedded_test.ts",
  "db/grants/enforcement_test.ts",
  "db/query/write_test.ts",
  "plugins/content/markup/limits_test.ts",
  "plugins/transfer/loader/load_test.ts",
];
/** A few tests of what a change breaks most: statements, roles of plugins, rows and answers. */
const WITH_STORE = ["./db/query/query_test.ts", "./test/content/books_test.ts"];
/** The timeout of the whole suite, sufficient for a slow or busy machine. */
const TEST = [bun, "test", "--timeout", "60000"];

/** The version of Bun is that of its types, which package.json pins. */
function wholeSuite(args: readonly string[]): Step {
  return {
    name: "whole suite",
    command: ["npx", "--yes", `bun@${devDependencies["bun-types"]}`, "run", "test", ...args],
    streams: true,
  };
}

/** The steps of the quick check. Throws where git is not there. */
function quickSteps(): Step[] {
  const isClean = changedSince("HEAD").length === 0;
  const base = isClean && hasCommit("HEAD~1") ? "HEAD~1" : "HEAD";
  const changed = changedSince(base).filter((path) => existsSync(join(ROOT, path)));
  const sources = changed.filter((path) => /\.[jt]s$/.test(path));
  const beside = [...TEST, `--changed=${base}`, "--pass-with-no-tests", ...testsIn("{core,db,plugins,themes}")];
  return [
    CHANGED_TYPES,
    BROWSER_TYPES,
    { name: "tests over a store", command: [...TEST, ...WITH_STORE] },
    { name: "source rules", command: [...TEST, "./test/rules"] },
    ...(sources.length > 0 ? [{ ...PROMISES, command: [...PROMISES.command, ...sources] }] : []),
    // What imports nothing that has changed passes as it did before.
    { name: `tests beside what differs from ${base}`, command: beside },
    ...(changed.length > 0
      ? [{ ...FORMAT, command: [...FORMAT.command, "--no-errors-on-unmatched", ...changed] }]
      : []),
  ];
}

function hasCommit(name: string): boolean {
  return Bun.spawnSync(["git", "rev-parse", "--verify", "--quiet", name], { cwd: ROOT }).exitCode === 0;
}

/** Files that differ from a commit, also those that git does not know yet. */
function changedSince(commit: string): string[] {
  const git = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: ROOT });
    if (exitCode !== 0) throw new Error(`Cannot find what has changed: git printed "${stderr.toString().trim()}"`);
    return stdout.toString().split("\n").filter(Boolean);
  };
  return [...git("diff", "--name-only", commit), ...git("ls-files", "--others", "--exclude-standard")];
}

function testsIn(folder: string): string[] {
  const found = [...new Bun.Glob(`${folder}/**/*_test.ts`).scanSync({ cwd: ROOT })];
  return found.filter((path) => !SLOW.includes(path)).map((path) => `./${path}`);
}

async function run({ name, command, streams = false }: Step): Promise<Outcome> {
  const started = performance.now();
  const child = Bun.spawn([...command], { cwd: ROOT, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    read(child.stdout, streams ? process.stdout : undefined),
    read(child.stderr, streams ? process.stderr : undefined),
  ]);
  const isSuccess = (await child.exited) === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${isSuccess ? "ok  " : "FAIL"} ${name} (${seconds} s)\n`);
  if (!isSuccess && !streams) process.stdout.write(`${out}${err}\n`);
  const counts = /(\d+) passed, (\d+) failed\s*$/.exec(out);
  const failed = Number(counts?.[2] ?? 0);
  return { passed: Number(counts?.[1] ?? 0), failed: isSuccess ? failed : Math.max(failed, 1) };
}

async function read(stream: ReadableStream<Uint8Array>, shown?: NodeJS.WriteStream): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const chunkText = decoder.decode(chunk, { stream: true });
    shown?.write(chunkText);
    text += chunkText;
  }
  return text;
}

/** Runs steps, at most so many in parallel. Returns the outcomes in the order of the steps. */
async function runAll(steps: readonly Step[], workers: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...steps.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return outcomes;
}

async function main([target, ...args]: readonly string[]): Promise<number> {
  if (target !== "all" && (target !== "check" || args.length > 0)) {
    process.stderr.write("Usage: bun .ci/steps.ts check | all [OPTION OF bun run test]…\n");
    return 2;
  }
  const started = performance.now();
  const whole = target === "all";
  // The longest first, so that the short ones fill the gaps.
  const outcomes = whole
    ? await runAll([wholeSuite(args), TYPES, PROMISES, FORMAT, BROWSER_TYPES], BESIDE_SUITE)
    : await runAll(quickSteps(), WORKERS);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  // `.ci/run` says how long its own part took.
  const seconds = Math.round((performance.now() - started) / 1000) + Number(process.env.CI_SECONDS ?? 0);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  if (!whole) process.stdout.write(`${failed === 0 ? "All checks passed" : "Checks failed"} in ${time}\n`);
  else process.stdout.write(`${passed} passed, ${failed} failed in ${time}\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
