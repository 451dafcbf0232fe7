/**
 * Which process something on disk belongs to, and whether that process is still there. A number alone does not tell:
 * numbers are given again, and mean nothing on another machine or in another container that shares the disk.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive } from "../../db/embedded/pid.ts";

/** What is known of a process by its tag. */
export type ProcessState = "alive" | "gone" | "unknown";

/** Of the line in /proc/PID/stat, behind the name, which may hold blanks itself: when the process began. */
const STARTED_FIELD = 19;

let own: string | undefined;

/** The tag of this process: letters, digits and dashes. */
export function processTag(): string {
  own ??= `${placeOfProcesses()}-${process.pid}-${startOf(process.pid) ?? 0}`;
  return own;
}

/** Whether the process with a tag still runs; unknown where it was another machine's, or the text is no tag. */
export function processState(tag: string): ProcessState {
  const [, place, number, started] = /^([0-9a-f]+)-(\d+)-(\d+)$/.exec(tag) ?? [];
  if (place !== placeOfProcesses()) return "unknown";
  if (!isAlive(Number(number))) return "gone";
  const since = startOf(Number(number));
  return since === undefined || since === Number(started) ? "alive" : "gone";
}

/** Where numbers of processes mean the same: one machine, and there one container. */
function placeOfProcesses(): string {
  let container = "";
  try {
    container = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has these.
  }
  return Bun.hash(`${hostname()} ${container}`).toString(16);
}

function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[STARTED_FIELD]);
  } catch {
    return undefined;
  }
}
