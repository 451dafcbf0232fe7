/**
 * A place to run tests with a mutant in: a copy of the source in a folder that the next run of tests removes where this one was
 * interrupted, with an embedded server and a cluster that all its runs use. What a run that is ended or fails leaves behind is
 * ended after it: the processes of its group, and those that work below its folders, such as servers in sessions of their own.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Cluster, SERVER_VARIABLE, startCluster } from "../harness/cluster.ts";
import { endLeftovers } from "../harness/leftover_processes.ts";
import { folderOfRun } from "../harness/leftovers.ts";
import { type SharedServer, shareEmbedded } from "../harness/test_database.ts";
import { type Coverage, readCoverage } from "./coverage.ts";

/** How long one test may take; a run of a file has a limit of its own. */
const TEST_TIMEOUT_MS = 30_000;

/** How the run of a test file ended. */
export interface TestRun {
  readonly outcome: "passed" | "failed" | "timed out";
  readonly ms: number;
  readonly output: string;
}

/** A copy of the source with servers for its tests. */
export class Sandbox {
  readonly #root: string;
  readonly #folder: string;
  readonly #embedded: SharedServer;
  readonly #cluster: Cluster | undefined;
  #running: ChildProcess | undefined;
  #isClosed = false;

  /** Copies the source below `root` as it lies there, whether committed or not, and starts the servers. */
  static async open(root: string): Promise<Sandbox> {
    return new Sandbox(root, await shareEmbedded(), await startCluster({ fast: true }));
  }

  private constructor(root: string, embedded: SharedServer, cluster: Cluster | undefined) {
    this.#root = root;
    this.#embedded = embedded;
    this.#cluster = cluster;
    this.#folder = folderOfRun();
    const listed = spawnSync("git", ["ls-files", "-coz", "--exclude-standard"], { cwd: root, encoding: "utf8" });
    if (listed.status !== 0) throw new Error(`Cannot list the source: git said "${listed.stderr.trim()}"`);
    for (const path of listed.stdout.split("\0")) if (path !== "" && existsSync(join(root, path))) this.#copy(path);
    symlinkSync(join(root, "node_modules"), this.#in("node_modules"));
  }

  /** Replaces the text of a file in the copy. */
  write(path: string, text: string): void {
    writeFileSync(this.#in(path), text);
  }

  /** Runs a test file in the copy up to its first failure. */
  run(test: string, limitMs: number): Promise<TestRun> {
    return this.#run(["--bail", `./${test}`], limitMs);
  }

  /** Runs a test file in the copy, and reads which lines it reaches. */
  async cover(test: string, limitMs: number): Promise<TestRun & { coverage: Coverage }> {
    const reports = join(this.#folder, "coverage");
    rmSync(reports, { recursive: true, force: true });
    const how = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${reports}`];
    const run = await this.#run([...how, `./${test}`], limitMs);
    const report = join(reports, "lcov.info");
    return { ...run, coverage: readCoverage(existsSync(report) ? readFileSync(report, "utf8") : "") };
  }

  /** Ends what runs, and removes everything; further runs are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endLeftovers();
    await this.#embedded.stop();
    await this.#cluster?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #in(path: string): string {
    return join(this.#folder, "source", path);
  }

  #copy(path: string): void {
    mkdirSync(dirname(this.#in(path)), { recursive: true });
    copyFileSync(join(this.#root, path), this.#in(path));
  }

  /** The folder for temporary files of one run. */
  get #temporary(): string {
    return join(this.#folder, "tmp");
  }

  async #run(args: readonly string[], limitMs: number): Promise<TestRun> {
    if (this.#isClosed) throw new Error("Cannot run a test: the run was interrupted");
    mkdirSync(this.#temporary, { recursive: true });
    chmodSync(this.#temporary, 0o755);
    const printed = join(this.#folder, "printed");
    const output = openSync(printed, "w");
    const started = performance.now();
    // A process group of its own can be ended as a whole.
    const child = spawn(process.execPath, ["test", "--timeout", String(TEST_TIMEOUT_MS), ...args], {
      cwd: this.#in("."),
      env: this.#env(),
      stdio: ["ignore", output, output],
      detached: true,
    });
    this.#running = child;
    closeSync(output);
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const limit = Promise.withResolvers<"late">();
    const timer = setTimeout(() => limit.resolve("late"), limitMs);
    const code = await Promise.race([ended, limit.promise]);
    clearTimeout(timer);
    const ms = performance.now() - started;
    await this.#endLeftovers();
    const outcome = code === "late" ? "timed out" : code === 0 ? "passed" : "failed";
    return { outcome, ms, output: readFileSync(printed, "utf8") };
  }

  #env(): Record<string, string | undefined> {
    return {
      ...process.env,
      ...this.#embedded.env,
      TMPDIR: this.#temporary,
      ...(this.#cluster && { [SERVER_VARIABLE]: this.#cluster.url }),
    };
  }

  async #endLeftovers(): Promise<void> {
    const group = this.#running?.pid;
    this.#running = undefined;
    await endLeftovers(this.#folder, group);
    rmSync(this.#temporary, { recursive: true, force: true });
  }
}
