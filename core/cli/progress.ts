import type { CommandIo } from "../runtime/command.ts";
import { SECOND_MS } from "../std/time.ts";

/** Interval of plain lines if the output is no terminal, in milliseconds. */
export const PLAIN_EVERY_MS = 5000;
const DRAW_EVERY_MS = 100;
const BAR_WIDTH = 20;

/** Shows the progress of a run: on a terminal one line that is redrawn, else a plain line every few seconds. */
export class Progress {
  readonly #io: CommandIo;
  readonly #now: () => number;
  #label = "";
  #total = 0;
  #done = 0;
  #began = 0;
  #shown = 0;
  #drawn = false;

  constructor(io: CommandIo, now: () => number = Date.now) {
    this.#io = io;
    this.#now = now;
  }

  /** Starts a part of the run with a number of steps. */
  begin(label: string, total: number): void {
    this.#label = label;
    this.#total = total;
    this.#done = 0;
    this.#began = this.#shown = this.#now();
  }

  /** Counts a step. */
  step(): void {
    this.#done += 1;
    const every = this.#io.tty ? DRAW_EVERY_MS : PLAIN_EVERY_MS;
    if (this.#now() - this.#shown >= every || (this.#io.tty && this.#done === this.#total)) this.#show();
  }

  /** Writes a line above the progress line. */
  say(line: string, to: "out" | "err" = "out"): void {
    this.clear();
    this.#io[to](line);
  }

  /** Removes the progress line. */
  clear(): void {
    // `out` ends each line, so the cursor moves up, the line is erased, and the cursor moves up once more.
    if (this.#drawn) this.#io.out("\u001B[1A\u001B[2K\u001B[1A");
    this.#drawn = false;
  }

  #show(): void {
    this.#shown = this.#now();
    const line = progressLine({
      label: this.#label,
      done: this.#done,
      total: this.#total,
      ms: this.#shown - this.#began,
      bar: this.#io.tty,
    });
    if (!this.#io.tty) this.#io.out(line);
    else this.#io.out(`${this.#drawn ? "\u001B[1A\u001B[2K" : ""}${line.slice(0, Math.max(20, this.#io.columns - 1))}`);
    this.#drawn = this.#io.tty;
  }
}

/** A progress line: counts, rate and remaining time. */
export function progressLine({
  label,
  done,
  total,
  ms,
  bar,
}: {
  label: string;
  done: number;
  total: number;
  ms: number;
  bar: boolean;
}): string {
  const rate = ms > 0 ? (done * SECOND_MS) / ms : 0;
  const left = rate > 0 ? `${clock((total - done) / rate)} left` : "";
  const full = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH);
  const drawn = bar ? `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}] ` : "";
  return `${label} ${drawn}${done}/${total}  ${rate.toFixed(1)}/s  ${left}`.trimEnd();
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
