import { AsyncLocalStorage } from "node:async_hooks";

/** The texts of each `recordingStatements` that runs. */
const RECORDS = new AsyncLocalStorage<Set<string>>();

/**
 * Runs `run` and adds the text of each statement that it sends outside transactions to `texts`.
 * @example
 * const texts = new Set<string>();
 * await recordingStatements(texts, () => rows(db, sql<{ id: number }>`select id from notes`));
 */
export function recordingStatements<T>(texts: Set<string>, run: () => T): T {
  return RECORDS.run(texts, run);
}

/** Records a statement that is about to be sent. */
export function recordStatement(text: string): void {
  RECORDS.getStore()?.add(text);
}
