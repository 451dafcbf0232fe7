/**
 * Records the statements that tests send, so that another server than theirs can plan them (`suite/planned_statements.ts`).
 * TEST_STATEMENTS names a folder, to which each process adds a file of lines: a statement as its sender wrote it, the plugin as
 * whose role it ran, and the SQLSTATE of its failure. A line is written once, when the statement is answered, so nothing is lost
 * however the process ends.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "lectern/db";

/** The environment variable that names the folder. */
export const STATEMENTS_VARIABLE = "TEST_STATEMENTS";

/** A statement that a test sent. */
export interface SentByTest {
  readonly text: string;
  /** The plugin as whose role it ran; "" for the account. */
  readonly plugin: string;
  /** The SQLSTATE of its failure; "" where it ran, "lost" where the connection was lost. */
  readonly code: string;
}

/** The lines that this process has written, by folder. */
const written = new Map<string, Set<string>>();

/** The same store; it records what it sends from now on, if the run wants that. */
export function recorded(store: Store): Store {
  const folder = process.env[STATEMENTS_VARIABLE];
  if (!folder) return store;
  const lines = written.get(folder) ?? new Set();
  written.set(folder, lines);
  const record = (sent: SentByTest) => {
    const line = JSON.stringify(sent);
    if (lines.has(line)) return;
    lines.add(line);
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${line}\n`);
  };
  store.observe(({ text, plugin = "" }, answer) => {
    answer.then(
      () => record({ text, plugin, code: "" }),
      (error: { code?: string }) => record({ text, plugin, code: error.code ?? "lost" }),
    );
  });
  return store;
}
