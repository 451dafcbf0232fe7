/**
 * Reads the text of a file in a process of its own, which can read that file, Bun and a few libraries, and has no network, no
 * environment and no other files where the kernel can confine it. Each file has a new process: one that takes it over by a malicious file
 * gets no other. The process is ended at its limits of time and memory, and what it answers is checked.
 */
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { ConfinedProcess, confinedModules, SECOND_MS, watchChild } from "lectern/core";
import { type Extracted, REASONS, type ReadingOrder, type Reason } from "./order.ts";

/** Limits of reading one file. */
export interface ExtractionLimits {
  readonly seconds: number;
  /** Resident memory of the process in megabytes. */
  readonly memoryMegabytes: number;
  readonly unpackedMegabytes: number;
  readonly textChars: number;
}

const MAIN = join(import.meta.dir, "child.ts");
const BYTES_PER_MB = 1024 * 1024;
/** Bytes of a character in a message, at most: six as an escape in JSON. */
const BYTES_PER_CHAR = 6;
const MESSAGE_BYTES = 4_096;
/** The share of the time after which the process gives what it has, before it is ended. */
const SOFT_SHARE = 0.6;
/** Libraries by import name, with the package that imports them, where that is another library. */
const LIBRARIES: readonly (readonly [name: string, of?: string])[] = [
  ["fflate"],
  ["parse5"],
  ["entities/decode", "parse5"],
  ["entities/escape", "parse5"],
  ["saxes"],
  ["xmlchars/xml/1.0/ed5", "saxes"],
  ["xmlchars/xml/1.1/ed2", "saxes"],
  ["xmlchars/xmlns/1.0/ed3", "saxes"],
  ["unpdf"],
  ["unpdf/pdfjs"],
];

/** Files of libraries by import name, found once. */
let libraries: Readonly<Record<string, string>> | undefined;

function findLibraries(): Readonly<Record<string, string>> {
  const files = new Map<string, string>();
  for (const [name, of] of LIBRARIES)
    files.set(name, realpathSync(Bun.resolveSync(name, dirname(files.get(of ?? "") ?? MAIN))));
  return Object.fromEntries(files);
}

/** The folder of the package that a file is in. */
function packageOf(file: string): string {
  const marker = `${sep}node_modules${sep}`;
  const start = file.lastIndexOf(marker) + marker.length;
  return file.slice(0, file.indexOf(sep, start));
}

/**
 * Reads the text of a file. Rejects where no process can be started, it ends by itself, or `signal` aborts; then the file may be read by
 * another try.
 */
export async function extractText(path: string, limits: ExtractionLimits, signal: AbortSignal): Promise<Extracted> {
  const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
  const child = startProcess(path, limits, { answered: resolve, ended: (reason) => ended(reason) });
  const watch = watchChild(
    { pid: child.pid, kill: () => child.kill("it is at a limit") },
    { timeoutMs: limits.seconds * SECOND_MS, maxBytes: limits.memoryMegabytes * BYTES_PER_MB },
  );
  const ended = (reason: string) => {
    const failure = FAILURES[watch.ended()];
    if (failure) resolve({ state: "failed", reason: failure });
    else reject(new Error(`Cannot read the text of a file: ${reason}`));
  };
  const abort = () => child.kill("the server stops");
  signal.addEventListener("abort", abort);
  child.keepAlive(true);
  try {
    // Where it ends before it is confined, `ended` is called as well.
    await child.enforcement.catch(() => {});
    const order: ReadingOrder = {
      path,
      maxChars: limits.textChars,
      softMs: limits.seconds * SECOND_MS * SOFT_SHARE,
      maxUnpackedBytes: limits.unpackedMegabytes * BYTES_PER_MB,
    };
    child.send(order);
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    watch.stop();
    child.kill("it is done");
  }
}

/** What the end of the process at a limit says about the file. */
const FAILURES = { timeout: "too slow", memory: "too much memory", exited: undefined } as const;

function startProcess(
  path: string,
  limits: ExtractionLimits,
  { answered, ended }: { readonly answered: (found: Extracted) => void; readonly ended: (reason: string) => void },
): ConfinedProcess {
  libraries ??= findLibraries();
  return new ConfinedProcess(
    {
      main: MAIN,
      readable: [import.meta.dir, path, ...new Set(Object.values(libraries).map(packageOf))],
      unenforced: true,
      modules: { ...confinedModules().modules, ...libraries },
    },
    {
      // The limit is watched here, which tells it from other ends; this one is for what grows faster than that looks.
      maxBytes: 2 * limits.memoryMegabytes * BYTES_PER_MB,
      maxMessageBytes: limits.textChars * BYTES_PER_CHAR + MESSAGE_BYTES,
    },
    { receive: (message) => answered(checked(message, limits)), ended },
  );
}

/** An answer of the process, which may be under the control of who wrote the file. Throws for one of another shape. */
export function checked(message: unknown, { textChars }: Pick<ExtractionLimits, "textChars">): Extracted {
  const { state, text, reason } = Object(message) as Readonly<Record<string, unknown>>;
  if (state === "none") return { state };
  const isReason = (REASONS as readonly unknown[]).includes(reason);
  if (state === "failed" && isReason && reason !== "cut") return { state, reason: reason as Exclude<Reason, "cut"> };
  if (state !== "read" || typeof text !== "string") throw new Error("a message that is no answer");
  // PostgreSQL stores no zero characters, and half of a pair is none.
  const stored = text.slice(0, textChars).replaceAll("\0", " ").toWellFormed();
  return { state, text: stored, reason: reason === "cut" ? reason : null };
}
