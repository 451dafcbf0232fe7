import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";

/** How much a child process may take. */
export interface ChildLimits {
  readonly timeoutMs: number;
  /** Resident memory in bytes; watched where the system tells it. */
  readonly maxBytes: number;
}

/** What ended a child process: itself, or a limit. */
export type ChildEnd = "exited" | "timeout" | "memory";

/** A watch over a child process. */
export interface ChildWatch {
  /** Which limit ended the process; "exited" where none did. */
  ended(): ChildEnd;
  stop(): void;
}

const WATCH_MS = 200;
const PAGE_BYTES = 4096;

/**
 * Kills a child process at the limits, until the watch is stopped.
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
  let how: ChildEnd = "exited";
  const end = (why: ChildEnd) => {
    if (how !== "exited") return;
    how = why;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => end("timeout"), limits.timeoutMs);
  const interval = setInterval(() => {
    void residentBytes(child.pid).then((bytes) => (bytes > limits.maxBytes ? end("memory") : undefined));
  }, WATCH_MS);
  return {
    ended: () => how,
    stop() {
      clearTimeout(timer);
      clearInterval(interval);
    },
  };
}

/**
 * Lowers the priority of a child process, by 0 to 19: requests come first. One that has ended, or may not be changed, is no error.
 * @example
 * const child = Bun.spawn(["typst", "compile", "in.typ", "out.pdf"]);
 * lowerPriority(child.pid, 10);
 */
export function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // It runs as it is.
  }
}

/** 0 where the system does not tell, or the process is gone. */
async function residentBytes(pid: number): Promise<number> {
  try {
    const [, pages = "0"] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
    return Number(pages) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
