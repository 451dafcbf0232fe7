/**
 * `bun run test`: every test on the embedded store, and the files of `both_stores.ts` also on a PostgreSQL server: DATABASE_URL if
 * it is set, else a throw-away cluster of the system's own PostgreSQL where there is one. That server also plans each statement
 * that the others have sent. Tests in a browser run where Chromium is installed, and one where Firefox is.
 *
 * `bun run test pages roles` runs the files whose path contains one of the words. Options: `--full` runs every file that opens a
 * runtime on both stores; `--seed N` gives the order of the files of an earlier run; `-t PATTERN` narrows files to tests;
 * `--update-timings` writes what files took to .ci/timings.json; `--junit FOLDER` writes a report of each queue.
 *
 * Failures are shown when they happen. The last line sums up: `N passed, N failed`; a process that dies or hangs is a failure.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, constants } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { browserPath, firefoxPath } from "./support/harness/browser_path.ts";
import { type Cluster, SERVER_VARIABLE, startCluster } from "./support/harness/cluster.ts";
import { endLeftovers } from "./support/harness/leftover_processes.ts";
import { folderOfRun, placeOfRun } from "./support/harness/leftovers.ts";
import { makeProgramRoot, makeReadyFolder, PROGRAM_VARIABLE, READY_VARIABLE } from "./support/harness/program.ts";
import { STATEMENTS_VARIABLE } from "./support/harness/sent_statements.ts";
import { type SharedServer, shareEmbedded, shareServer, TEMPLATE_VARIABLE } from "./support/harness/test_database.ts";
import { BOTH_STORES } from "./support/suite/both_stores.ts";
import { readTimings, updatedTimings, writeTimings } from "./support/suite/order.ts";
import { planStatements } from "./support/suite/planned_statements.ts";
import { showProgress } from "./support/suite/progress.ts";
import { type RunningQueue, startQueue, TEST_TIMEOUT_MS } from "./support/suite/queue.ts";
import {
  needsBrowser,
  needsFirefox,
  opensRuntime,
  opensStores,
  ROOT,
  startsPrograms,
  testFiles,
} from "./support/suite/test_files.ts";

const TIMINGS = join(ROOT, ".ci/timings.json");
/** Files wait for two thirds of their time: for the store, for programs, for deadlines; the longest, which begin, for most of it. */
const WORKERS = 3 * availableParallelism();

/** What the arguments ask for. */
interface Wanted {
  readonly filters: readonly string[];
  readonly full: boolean;
  readonly seed: number;
  readonly title?: string | undefined;
  readonly updatesTimings: boolean;
  readonly junit?: string | undefined;
}

function wanted(args: readonly string[]): Wanted {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      seed: { type: "string" },
      "test-name-pattern": { type: "string", short: "t" },
      "update-timings": { type: "boolean", default: false },
      junit: { type: "string" },
    },
  });
  const seed = values.seed === undefined ? seedOfCommit() : Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed is "${values.seed}": wanted a whole number`);
  return {
    filters: positionals,
    full: values.full,
    seed,
    title: values["test-name-pattern"],
    updatesTimings: values["update-timings"],
    junit: values.junit,
  };
}

/** A number by the commit, so that each commit has an order of its own, which is that of every run of it; 1 without git. */
function seedOfCommit(): number {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? Number.parseInt(stdout.trim().slice(0, 7), 16) : 1;
}

/** A line about tests that do not run here. */
function skipped(what: string, why: string): undefined {
  process.stdout.write(`skipped ${what}: ${why}\n`);
}

/** A throw-away cluster of the system's own PostgreSQL; undefined, with a line that says so, where there is none. */
async function throwAwayCluster(): Promise<Cluster | undefined> {
  return (await startCluster({ fast: true })) ?? skipped("on a throw-away server", "no PostgreSQL is installed here");
}

/** The files that run, without those of a browser that is absent; none where a filter is in no path. */
function chosenFiles(filters: readonly string[]): string[] {
  const all = testFiles();
  const unknown = filters.filter((filter) => !all.some((path) => path.includes(filter)));
  if (unknown.length > 0) {
    process.stdout.write(`No test file has ${unknown.map((each) => `"${each}"`).join(" or ")}\n`);
    return [];
  }
  const files = all.filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)));
  const isAbsent = { chromium: browserPath() === undefined, firefox: firefoxPath() === undefined };
  const needsChromium = (path: string) => needsBrowser(path) && !needsFirefox(path);
  if (isAbsent.chromium && files.some(needsChromium))
    skipped("in a browser", "no Chromium is installed here and CHROMIUM names none");
  if (isAbsent.firefox && files.some(needsFirefox))
    skipped("in Firefox", "none is installed here and FIREFOX names none");
  return files.filter(
    (path) => !(isAbsent.chromium && needsChromium(path)) && !(isAbsent.firefox && needsFirefox(path)),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Has the second server plan what the tests have sent to the embedded store. Shows and counts what it refuses. */
async function refusedStatements({ env }: SharedServer, folder: string): Promise<number> {
  const server = { url: env.DATABASE_URL ?? "", template: env[TEMPLATE_VARIABLE] ?? "" };
  const { version, planned, utility, refusedByBoth, leftOut, refused } = await planStatements(folder, server);
  const tables = Object.keys(leftOut).length;
  const ofTests = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `PostgreSQL ${version} planned ${planned} statements; not plannable: ${utility}, refused by both stores: ${refusedByBoth}, ` +
      `on ${tables} tables and functions of tests: ${ofTests}\n`,
  );
  for (const finding of refused) process.stdout.write(`(fail) refused by PostgreSQL ${version}: ${finding}\n`);
  return refused.length;
}

/** What ends a run that was interrupted or failed; those added later are called first. */
type Ends = (() => unknown)[];

/** The cluster for files that open stores of both kinds, and the second server with its template; what no file needs is undefined. */
async function otherServer(
  opens: boolean,
  isNeeded: boolean,
  ends: Ends,
): Promise<{ cluster?: Cluster | undefined; server?: SharedServer | undefined }> {
  const cluster = opens || isNeeded ? await throwAwayCluster() : undefined;
  const url = process.env.DATABASE_URL || cluster?.url;
  if (url === undefined || !isNeeded) return { cluster };
  const server = await shareServer(url);
  if (process.env.DATABASE_URL) ends.push(() => server.stop());
  return { cluster, server };
}

/** The copy of Lectern and the data folder for programs that tests start: environment variables, and what removes the copy. */
async function sharedProgram(ends: Ends): Promise<{ env: Record<string, string>; remove: () => void }> {
  const made = makeProgramRoot().then((root) => {
    const remove = () => rmSync(root, { recursive: true, force: true });
    ends.push(remove);
    return { root, remove };
  });
  const [{ root, remove }, ready] = await Promise.all([made, makeReadyFolder()]);
  return { env: { [PROGRAM_VARIABLE]: root, [READY_VARIABLE]: ready }, remove };
}

async function main({ filters, full, seed, title, updatesTimings, junit }: Wanted, ends: Ends): Promise<number> {
  const started = performance.now();
  const files = chosenFiles(filters);
  const again = files.filter((path) => (full ? opensRuntime(path) && !needsBrowser(path) : path in BOTH_STORES));
  process.stdout.write(`${files.length} files, ${again.length} of them on two stores; seed ${seed}\n`);
  const timings = readTimings(TIMINGS);
  const folder = folderOfRun(placeOfRun());
  // Whatever a test creates goes with the folder at the end, also what a killed process left behind.
  process.env.TMPDIR = folder;
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  ends.push(() => endLeftovers(folder));
  // Side by side, as each waits for processes that it has started.
  const [embedded, { cluster, server }, program] = await Promise.all([
    shareEmbedded(),
    otherServer(files.some(opensStores), again.length > 0, ends),
    files.some(startsPrograms) ? sharedProgram(ends) : undefined,
  ]);
  const queues: RunningQueue[] = [];
  ends.push(() => queues.forEach((queue) => void queue.kill()));
  const progress = showProgress(queues, timings);
  const start = (name: string, env: SharedServer["env"], paths: readonly string[], workers: number, full: boolean) => {
    if (paths.length === 0) return;
    const own = mkdtempSync(join(folder, `${name}-`));
    const report = junit === undefined ? [] : ["--reporter=junit", `--reporter-outfile=${join(junit, `${name}.xml`)}`];
    queues.push(
      startQueue({
        title: name,
        files: paths,
        workers,
        env,
        args: [...report, ...(title === undefined ? [] : ["-t", title])],
        timings,
        seed,
        folder: own,
        show: progress.show,
        repeatOf: (path, test) => {
          const only = test === undefined ? "" : ` -t ${quoted(test)}`;
          return full ? `bun run test --full ${path}${only}` : `bun test --timeout ${TEST_TIMEOUT_MS} ./${path}${only}`;
        },
      }),
    );
  };
  if (!server && files.some(opensRuntime))
    skipped("the planning of statements on a second server", "no chosen file runs on it, or there is none");
  const statements = server && files.some(opensRuntime) ? mkdtempSync(join(folder, "statements-")) : undefined;
  const env = {
    ...embedded.env,
    ...(statements !== undefined && { [STATEMENTS_VARIABLE]: statements }),
    ...(cluster && { [SERVER_VARIABLE]: cluster.url }),
    ...program?.env,
  };
  const ofServer = full ? Math.ceil(WORKERS / 2) : 2;
  start("embedded", env, files, server ? WORKERS - ofServer : WORKERS, false);
  if (server) start("server", server.env, again, ofServer, true);
  const outcomes = await Promise.all(queues.map(({ done }) => done));
  progress.end();
  const refused = server && statements !== undefined ? await refusedStatements(server, statements) : 0;
  await server?.stop();
  await cluster?.stop();
  await embedded.stop();
  program?.remove();
  rmSync(folder, { recursive: true, force: true });
  const passed = outcomes.reduce((sum, { counts }) => sum + counts.passed, 0);
  const failed = outcomes.reduce((sum, { counts }) => sum + counts.failed, refused);
  if (updatesTimings && failed === 0)
    writeTimings(TIMINGS, updatedTimings(timings, outcomes[0]?.measured ?? {}, testFiles()));
  process.stdout.write(
    `${failed > 0 ? `repeat the order with --seed ${seed}; ` : ""}after ${Math.round((performance.now() - started) / 1000)} s\n`,
  );
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** Runs, and where a signal comes or something fails ends what was started: tests would go on, and servers stay. */
async function runOrEnd(asked: Wanted): Promise<number> {
  const ends: Ends = [];
  const signalled = Promise.withResolvers<number>();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(name, () => signalled.resolve(128 + constants.signals[name]));
  const isOver = main(asked, ends).then((code) => {
    ends.length = 0;
    return code;
  });
  try {
    return await Promise.race([isOver, signalled.promise]);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

process.exit(await runOrEnd(wanted(process.argv.slice(2))));
