/**
 * `bun run test`: every test on the embedded store, then those that open a runtime by test/support again on a server: DATABASE_URL
 * if it is set, else a throw-away cluster of the system's own PostgreSQL where there is one, and those that drive a browser,
 * where Chromium is installed. Tests without a runtime run once; those of db/ open both kinds of store themselves.
 * The files of each round are split into parts, each a process of `bun test`. Twice as many parts as there are cores run at a
 * time, since a part waits about half of its time: for the store, for programs, for deadlines. The output of a part is shown
 * when it has ended. Runtimes start from copies of a migrated database (test_database.ts).
 * Arguments narrow the run to files whose path contains one of them. The last line sums up: `N passed, N failed`; a process
 * that dies or hangs counts as a failure.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { browserPath } from "./support/harness/browser_path.ts";
import { startCluster } from "./support/harness/cluster.ts";
import { sweepLeftovers } from "./support/harness/leftovers.ts";
import { type SharedServer, shareEmbedded, shareServer } from "./support/harness/test_database.ts";

const ROOT = join(import.meta.dir, "..");
const TEST_TIMEOUT_MS = 60_000;
/** For a process that hangs: on a busy machine one that does not takes some minutes. */
const RUN_TIMEOUT_MS = 1_800_000;
const WORKERS = 2 * availableParallelism();
/** Parts of a round at most, so that the workers finish at about the same time. */
const PARTS = 4;
/** Files of a part at least: starting a process takes as long as a small file. */
const FILES_OF_PART = 4;
/** Parts that use one server at a time: an embedded server accepts 100 connections, and a runtime opens up to 12. */
const PARTS_OF_SERVER = 3;
/** A test that opens a runtime by these runs a second time on a server: they take the store that DATABASE_URL names. */
const OPENS_RUNTIME = /from "(?:\.\.\/)+support\/harness\/(?:test_runtime|scenario|attachments)\.ts"/;

/**
 * Files that open a runtime and run on the embedded store only, with what they are about. What they test happens outside the
 * store, and the statements that their requests lead to are those of files that run on both.
 */
const ONE_STORE: Readonly<Record<string, string>> = {
  "test/content/large_pages_test.ts": "how long large texts take to convert",
  "test/monitoring/dashboard_reporter_test.ts": "the script that runs on hosts",
  "test/server/load_docs_test.ts": "the command that loads files, which sends requests",
  "test/server/replicas_test.ts": "servers and replicas of its own",
  "test/server/theme_modules_test.ts": "files of themes and what they render",
  "test/server/theme_test.ts": "files of themes and what they render",
  "test/transfer/pdf_test.ts": "the child process that renders PDF",
  "test/web/screen_languages_test.ts": "texts of screens in each language",
};

/** How a run of `bun test` ended. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

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

/** A process of `bun test` that is to run. */
interface Part {
  readonly title: string;
  readonly files: readonly string[];
  readonly env: SharedServer["env"];
}

/** Splits the files of a round into parts: in turn, since neighbours often take about as long. */
function partsOf(title: string, files: readonly string[], env: SharedServer["env"]): Part[] {
  const count = Math.min(PARTS, Math.ceil(files.length / FILES_OF_PART));
  return Array.from({ length: count }, (_, part) => ({
    title: count === 1 ? title : `${title}, part ${part + 1} of ${count}`,
    files: files.filter((_, at) => at % count === part),
    env,
  }));
}

async function run({ title, files, env }: Part): Promise<Outcome> {
  process.stderr.write(`-- ${title}: ${files.length} files\n`);
  const paths = files.map((file) => `./${file}`);
  const child = Bun.spawn([process.execPath, "test", "--timeout", String(TEST_TIMEOUT_MS), ...paths], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: RUN_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const text = await read(child.stderr, child.exited);
  process.stderr.write(`\n== ${title}\n${text}`);
  const code = await child.exited;
  if (child.signalCode)
    process.stdout.write(`\nended by ${child.signalCode}, at the latest after ${RUN_TIMEOUT_MS} ms\n`);
  // Tests print too, so the summary is the last such line; a run that dies counts as failed even where no test did.
  const count = (word: string) => Number([...text.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  return { passed: count("pass"), failed: Math.max(count("fail"), code === 0 ? 0 : 1) };
}

/** Reads a stream until a second after the process's end: a server left behind may hold its other end. */
async function read(stream: ReadableStream<Uint8Array>, exited: Promise<number>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let timer: Timer | undefined;
  void exited.then(() => {
    timer = setTimeout(() => void reader.cancel(), 1000);
  });
  let text = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    text += decoder.decode(value, { stream: true });
  await exited;
  clearTimeout(timer);
  return text;
}

/** The server of the second round; undefined, with a line that says why, where there is none. */
async function secondServer(files: readonly string[]): Promise<(SharedServer & { title: string }) | undefined> {
  if (files.length === 0) return skipped("on a server", "none of the files chosen needs the store");
  const given = process.env.DATABASE_URL;
  const cluster = given ? undefined : await startCluster();
  const url = given || cluster?.url;
  if (url === undefined) return skipped("on a server", "no PostgreSQL is installed here and DATABASE_URL is not set");
  try {
    const { env, stop } = await shareServer(url);
    return {
      title: given ? "on the server of DATABASE_URL" : "on a throw-away PostgreSQL server",
      env,
      async stop() {
        await stop();
        await cluster?.stop();
      },
    };
  } catch (error) {
    await cluster?.stop();
    throw error;
  }
}

function skipped(what: string, why: string): undefined {
  process.stdout.write(`\n== skipped ${what}: ${why}\n`);
}

/** Whether the tests in a browser can run; a line says why not. */
function hasBrowser(files: readonly string[]): boolean {
  if (files.length > 0 && browserPath() === undefined)
    skipped("in a browser", "no Chromium is installed here and CHROMIUM names none");
  return browserPath() !== undefined;
}

async function main(filters: readonly string[]): Promise<number> {
  const absent = Object.keys(ONE_STORE).filter((path) => !existsSync(join(ROOT, path)));
  if (absent.length > 0) throw new Error(`Cannot find ${absent.join()}, named by ONE_STORE in test/run.ts`);
  const files = testFiles().filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  if (files.length === 0)
    process.stdout.write(`No test file has ${filters.map((filter) => `"${filter}"`).join(" or ")}\n`);
  const browser = files.filter(needsBrowser);
  const runtime = files.filter((file) => opensRuntime(file) && !needsBrowser(file));
  const rest = files.filter((file) => !opensRuntime(file) && !needsBrowser(file));
  const again = runtime.filter((file) => !(file in ONE_STORE));
  const embedded = await shareEmbedded();
  const outcomes: Outcome[] = [];
  const server = await secondServer(again).catch((error: unknown) => {
    outcomes.push(failure(error));
    return undefined;
  });
  const rounds = [
    hasBrowser(browser) ? partsOf("in a browser", browser, embedded.env) : [],
    partsOf("on the embedded store", runtime, embedded.env),
    partsOf("without a runtime in the process", rest, embedded.env),
    server ? partsOf(server.title, again, server.env) : [],
  ];
  outcomes.push(...(await runParts(inTurn(rounds))));
  await server?.stop();
  await embedded.stop();
  sweepLeftovers();
  const { passed, failed } = sum(outcomes);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/**
 * Runs parts in their order, as many at a time as there are workers, but PARTS_OF_SERVER on one server. One that cannot start
 * fails without ending the others.
 */
async function runParts(parts: readonly Part[]): Promise<Outcome[]> {
  const waiting = [...parts];
  const running = new Map<Part, Promise<void>>();
  const outcomes: Outcome[] = [];
  const isFree = ({ env }: Part) => [...running.keys()].filter((part) => part.env === env).length < PARTS_OF_SERVER;
  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < WORKERS ? waiting.findIndex(isFree) : -1;
    if (next < 0) {
      await Promise.race(running.values());
      continue;
    }
    const [part] = waiting.splice(next, 1) as [Part];
    const ended = run(part)
      .catch(failure)
      .then((outcome) => {
        outcomes.push(outcome);
        running.delete(part);
      });
    running.set(part, ended);
  }
  return outcomes;
}

function failure(error: unknown): Outcome {
  process.stdout.write(`\n${String(error)}\n`);
  return { passed: 0, failed: 1 };
}

function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((passed, outcome) => passed + outcome.passed, 0),
    failed: outcomes.reduce((failed, outcome) => failed + outcome.failed, 0),
  };
}

process.exitCode = await main(process.argv.slice(2));
