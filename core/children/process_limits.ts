import { readFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";

/** Limits of a child process. */
export interface ChildLimits {
  readonly timeoutMs: number;
  /** Resident memory in bytes; checked where /proc exists. */
  readonly maxBytes: number;
}

/** What ended a child process: "exited" for itself, or a limit. */
export type ChildEnd = "exited" | "timeout" | "memory";

/** A watch on a child process. */
export interface ChildWatch {
  /** The limit that ended the process; "exited" for none. */
  ended(): ChildEnd;
  stop(): void;
}

const WATCH_MS = 200;
const PAGE_BYTES = 4096;
/** The greatest niceness. */
const LOWEST = 19;

/**
 * Kills a child process at its limits, until the watch is stopped.
 * @example
 * const child = Bun.spawn(["typst", "compile", "in.typ", "out.pdf"]);
 * const watch = watchChild(child, { timeoutMs: 10_000, maxBytes: 512 * 1024 * 1024 });
 * await child.exited;
 * watch.stop();
 * if (watch.ended() === "memory") throw new ApiError(422, "This export needs too much memory.");
 */
export function watchChild(
  child: { readonly pid: number; kill(signal: NodeJS.Signals): void },
  limits: ChildLimits,
): ChildWatch {
  let ended: ChildEnd = "exited";
  const end = (limit: ChildEnd) => {
    if (ended !== "exited") return;
    ended = limit;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => end("timeout"), limits.timeoutMs);
  const interval = setInterval(() => {
    void residentBytes(child.pid).then((bytes) => (bytes > limits.maxBytes ? end("memory") : undefined));
  }, WATCH_MS);
  return {
    ended: () => ended,
    stop() {
      clearTimeout(timer);
      clearInterval(interval);
    },
  };
}

/**
 * Lowers the priority of a child process by 0 to 19. A process that has ended, or may not be changed, is no error.
 * @example
 * const child = Bun.spawn(["typst", "compile", "in.typ", "out.pdf"]);
 * lowerPriority(child.pid, 10);
 */
export function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, Math.min(LOWEST, getPriority(pid) + nice));
  } catch {
    // It keeps its priority.
  }
}

/** 0 where /proc does not exist or the process has ended. */
async function residentBytes(pid: number): Promise<number> {
  try {
    const [, pages = "0"] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
    return Number(pages) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
