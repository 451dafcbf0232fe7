import { readFileSync } from "node:fs";
import { load, type Outcome, type Shot } from "./load.ts";

/** Milliseconds of a clock tick in /proc. */
const TICK_MS = 10;

/** User and system time of a process in milliseconds, with all its threads. */
export function cpuMs(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

/** A server that is measured, and what it is asked. */
export interface Measured {
  readonly port: number;
  readonly pid: number;
  readonly shot: (n: number) => Shot;
}

/** An outcome with microseconds of processor time of the server's process for each request. */
export interface Cost extends Outcome {
  readonly cpuUs: number;
}

/** Loads a server and measures what its process takes. */
export async function costOf({ port, pid, shot }: Measured, connections: number, seconds: number): Promise<Cost> {
  const before = cpuMs(pid);
  const started = performance.now();
  const outcome = await load(port, connections, seconds, shot);
  const requests = (outcome.perSecond * (performance.now() - started)) / 1000;
  return { ...outcome, cpuUs: ((cpuMs(pid) - before) * 1000) / requests };
}

/** The round with the median processor time. */
export function medianCost(rounds: readonly Cost[]): Cost {
  return [...rounds].sort((one, other) => one.cpuUs - other.cpuUs)[Math.floor(rounds.length / 2)] as Cost;
}
