/**
 * A confined process as the server sees it: its start through `trampoline.ts`, messages in both directions, its memory, its
 * end. What it sends is read with bounds; a message that breaks the protocol ends it.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECOND_MS } from "../../std/time.ts";
import { yieldToEventLoop } from "../../std/yield_to_event_loop.ts";
import { lowerPriority } from "../process_limits.ts";
import { MessageReader, messageBytes, ProtocolError } from "./messages.ts";
import { confinedModules } from "./modules.ts";
import type { ConfinedOrder, Enforcement, TrampolineOrder } from "./trampoline.ts";

/** Limits of a confined process. */
export interface ProcessLimits {
  /** Resident memory in bytes; checked where /proc exists. */
  readonly maxBytes: number;
  /** The greatest length of one message in bytes, in both directions. */
  readonly maxMessageBytes: number;
}

/** What a confined process reports to its owner. */
export interface ProcessEvents {
  /** A message of the process. A throw ends the process as a malformed message does. */
  receive(message: unknown): void;
  /** The process has ended, with the reason for people. */
  ended(reason: string): void;
}

const TRAMPOLINE = join(import.meta.dir, "trampoline.ts");
/** Threads would prevent the trampoline from entering a namespace; these options of JavaScriptCore start none. */
const SINGLE_THREADED = { BUN_JSC_useConcurrentJIT: "0", BUN_JSC_useConcurrentGC: "0" };
const ERRORS_KEPT = 2_000;
const NICE = 5;
const WATCH_MS = 50;
const BYTES_PER_KB = 1_024;
/** Threads of Bun are about a dozen. */
const MAX_THREADS = 64;
/** What is read of a process within a second, so that reading does not occupy the server; the rest waits in the pipe. */
const PER_SECOND = { bytes: 16 * 2 ** 20, messages: 20_000 } as const;
/** Messages of the greatest length that may wait until the process reads them. */
const MAX_UNREAD = 4;

/**
 * A process that runs a module confined: it reads what the order names, writes nothing, and has no network, no environment and no
 * other processes. Its module may import `lectern/core` (errors, `definePlugin`, messages), `kysely` and `@sinclair/typebox`, and
 * speaks by messages (`messageBytes`, `MessageReader`) over its standard output and input.
 * @example
 * const folder = import.meta.dir;
 * const child = new ConfinedProcess(
 *   { main: `${folder}/child.ts`, readable: [folder], unenforced: false },
 *   { maxBytes: 192 * 2 ** 20, maxMessageBytes: 65_536 },
 *   { receive: (message) => console.error(message), ended: (reason) => console.error(reason) },
 * );
 * const enforced = await child.enforcement;
 * if (!("missing" in enforced)) child.send({ question: "How many?" });
 */
export class ConfinedProcess {
  readonly #limits: ProcessLimits;
  readonly #events: ProcessEvents;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #enforcement = Promise.withResolvers<Enforcement>();
  readonly #watch: ReturnType<typeof setInterval>;
  #isConfined = false;
  #errors = "";
  #reason: string | undefined;
  #unreadBytes = 0;

  constructor(
    { main, readable, listable = [], unenforced, modules }: ConfinedOrder,
    limits: ProcessLimits,
    events: ProcessEvents,
  ) {
    this.#limits = limits;
    this.#events = events;
    const own = confinedModules();
    const order: TrampolineOrder = {
      main,
      readable: [...own.readable, ...readable],
      listable,
      modules: modules ?? own.modules,
      unenforced,
    };
    this.#child = Bun.spawn([process.execPath, "--no-install", "run", TRAMPOLINE, JSON.stringify(order)], {
      // No folder in which others could place settings of Bun.
      cwd: "/",
      env: SINGLE_THREADED,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#enforcement.promise.catch(() => {});
    lowerPriority(this.#child.pid, NICE);
    this.#child.unref();
    this.#watch = setInterval(() => void this.#checkResources(), WATCH_MS);
    this.#watch.unref();
    void this.#read();
    void this.#readErrors();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What the kernel enforces. Rejects where the process ends before. */
  get enforcement(): Promise<Enforcement> {
    return this.#enforcement.promise;
  }

  /** Sends a message. Throws RangeError for one that is too long. A process that has ended is no error. */
  send(message: unknown): void {
    const bytes = messageBytes(message);
    if (bytes.length > this.#limits.maxMessageBytes)
      throw new RangeError(
        `Cannot send ${bytes.length} bytes to a confined process: at most ${this.#limits.maxMessageBytes}`,
      );
    if (this.#unreadBytes > this.#limits.maxMessageBytes * MAX_UNREAD) {
      this.kill("it does not read its messages");
      return;
    }
    this.#unreadBytes += bytes.length;
    void this.#write(bytes).finally(() => {
      this.#unreadBytes -= bytes.length;
    });
  }

  /** Whether the server waits for the process before it ends itself. */
  keepAlive(isAwaited: boolean): void {
    if (isAwaited) this.#child.ref();
    else this.#child.unref();
  }

  /** Kills the process; `reason` is what `ended` gets. */
  kill(reason: string): void {
    this.#reason ??= reason;
    this.#child.kill("SIGKILL");
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      void this.#child.stdin.write(bytes);
      await this.#child.stdin.flush();
    } catch {
      // It has ended; `#read` reports that.
    }
  }

  async #read(): Promise<void> {
    const pace = pacer();
    const reader = new MessageReader(this.#limits.maxMessageBytes);
    const yieldNow = yieldToEventLoop();
    try {
      for await (const chunk of this.#child.stdout) {
        let messages = 0;
        for (const message of reader.push(chunk)) {
          messages += 1;
          if (this.#isConfined) this.#events.receive(message);
          else this.#confined(message as Enforcement);
        }
        await pace(chunk.length, messages);
        await yieldNow();
      }
    } catch (error) {
      const found = error instanceof ProtocolError ? error.message : String(error);
      this.kill(`it broke the protocol: ${found}`);
    }
    await this.#child.exited;
    clearInterval(this.#watch);
    const signal = this.#child.signalCode;
    const how = signal === null ? `it exited with ${this.#child.exitCode}` : `it was ended by ${signal}`;
    const reason = `${this.#reason ?? how}${this.#errors === "" ? "" : `; it wrote: ${this.#errors.trim()}`}`;
    this.#enforcement.reject(new Error(reason));
    this.#events.ended(reason);
  }

  /** The first message, which the trampoline sends before any code of the plugin runs. */
  #confined(message: Enforcement): void {
    this.#isConfined = true;
    this.#enforcement.resolve(message);
  }

  async #checkResources(): Promise<void> {
    const text = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
    if ((figure("VmRSS") + figure("VmSwap")) * BYTES_PER_KB > this.#limits.maxBytes)
      this.kill(`it used more than its ${Math.round(this.#limits.maxBytes / 2 ** 20)} MB of memory`);
    if (figure("Threads") > MAX_THREADS) this.kill(`it started more than ${MAX_THREADS} threads`);
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    const pace = pacer();
    for await (const chunk of this.#child.stderr) {
      this.#errors = (this.#errors + decoder.decode(chunk.subarray(-ERRORS_KEPT))).slice(-ERRORS_KEPT);
      await pace(chunk.length, 1);
    }
  }
}

/** Returns a function that waits for the next second where this one has had its share. */
function pacer(): (bytes: number, messages: number) => Promise<void> {
  let since = performance.now();
  let read = { bytes: 0, messages: 0 };
  return async (bytes, messages) => {
    const now = performance.now();
    if (now - since > SECOND_MS) {
      since = now;
      read = { bytes: 0, messages: 0 };
    }
    read.bytes += bytes;
    read.messages += messages;
    if (read.bytes > PER_SECOND.bytes || read.messages > PER_SECOND.messages)
      await Bun.sleep(Math.max(0, since + SECOND_MS - now));
  };
}
