/**
 * Changes of watched tables, as their triggers report them (`query/change_triggers.ts`). A trigger sends a notice over the
 * connection of the statement, so the process knows of a change before the commit is answered; and a notification, which other
 * processes get at the commit.
 */
import { CHANGE_NOTICE } from "../query/change_triggers.ts";

/** A change of a watched table. */
export interface TableChange {
  readonly table: string;
  /** The values of the watched columns in the rows before and after, by column; undefined for many rows. */
  readonly values: ReadonlyMap<string, readonly number[]> | undefined;
}

/** Is shown each change when it is made, and how it goes on. */
export type ChangeObserver = (change: TableChange) => ChangeEnding;

/** How a change goes on. */
export interface ChangeEnding {
  /** Others may see it from now on: called before its commit is sent, not where it is undone before. */
  commits(): void;
  /** It is committed or undone. */
  ends(): void;
}

/**
 * The change that a payload reports; undefined for one that no trigger has sent.
 * @example
 * const change = changeOf(JSON.parse('{"changed":"notes","id":[7]}'));
 */
export function changeOf(payload: unknown): TableChange | undefined {
  if (typeof payload !== "object" || payload === null || !("changed" in payload)) return undefined;
  const { changed, ...columns } = payload as Record<string, unknown>;
  const values = Object.entries(columns).map(([column, found]) => [column, numbersIn(found)] as const);
  return { table: String(changed), values: values.length === 0 ? undefined : new Map(values) };
}

/** What is used of a notice. */
interface Notice {
  readonly code?: string;
  readonly severity?: string;
  readonly message?: string;
  readonly detail?: string;
}

/** Shows the text of a notice, or returns the change that it reports. Any function of the store may have sent it. */
export function showNotice(
  { code, severity, message, detail }: Notice,
  show: ((text: string) => void) | undefined,
): TableChange | undefined {
  if (code !== CHANGE_NOTICE) {
    show?.(`${severity}: ${message}`);
    return undefined;
  }
  try {
    return changeOf(JSON.parse(detail ?? ""));
  } catch {
    return undefined;
  }
}

function numbersIn(found: unknown): readonly number[] {
  return Array.isArray(found) ? found.filter((value): value is number => typeof value === "number") : [];
}

interface OpenChange extends ChangeEnding {
  /** The statements that were unanswered at the notice. */
  readonly unanswered: Set<unknown>;
}

/**
 * The changes of one connection that are neither committed nor undone. Within a transaction they end with it. Outside of one
 * a statement commits itself, and several are pipelined: the change ends with the answers to all that were sent by then.
 */
export class ConnectionChanges {
  #held: ChangeEnding[] | undefined;
  #isCommitting = false;
  readonly #open = new Set<OpenChange>();

  /** Begins a transaction. */
  hold(): void {
    this.#held = [];
    this.#isCommitting = false;
  }

  /** The commit of the transaction is about to be sent. */
  commits(): void {
    this.#isCommitting = true;
    for (const change of this.#held ?? []) change.commits();
  }

  /** Ends a transaction. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const change of held) change.ends();
  }

  /** A change was made. */
  add(change: ChangeEnding, unanswered: Iterable<unknown>): void {
    // Writes may be sent together with the commit.
    if (!this.#held || this.#isCommitting) change.commits();
    if (this.#held) {
      this.#held.push(change);
      return;
    }
    const open = { commits: change.commits, ends: change.ends, unanswered: new Set(unanswered) };
    if (open.unanswered.size === 0) open.ends();
    else this.#open.add(open);
  }

  /** A statement was answered. */
  answered(statement: unknown): void {
    for (const change of this.#open) {
      change.unanswered.delete(statement);
      if (change.unanswered.size > 0) continue;
      this.#open.delete(change);
      change.ends();
    }
  }

  /** The connection was lost: what was not answered is unknown, and its commit is notified. */
  lost(): void {
    for (const { ends } of this.#open) ends();
    this.#open.clear();
  }
}
