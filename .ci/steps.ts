/**
 * The one list of checks, the same at home and on the server. `bun .ci/steps.ts check` is the quick one before a commit:
 * types, lint and format, promises, the source rules, the tests beside their files. `bun .ci/steps.ts all` is what the
 * server runs: the same, with every test. It does not run the quick tests apart, as the whole suite holds them, and calls
 * that suite by the README's own command, so that what the README promises is what is checked.
 *
 * Steps that need little run side by side, on two cores. A failing step shows what it printed, and one without tests
 * counts as one failure, so that the last line of `all`, `N passed, N failed`, never looks better than the exit code.
 */
import { join } from "node:path";
import { dependencies } from "../package.json" with { type: "json" };

/** A named check and its command. */
interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Shows its output while it runs instead of only when it fails; its last line tells the tests that passed and failed. */
  readonly streams?: boolean;
}

/** How a step ended, in tests; a step without tests that fails is one failure. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const ROOT = join(import.meta.dir, "..");
const bun = process.execPath;

const READING: readonly Step[] = [
  { name: "types", command: [bun, "x", "tsc", "--noEmit"] },
  { name: "lint and format", command: [bun, "x", "biome", "check", "--error-on-warnings", "."] },
  { name: "promises", command: [bun, "x", "oxlint", "--type-aware", "--deny-warnings"] },
];
/** Tests beside their files that are left to the whole suite, as they start and kill servers for half a minute. */
const SLOW = ["db/embedded/embedded_test.ts"];
/** A slow or busy machine is no failure; the same as in the whole suite. */
const TEST = [bun, "test", "--timeout", "60000"];
const QUICK_TESTS: readonly Step[] = [
  { name: "source rules", command: [...TEST, "./test/rules"] },
  { name: "tests of the store", command: [...TEST, ...testsIn("db")] },
  { name: "tests beside files", command: [...TEST, ...testsIn("{core,plugins,themes}")] },
];
/** Bun has the version of its types, which package.json pins. */
const WHOLE_SUITE: Step = {
  name: "whole suite",
  command: ["npx", "--yes", `bun@${dependencies["bun-types"]}`, "run", "test"],
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
  const good = (await child.exited) === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${good ? "ok  " : "FAIL"} ${name} (${seconds} s)\n`);
  if (!good && !streams) process.stdout.write(`${out}${err}\n`);
  const told = /(\d+) passed, (\d+) failed\s*$/.exec(out);
  const failed = Number(told?.[2] ?? 0);
  return { passed: Number(told?.[1] ?? 0), failed: good ? failed : Math.max(failed, 1) };
}

async function read(stream: ReadableStream<Uint8Array>, shown?: NodeJS.WriteStream): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const words = decoder.decode(chunk, { stream: true });
    shown?.write(words);
    text += words;
  }
  return text;
}

/** Runs steps side by side, at most two at a time; outcomes in their order. */
async function runAll(steps: readonly Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...steps.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes[next[0]] = await run(next[1]);
  };
  await Promise.all([lane(), lane()]);
  return outcomes;
}

async function main(wish: string | undefined): Promise<number> {
  if (wish !== "check" && wish !== "all") {
    process.stderr.write("Usage: bun .ci/steps.ts check | all\n");
    return 2;
  }
  const started = performance.now();
  const whole = wish === "all";
  // The longest first, so that the short ones fill the other core meanwhile.
  const outcomes = await runAll(whole ? READING : [...QUICK_TESTS.toReversed(), ...READING]);
  if (whole) outcomes.push(await run(WHOLE_SUITE));
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${failed === 0 ? "All good" : "Not good"}, after ${seconds} s\n`);
  if (whole) process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
