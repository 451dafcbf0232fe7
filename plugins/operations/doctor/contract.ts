import type { PluginContext } from "lectern/core";

/** The results of the last scheduled run, one row for each check. */
export interface SelfCheckResultsTable {
  name: string;
  status: "ok" | "warning" | "error";
  /** Things that are wrong. */
  count: number;
  /** A few of them, a JSON array. */
  examples: string[];
  /** What an operator should do. */
  advice: string | null;
  checked_at: string;
}

/** A result to store. */
export type NewResult = Omit<SelfCheckResultsTable, "checked_at">;

/** What the files of this plugin share. */
export type DoctorContext = PluginContext<never, "self_check_results">;

declare module "lectern/db" {
  interface Tables {
    self_check_results: SelfCheckResultsTable;
  }
}
