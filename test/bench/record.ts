/**
 * How a benchmark hands its figures to the report (`run.ts`): each row is printed, and appended as a line of JSON to the file that
 * BENCH_RECORDS names. A benchmark that only prints appears in the report as it printed.
 */
import { appendFileSync } from "node:fs";

/** A row of a table of the report. Keys are the heads of columns, with their units; values are shown as they are. */
export type Figures = Readonly<Record<string, string | number>>;

/** A row and the title of the table that it belongs to. */
export interface Recorded {
  readonly table: string;
  readonly figures: Figures;
}

/** Prints a row, and hands it to the report. Rows of one table have the same keys. */
export function record(table: string, figures: Figures): void {
  const shown = Object.entries(figures).map(([head, value]) => `${head} ${value}`);
  process.stdout.write(`${table}: ${shown.join(", ")}\n`);
  const file = process.env.BENCH_RECORDS;
  if (file) appendFileSync(file, `${JSON.stringify({ table, figures } satisfies Recorded)}\n`);
}

/** The middle of some numbers; of an even count the upper one. NaN of none. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
