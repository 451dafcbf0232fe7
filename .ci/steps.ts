/**
 * The one list of checks, the same at home and on the server: `bun .ci/steps.ts check` for the quick ones (types, lint and
 * format, house rules, tests that need no database), `bun .ci/steps.ts all` for those and the whole suite. Steps of one
 * group run side by side; a failing step shows what it printed.
 */

/** A named check: a command, and the environment it needs. */
interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Shows its output while it runs instead of only when it fails. */
  readonly streams?: boolean;
}

const bun = process.execPath;

const CHECK: readonly Step[] = [
  { name: "types", command: [bun, "x", "tsc", "--noEmit"] },
  { name: "lint and format", command: [bun, "x", "biome", "check", "--error-on-warnings", "."] },
  { name: "house rules", command: [bun, "test", "./test/rules"] },
  { name: "fast tests", command: [bun, "test", "./core", "./plugins"] },
];

/** The README's own test command, word for word, so that what it promises is what is checked. */
const SUITE: readonly Step[] = [
  { name: "whole suite", command: ["npx", "--yes", "bun@1.4.5", "run", "test"], streams: true },
];

async function run({ name, command, streams = false }: Step): Promise<boolean> {
  const started = performance.now();
  const child = Bun.spawn([...command], {
    stdout: streams ? "inherit" : "pipe",
    stderr: streams ? "inherit" : "pipe",
    stdin: "ignore",
  });
  const [out, err] = streams
    ? ["", ""]
    : await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const passed = (await child.exited) === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name} (${seconds} s)\n`);
  if (!passed && !streams) process.stdout.write(`${out}${err}\n`);
  return passed;
}

async function main(wish: string | undefined): Promise<number> {
  if (wish !== "check" && wish !== "all") {
    process.stderr.write("Usage: bun .ci/steps.ts check | all\n");
    return 2;
  }
  const checked = await Promise.all(CHECK.map(run));
  const suite = wish === "all" ? await Promise.all(SUITE.map(run)) : [];
  return [...checked, ...suite].every(Boolean) ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
