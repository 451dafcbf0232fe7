/**
 * How slow the machine is at present, for limits of time in tests: from 1, where they hold as they are, to 5, so that what hangs
 * is still noticed. It is the greatest of three: how much longer a fixed piece of work takes than on an idle core, how many
 * processes want each core, and what the runner of all tests measured and passes on by an environment variable.
 */
import { availableParallelism, loadavg } from "node:os";

/** The environment variable that tells the processes of a run how slow the machine was at its start. */
export const SLOWNESS_VARIABLE = "TEST_MACHINE_SLOWNESS";
const MOST = 5;
/** How long the piece of work may take on an idle core of a machine that needs no longer limits: on a virtual one of 2024, 20 ms. */
const WORK_MS = 25;
/** Steps of the piece: enough that others who want the core get it meanwhile. */
const STEPS = 16_000_000;
/** How long a measurement is used: it takes as long as the piece of work. */
const FRESH_MS = 1_000;

/** What is known of the machine. */
export interface MachineState {
  /** How long the piece of work took. */
  readonly workMs: number;
  /** Processes that ran or waited in the last minute, on average. */
  readonly load: number;
  readonly cores: number;
  /** What the runner measured. */
  readonly atStart: number;
}

/** The factor for limits, from 1 to 5. */
export function slownessOf({ workMs, load, cores, atStart }: MachineState): number {
  return Math.min(MOST, Math.max(1, workMs / WORK_MS, load / cores, atStart));
}

let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };

/** Measures the machine, unless it was measured within the last second. */
export function machineSlowness(): number {
  if (performance.now() - measured.at > FRESH_MS) {
    const slowness = slownessOf({
      workMs: timeOfWork(),
      load: loadavg()[0] ?? 0,
      cores: availableParallelism(),
      atStart: Number(process.env[SLOWNESS_VARIABLE] ?? 1),
    });
    measured = { at: performance.now(), slowness };
  }
  return measured.slowness;
}

/** A limit of time that holds on an idle machine, as one for this machine at present. */
export function scaled(ms: number): number {
  return Math.ceil(ms * machineSlowness());
}

function timeOfWork(): number {
  const started = performance.now();
  work(STEPS);
  return performance.now() - started;
}

/** Integer arithmetic, whose result is used so that none of it is left out. */
function work(steps: number): number {
  let value = 1;
  for (let step = 0; step < steps; step++) value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
  return value;
}
