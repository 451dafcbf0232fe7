/** What a check found. */
export interface CheckFindings {
  /** "ok" if nothing is wrong; "warning" for what does no harm yet or may be wanted; "error" for lost or wrong data. */
  readonly status: "ok" | "warning" | "error";
  /** The number of rows, files or other things that are wrong; 0 if the status is "ok". */
  readonly count: number;
  /** A few of them for people, without secrets: "attachment 12: file 2026-01/plan.pdf". */
  readonly examples: readonly string[];
  /** What an operator should do, as a sentence. */
  readonly advice?: string;
}

/**
 * A check of the instance: the contribution to the slot `self_check`. The command `doctor`, a schedule and administrators
 * run it, also beside a running server. Build on `referenceCheck` and `missingFilesCheck` of `lectern/core` for rows that refer
 * to nothing and rows whose file is missing.
 * @example
 * context.contribute("self_check", {
 *   name: "notes/empty",
 *   title: "Every note has a text",
 *   async check() {
 *     const found = await context.db.selectFrom("notes").select("id").where("name", "=", "").limit(5).execute();
 *     return {
 *       status: found.length === 0 ? "ok" : "warning",
 *       count: found.length,
 *       examples: found.map(({ id }) => `note ${id}`),
 *     };
 *   },
 *   async fix() {
 *     const gone = await context.db.deleteFrom("notes").where("name", "=", "").returning("id").execute();
 *     return gone.length;
 *   },
 * });
 */
export interface SelfCheck {
  /** Unique: the plugin and a subject, "notes/empty". */
  readonly name: string;
  /** What holds where nothing is found, as a sentence without a full stop. */
  readonly title: string;
  /** Whether the command alone runs it, and no schedule, as it reads much or takes seconds. */
  readonly onDemand?: boolean;
  /**
   * Looks and changes nothing. Reads large tables in batches or counts them in the database, so that memory is bounded. What it
   * throws is reported as an error of the check.
   */
  check(): Promise<CheckFindings> | CheckFindings;
  /** Repairs what `check` reports; returns how many were repaired. Runs for `doctor --fix` alone, and may be interrupted at any moment. */
  fix?(): Promise<number> | number;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    self_check: SelfCheck;
  }
}
