/**
 * The report of a run: counts for each kind, lists of single items, truncated where they are long, and remarks about what
 * cannot be copied over the API.
 */
import type { Kind, Outcome } from "./contract.ts";

/** Lists of the report, with their titles. */
const LISTS = {
  failed: "failed",
  matched: "existed here and were not changed",
  edited: "changed here since the last run, not overwritten (--overwrite discards the changes)",
  removed: "deleted here since the last run, not copied again",
  roles: "remarks on permissions of roles",
  addresses: "addresses that were taken here and replaced",
  unresolved: "addresses of the source that point to nothing copied, not changed",
  permissions: "content permissions of roles that do not exist here, not copied",
  html: "pages whose HTML is stored in a different but equivalent form",
  missing: "deleted at the source, kept here",
} as const;

/** A list of the report. */
export type List = keyof typeof LISTS;

/** The greatest number of lines of a list. */
const MAX_LINES = 20;

const KINDS: readonly (readonly [Kind, string])[] = [
  ["role", "roles"],
  ["user", "users"],
  ["bookshelf", "shelves"],
  ["book", "books"],
  ["chapter", "chapters"],
  ["page", "pages"],
  ["comment", "comments"],
  ["image", "images"],
  ["cover", "covers"],
  ["attachment", "attachments"],
];

type Tally = Record<Outcome | "failed", number>;

/** The report of one run. */
export class Report {
  readonly #tallies = new Map<Kind, Tally>();
  readonly #lists = new Map<List, string[]>();
  readonly #remarks: string[] = [];
  /** Whether the run ended early. */
  stopped = false;

  /** Counts the outcome of an item. */
  count(kind: Kind, outcome: Outcome | "failed"): void {
    const none = { created: 0, updated: 0, skipped: 0, edited: 0, removed: 0, failed: 0 };
    const tally = this.#tallies.get(kind) ?? none;
    tally[outcome] += 1;
    this.#tallies.set(kind, tally);
  }

  /** Adds a line to a list. */
  add(list: List, line: string): void {
    const lines = this.#lists.get(list) ?? [];
    lines.push(line);
    this.#lists.set(list, lines);
  }

  /** Adds a remark, once. */
  remark(sentence: string): void {
    if (!this.#remarks.includes(sentence)) this.#remarks.push(sentence);
  }

  /** Whether nothing failed. */
  get isClean(): boolean {
    return !this.stopped && [...this.#tallies.values()].every(({ failed }) => failed === 0);
  }

  /** Formats the report as lines of text. */
  lines(seconds: number): string[] {
    const counted = KINDS.flatMap(([kind, name]) => {
      const tally = this.#tallies.get(kind);
      return tally ? [`${name.padEnd(12)} ${formatTally(tally)}`] : [];
    });
    const lists = (Object.keys(LISTS) as List[]).flatMap((list) => {
      const lines = this.#lists.get(list) ?? [];
      if (lines.length === 0) return [];
      const more = lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more`] : [];
      return ["", `${lines.length} ${LISTS[list]}:`, ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`), ...more];
    });
    const remarks = this.#remarks.length > 0 ? ["", ...this.#remarks] : [];
    return [...counted, ...lists, ...remarks, "", `${this.stopped ? "stopped after" : "time"} ${seconds.toFixed(1)} s`];
  }
}

function formatTally({ created, updated, skipped, edited, removed, failed }: Tally): string {
  const exceptions = [
    edited > 0 ? `, ${edited} changed here` : "",
    removed > 0 ? `, ${removed} deleted here` : "",
    failed > 0 ? `, ${failed} FAILED` : "",
  ];
  return `${created} created, ${updated} updated, ${skipped} unchanged${exceptions.join("")}`;
}
