/**
 * Several processes that serve one address: the kernel gives each new connection to one of them (SO_REUSEPORT). The first one
 * starts alone, so migrations run once and before the others. A worker that ends is started again after a pause that grows; a
 * signal stops all of them. If this process is killed, the workers see that and stop.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, messageOf, openStore } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import { type Log, startLine } from "../log.ts";
import type { CommandIo } from "../runtime/command.ts";
import { StopSignals } from "../std/stop_signals.ts";
import { MINUTE_MS } from "../std/time.ts";
import { answersAt } from "../workers/listen.ts";
import type { PeerMessage } from "../workers/peers.ts";
import { type WorkerMessage, workerArguments } from "../workers/worker.ts";

/** The first pause before a worker is started again; it doubles with each end until `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** A worker that ran this long begins with the first pause again. */
const STEADY_MS = MINUTE_MS;
/** Connections that keep the embedded store open; one is for transactions. */
const HELD_CONNECTIONS = 2;
/** Phases of a stop that each may take `stopWorkTimeoutMs`: jobs, handlers of events, plugins. */
const WORK_PHASES = 3;
const SPARE_MS = 10_000;

/** What workers are started with. */
export interface SupervisorOptions {
  readonly count: number;
  /** The plugin lists among the arguments. */
  readonly lists: readonly string[];
  readonly config: Config;
  readonly io: CommandIo;
  readonly log: Log;
}

/** Serves with workers until a signal. Returns the exit code. Throws BootError where the address is in use. */
export async function superviseWorkers(options: SupervisorOptions): Promise<number> {
  const { config, io, log, count } = options;
  const signals = new StopSignals();
  checkPortIsFree(config);
  const folder = mkdtempSync(join(tmpdir(), "lectern-workers-"));
  const workers = new Workers(options, folder);
  let store: { close(): Promise<void> } | undefined;
  try {
    const first = await workers.startFirst(signals.first);
    if (first.port === undefined) return first.code;
    // Keeps the embedded store running while workers are restarted.
    if (config.databaseUrl === "") store = await openStore({ dataDir: config.dataDir, poolSize: HELD_CONNECTIONS });
    await workers.startOthers();
    io.out(startLine(`${answersAt(config, first.port)} with ${count} workers`, io.tty));
    log.info("stopping", { signal: await signals.first });
    // A second signal ends the workers at once; this process then stops the embedded store.
    signals.onRepeat = () => workers.kill();
    return await workers.stop();
  } finally {
    workers.kill();
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Binds the port without sharing it: workers that share it would also share it with another server of the same account. */
function checkPortIsFree({ host, port }: Config): void {
  if (port === 0) return;
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true);
  } catch (cause) {
    const [code, message] = [codeOf(cause), messageOf(cause)];
    const why = code === "EADDRINUSE" ? "another process already listens there" : message;
    throw new BootError(`Cannot listen on ${host}:${port}: ${why}; set PORT or HOST`, { cause });
  }
}

/** A started worker. */
interface Started {
  readonly child: ChildProcess;
  /** The port, or undefined if it ended before it listened. */
  readonly listening: Promise<number | undefined>;
  readonly ended: Promise<number | null>;
}

class Workers {
  readonly #options: SupervisorOptions;
  readonly #folder: string;
  readonly #running = new Map<number, Started>();
  readonly #restarts: Promise<void>[] = [];
  #port: number;
  #isStopping = false;
  readonly #stopping = Promise.withResolvers<void>();

  constructor(options: SupervisorOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#port = options.config.port;
  }

  /** Starts the first worker. Resolves to its port, or to its exit code if it ends before it listens. */
  async startFirst(stopped: Promise<NodeJS.Signals>): Promise<{ port?: number; code: number }> {
    const first = this.#start(1);
    // No deadline: a signal ends the start.
    const port = await Promise.race([first.listening, stopped.then(() => undefined)]);
    if (port === undefined) {
      first.child.kill("SIGTERM");
      return { code: (await first.ended) ?? 1 };
    }
    this.#port = port;
    this.#restarts.push(this.#keep(1, first));
    return { port, code: 0 };
  }

  /** Starts the others, and resolves when each listens or has ended. */
  async startOthers(): Promise<void> {
    const others = Array.from({ length: this.#options.count - 1 }, (_, at) => at + 2);
    const listening = others.map((number) => {
      const started = this.#start(number);
      this.#restarts.push(this.#keep(number, started));
      return started.listening;
    });
    // No deadline: a stop ends the start.
    await Promise.race([Promise.all(listening), this.#stopping.promise]);
  }

  /** Stops all workers, and kills those that take longer than all their limits together. Returns the exit code. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    this.#stopping.resolve();
    const { stopTimeoutMs, stopLingerMs, stopWorkTimeoutMs } = this.#options.config;
    const running = [...this.#running.values()];
    for (const { child } of running) child.kill("SIGTERM");
    const limitMs = stopTimeoutMs + 10 * stopLingerMs + WORK_PHASES * stopWorkTimeoutMs + SPARE_MS;
    const forced = setTimeout(() => this.kill(), limitMs);
    await Promise.all(running.map(({ ended }) => ended));
    clearTimeout(forced);
    await Promise.all(this.#restarts);
    // One that has not booted yet ends by the signal.
    return running.every(({ child: { exitCode, signalCode } }) => exitCode === 0 || signalCode === "SIGTERM") ? 0 : 1;
  }

  kill(): void {
    this.#isStopping = true;
    this.#stopping.resolve();
    for (const { child } of this.#running.values()) child.kill("SIGKILL");
  }

  #start(number: number): Started {
    const { io, lists } = this.#options;
    const program = join(INSTALL_ROOT, "core/cli.ts");
    const args = [program, "serve", ...workerArguments(number, this.#folder), ...lists];
    const child = spawn(process.execPath, args, {
      env: { ...io.env, PORT: String(this.#port) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const listening = Promise.withResolvers<number | undefined>();
    child.on("message", (message: WorkerMessage) => {
      if (message.kind === "listening") listening.resolve(message.port);
      else this.#pass(message);
    });
    const ended = Promise.withResolvers<number | null>();
    child.once("error", () => ended.resolve(null));
    child.once("exit", (code) => {
      listening.resolve(undefined);
      ended.resolve(code);
    });
    const started = { child, listening: listening.promise, ended: ended.promise };
    this.#running.set(number, started);
    return started;
  }

  /** Starts a worker again whenever it ends, until the stop. */
  async #keep(number: number, first: Started): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    for (let started = first; ; started = this.#start(number)) {
      const since = performance.now();
      const code = await started.ended;
      this.#running.delete(number);
      if (this.#isStopping) return;
      if (performance.now() - since > STEADY_MS) pause = FIRST_PAUSE_MS;
      const signal = started.child.signalCode ?? undefined;
      this.#options.log.error("A worker ended and is started again", { worker: number, code, signal, pauseMs: pause });
      // No deadline: a pause, which a stop ends.
      await Promise.race([Bun.sleep(pause), this.#stopping.promise]);
      if (this.#isStopping) return;
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
    }
  }

  /** Passes a question to all others, telling the asker their number, and an answer to the asker. */
  #pass(message: PeerMessage): void {
    const send = (number: number, of: PeerMessage) => {
      const child = this.#running.get(number)?.child;
      if (child?.connected) child.send(of);
    };
    if (message.kind === "answer") {
      send(message.to, message);
      return;
    }
    const others = [...this.#running.keys()].filter((number) => number !== message.from);
    send(message.from, { ...message, others: others.length });
    for (const number of others) send(number, message);
  }
}
