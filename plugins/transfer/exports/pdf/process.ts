import { type ChildEnd, type ChildLimits, lowerPriority, watchChild } from "lectern/core";

/** How a process ended. */
export interface Ended {
  readonly how: ChildEnd;
  readonly code: number | null;
  /** The end of what it wrote to its standard error. */
  readonly errors: string;
}

const ERRORS_KEPT = 2_000;
/** How far the process stands back behind the server, from 0 to 19. */
const NICE = 10;

/** Runs a command in a folder, with an environment that holds nothing of ours, and kills it at the limits. */
export async function runLimited(command: readonly string[], folder: string, limits: ChildLimits): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" };
  const child = Bun.spawn([...command], { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  lowerPriority(child.pid, NICE);
  const watch = watchChild(child, limits);
  try {
    const errors = await tail(child.stderr);
    const code = await child.exited;
    return { how: watch.ended(), code, errors };
  } finally {
    watch.stop();
  }
}

async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-ERRORS_KEPT);
  return text;
}
