import { beginWork, type ChildEnd, type ChildLimits, chargeWork, lowerPriority, watchChild } from "lectern/core";

/** How a process ended; `reason` says whether it exited or was killed at a limit. */
export interface ProcessResult {
  readonly reason: ChildEnd;
  readonly code: number | null;
  /** The end of its standard error. */
  readonly errors: string;
}

const MAX_ERROR_CHARS = 2_000;
/** Niceness of the process, from 0 to 19. */
const NICE = 10;

/** In a millisecond. */
const MICROSECONDS = 1_000;

/**
 * Runs a command in a folder and kills it at the limits. Its environment has none of the server's variables but PATH. Its
 * processor time is charged to the request, without that of processes that it started and left.
 */
export async function runLimited(
  command: readonly string[],
  folder: string,
  limits: ChildLimits,
): Promise<ProcessResult> {
  beginWork();
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
  const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  lowerPriority(child.pid, NICE);
  const watch = watchChild(child, limits);
  try {
    const errors = await tail(child.stderr);
    const code = await child.exited;
    return { reason: watch.ended(), code, errors };
  } finally {
    watch.stop();
    chargeWork(Number(child.resourceUsage()?.cpuTime.total ?? 0) / MICROSECONDS);
  }
}

async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-MAX_ERROR_CHARS);
  return text;
}
