/**
 * The list of checks, the same for developers and CI. `bun .ci/steps.ts check` is the quick check before a commit: types,
 * lint and format, promises, source rules, tests beside their files. `bun .ci/steps.ts all` is what CI runs: the same with
 * every test. The quick tests are part of the whole suite, which is run by the command in the README, so that this command
 * is tested too.
 *
 * Small steps run in parallel: three on two cores, as the tests of the store mostly wait. The output of a failing step is shown,
 * and a failing step without tests counts as one failure, so that the last line of `all`, `N passed, N failed`, agrees with
 * the exit code.
 */
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
const bun = process.execPath;

const FORMAT: Step = { name: "lint and format", command: [bun, "x", "biome", "check", "--error-on-warnings", "."] };
const OXLINT = [bun, "x", "oxlint", "--type-aware", "--deny-warnings"];
/** One program of TypeScript for types and promises: two would check every type twice. */
const TYPES_AND_PROMISES: Step = { name: "types and promises", command: [...OXLINT, "--type-check"] };
/** CI asks the compiler itself: what oxlint reports of types is less proven. */
const STATIC: readonly Step[] = [
  { name: "types", command: [bun, "x", "tsc", "--noEmit"] },
  FORMAT,
  { name: "promises", command: OXLINT },
];
/** Tests beside their files that only the whole suite runs, as they start and kill servers or wait for time limits. */
const SLOW = [
  "core/children/pool_test.ts",
  "db/connection/deadline_pool_test.ts",
  "db/connection/hosts_test.ts",
  "db/connection/pooler_test.ts",
  "db/connection/stalled_server_test.ts",
  "db/connection/throwaway_store_test.ts",
  "db/embedded/embedded_test.ts",
  "db/grants/enforcement_test.ts",
  "db/query/write_test.ts",
  "plugins/content/markup/limits_test.ts",
  "plugins/transfer/loader/load_test.ts",
];
/** The timeout of the whole suite, sufficient for a slow or busy machine. */
const TEST = [bun, "test", "--timeout", "60000"];
const QUICK_TESTS: readonly Step[] = [
  { name: "tests of the store", command: [...TEST, ...testsIn("db")] },
  { name: "tests beside files", command: [...TEST, ...testsIn("{core,plugins,themes}")] },
  { name: "source rules", command: [...TEST, "./test/rules"] },
];
/** The version of Bun is that of its types, which package.json pins. */
const WHOLE_SUITE: Step = {
  name: "whole suite",
  command: ["npx", "--yes", `bun@${devDependencies["bun-types"]}`, "run", "test"],
  streams: true,
};

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

/** Runs steps, at most WORKERS in parallel. Returns the outcomes in the order of the steps. */
async function runAll(steps: readonly Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...steps.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return outcomes;
}

async function main(target: string | undefined): Promise<number> {
  if (target !== "check" && target !== "all") {
    process.stderr.write("Usage: bun .ci/steps.ts check | all\n");
    return 2;
  }
  const started = performance.now();
  const whole = target === "all";
  // The longest first, so that the short ones fill the gaps.
  const outcomes = await runAll(whole ? STATIC : [TYPES_AND_PROMISES, ...QUICK_TESTS, FORMAT]);
  if (whole) outcomes.push(await run(WHOLE_SUITE));
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${failed === 0 ? "All checks passed" : "Checks failed"}, after ${seconds} s\n`);
  if (whole) process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
