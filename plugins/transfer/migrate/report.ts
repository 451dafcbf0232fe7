/**
 * What a run did, and in what the copy differs from the source: counts for each kind, then sentences about what no copy over
 * the API can bring along, and lists of single things, cut short where they are long.
 */
import type { Kind, Outcome } from "./contract.ts";

/** Lists of the report, with what stands above each. */
const LISTS = {
  failed: "failed",
  matched: "found here and left as they are",
  edited: "changed here since the last run, left (--overwrite gives the changes up)",
  removed: "removed here since, not copied again",
  roles: "remarks on what roles permit",
  addresses: "addresses that are taken here, so that these have others",
  left: "addresses of the source that lead to nothing copied, left as they are",
  permissions: "content permissions of roles that are not here, left out",
  html: "pages whose HTML is written differently here (it says the same)",
  gone: "no longer at the source, left here",
} as const;

/** A list of the report. */
export type List = keyof typeof LISTS;

/** Lines shown of a list. */
const MAX_LINES = 20;

const KINDS: readonly (readonly [Kind, string])[] = [
  ["role", "roles"],
  ["user", "users"],
  ["bookshelf", "shelves"],
  ["book", "books"],
  ["chapter", "chapters"],
  ["page", "pages"],
  ["comment", "comments"],
  ["image", "pictures"],
  ["cover", "covers"],
  ["attachment", "attachments"],
];

type Tally = Record<Outcome | "failed", number>;

/** The report of one run. */
export class Report {
  readonly #tallies = new Map<Kind, Tally>();
  readonly #lists = new Map<List, string[]>();
  readonly #remarks: string[] = [];
  /** Whether the run ended before it was through. */
  stopped = false;

  /** Counts what became of an item. */
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

  /** Adds a sentence. */
  remark(sentence: string): void {
    if (!this.#remarks.includes(sentence)) this.#remarks.push(sentence);
  }

  /** Whether everything was copied that there is. */
  get isClean(): boolean {
    return !this.stopped && [...this.#tallies.values()].every(({ failed }) => failed === 0);
  }

  /** The report as lines for a person. */
  lines(seconds: number): string[] {
    const counted = KINDS.flatMap(([kind, name]) => {
      const tally = this.#tallies.get(kind);
      return tally ? [`${name.padEnd(12)} ${told(tally)}`] : [];
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

function told({ created, updated, skipped, edited, removed, failed }: Tally): string {
  const rare = [
    edited > 0 ? `, ${edited} changed here` : "",
    removed > 0 ? `, ${removed} removed here` : "",
    failed > 0 ? `, ${failed} FAILED` : "",
  ];
  return `${created} created, ${updated} updated, ${skipped} unchanged${rare.join("")}`;
}
