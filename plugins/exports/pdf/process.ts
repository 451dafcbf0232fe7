import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";

/** How much a process may take. */
export interface ProcessLimits {
  readonly timeoutMs: number;
  /** Resident memory in bytes; watched where the system tells it. */
  readonly maxBytes: number;
}

/** How a process ended. */
export interface Ended {
  readonly how: "exited" | "timeout" | "memory";
  readonly code: number | null;
  /** The end of what it wrote to its standard error. */
  readonly errors: string;
}

const WATCH_MS = 200;
/** How far the process stands back behind the server, from 0 to 19. */
const NICE = 10;
const PAGE_BYTES = 4096;
const ERRORS_KEPT = 2_000;

/** Runs a command in a folder, with an environment that holds nothing of ours, and kills it at the limits. */
export async function runLimited(command: readonly string[], folder: string, limits: ProcessLimits): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
  const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  giveWay(child.pid);
  let how: Ended["how"] = "exited";
  const end = (why: Ended["how"]) => {
    how = why;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => end("timeout"), limits.timeoutMs);
  const watch = setInterval(() => {
    void residentBytes(child.pid).then((bytes) => (bytes > limits.maxBytes ? end("memory") : undefined));
  }, WATCH_MS);
  try {
    const errors = await tail(child.stderr);
    return { how, code: await child.exited, errors };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
  }
}

/** Whoever reads pages comes first; a process that has ended already, or may not be told so, is no fault. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, NICE);
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

async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-ERRORS_KEPT);
  return text;
}
