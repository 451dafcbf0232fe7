/**
 * Tags that name the process that owns a file on disk. A process id alone is not enough: ids are reused, and mean nothing on
 * another machine or in another container that shares the disk.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive } from "../db/embedded/pid.ts";

/** Whether a process still runs, as far as it can be known. */
export type ProcessState = "alive" | "gone" | "unknown";

/** The index of the start time in /proc/PID/stat, counted after the name, which may contain blanks. */
const START_TIME_FIELD = 19;

let own: string | undefined;

/** The tag of this process: letters, digits and dashes. */
export function processTag(): string {
  own ??= `${pidNamespace()}-${process.pid}-${startTimeOf(process.pid) ?? 0}`;
  return own;
}

/** Whether the process of a tag still runs; unknown for other machines and for text that is not a tag. */
export function processState(tag: string): ProcessState {
  const [, namespace, pid, startTime] = /^([0-9a-f]+)-(\d+)-(\d+)$/.exec(tag) ?? [];
  if (namespace !== pidNamespace()) return "unknown";
  if (!isAlive(Number(pid))) return "gone";
  const actual = startTimeOf(Number(pid));
  return actual === undefined || actual === Number(startTime) ? "alive" : "gone";
}

/** Identifies the machine and, on Linux, the PID namespace in which process ids are valid. */
function pidNamespace(): string {
  let container = "";
  try {
    container = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux.
  }
  return Bun.hash(`${hostname()} ${container}`).toString(16);
}

function startTimeOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TIME_FIELD]);
  } catch {
    return undefined;
  }
}
