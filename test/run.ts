/**
 * `bun run test`: every test on the embedded store, then those that open a runtime by test/support again on a server: DATABASE_URL
 * if it is set, else a throw-away cluster of the system's own PostgreSQL where there is one, and those that drive a browser,
 * where Chromium is installed. Tests without a runtime run once; those of db/ open both kinds of store themselves.
 * Each of these parts is a process of `bun test`; two run side by side, for two cores. The output of one is shown while it
 * runs, that of the others when they have ended. Runtimes start from copies of a migrated database (test_database.ts).
 * Arguments narrow the run to files whose path contains one of them. The last line sums up: `N passed, N failed`; a process
 * that dies or hangs counts as a failure.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browserPath } from "./support/harness/browser.ts";
import { startCluster } from "./support/harness/cluster.ts";
import { sweepLeftovers } from "./support/harness/leftovers.ts";
import { type SharedServer, shareEmbedded, shareServer } from "./support/harness/test_database.ts";

const ROOT = join(import.meta.dir, "..");
const TEST_TIMEOUT_MS = 60_000;
/** For a process that hangs: on a busy machine one that does not takes a quarter of an hour. */
const RUN_TIMEOUT_MS = 2_400_000;
/** Parts that run side by side, for two cores. */
const WORKERS = 2;
/** A test that opens a runtime by these runs a second time on a server: they take the store that DATABASE_URL names. */
const OPENS_RUNTIME = /from "(?:\.\.\/)+support\/harness\/(?:test_runtime|scenario|attachments)\.ts"/;

/** How a run of `bun test` ended. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const NOTHING: Outcome = { passed: 0, failed: 0 };

/** Test files in the order of their paths, from the top of Lectern. */
function testFiles(): string[] {
  const glob = new Bun.Glob("{core,db,plugins,themes,test}/**/*{_test,.test}.ts");
  return [...glob.scanSync({ cwd: ROOT })].filter((path) => !/^test\/bench\/|node_modules/.test(path)).sort();
}

function opensRuntime(file: string): boolean {
  return file.startsWith("test/") && OPENS_RUNTIME.test(readFileSync(join(ROOT, file), "utf8"));
}

/** Tests that drive a browser, which few machines have where they look for it; they run apart, on one store. */
function needsBrowser(file: string): boolean {
  return file.startsWith("test/browser/");
}

/** Runs tests; `shows` is false for a run beside another one, whose output would come between. */
async function suite(
  title: string,
  files: readonly string[],
  env: SharedServer["env"],
  shows = false,
): Promise<Outcome> {
  if (files.length === 0) return NOTHING;
  const head = `\n== ${title}\n`;
  if (shows) process.stderr.write(head);
  const paths = files.map((file) => `./${file}`);
  const child = Bun.spawn([process.execPath, "test", "--timeout", String(TEST_TIMEOUT_MS), ...paths], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: shows ? "inherit" : "ignore",
    stderr: "pipe",
    timeout: RUN_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const text = await shown(child.stderr, child.exited, shows);
  if (!shows) process.stderr.write(head + text);
  const code = await child.exited;
  if (child.signalCode)
    process.stdout.write(`\nended by ${child.signalCode}, at the latest after ${RUN_TIMEOUT_MS} ms\n`);
  // Tests print too, so the summary is the last such line; a run that dies counts as failed even where no test did.
  const count = (word: string) => Number([...text.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  return { passed: count("pass"), failed: Math.max(count("fail"), code === 0 ? 0 : 1) };
}

/** Shows a stream and keeps it, until a second after the process's end: a server left behind may hold its other end. */
async function shown(stream: ReadableStream<Uint8Array>, exited: Promise<number>, shows: boolean): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let timer: Timer | undefined;
  void exited.then(() => {
    timer = setTimeout(() => void reader.cancel(), 1000);
  });
  let text = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const words = decoder.decode(value, { stream: true });
    if (shows) process.stderr.write(words);
    text += words;
  }
  await exited;
  clearTimeout(timer);
  return text;
}

async function onServer(files: readonly string[]): Promise<Outcome> {
  if (files.length === 0) return skipped("none of the files chosen needs the store");
  const given = process.env.DATABASE_URL;
  const cluster = given ? undefined : await startCluster();
  const url = given || cluster?.url;
  if (url === undefined) return skipped("no PostgreSQL is installed here and DATABASE_URL is not set");
  let server: SharedServer | undefined;
  try {
    server = await shareServer(url);
    const title = given ? "on the server of DATABASE_URL" : "on a throw-away PostgreSQL server";
    return await suite(title, files, server.env);
  } finally {
    await server?.stop();
    await cluster?.stop();
  }
}

async function inBrowser(files: readonly string[], env: SharedServer["env"]): Promise<Outcome> {
  if (files.length === 0) return NOTHING;
  if (browserPath() !== undefined) return suite("in a browser", files, env);
  return skipped("no Chromium is installed here and CHROMIUM names none", "in a browser");
}

function skipped(why: string, what = "on a server"): Outcome {
  process.stdout.write(`\n== skipped ${what}: ${why}\n`);
  return NOTHING;
}

async function main(filters: readonly string[]): Promise<number> {
  const files = testFiles().filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  if (files.length === 0)
    process.stdout.write(`No test file has ${filters.map((filter) => `"${filter}"`).join(" or ")}\n`);
  const browser = files.filter(needsBrowser);
  const runtime = files.filter((file) => opensRuntime(file) && !needsBrowser(file));
  const rest = files.filter((file) => !opensRuntime(file) && !needsBrowser(file));
  const embedded = await shareEmbedded();
  const outcomes = await runParts([
    () => suite("on the embedded store", runtime, embedded.env, true),
    () => onServer(runtime),
    () => suite("without a runtime in the process", rest, embedded.env),
    () => inBrowser(browser, embedded.env),
  ]);
  await embedded.stop();
  sweepLeftovers();
  const { passed, failed } = sum(outcomes);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** Runs parts in their order, as many at a time as there are workers. One that cannot start fails without ending the others. */
async function runParts(parts: readonly (() => Promise<Outcome>)[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...parts];
  const worker = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      try {
        outcomes.push(await part());
      } catch (error) {
        process.stdout.write(`\n${String(error)}\n`);
        outcomes.push({ passed: 0, failed: 1 });
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return outcomes;
}

function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((passed, outcome) => passed + outcome.passed, 0),
    failed: outcomes.reduce((failed, outcome) => failed + outcome.failed, 0),
  };
}

process.exitCode = await main(process.argv.slice(2));
