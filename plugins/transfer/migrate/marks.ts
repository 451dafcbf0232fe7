/**
 * Which items are read again. A listing shows when an item was last changed, so its row, with what its copy depends on here,
 * is stored as a mark once the item is copied completely; while the row stays the same, the item is not asked for. What
 * `updated_at` does not tell is found otherwise:
 *
 * - content permissions of chapters and pages by the audit log of the source; where it cannot be read or was pruned, by asking
 *   for those of each item, and always for those of books, which BookStack copies from shelves without an entry in the log;
 * - comments by their own listing; where the source has none, each page is read;
 * - shelves and roles are few and always read: BookStack changes their books and permissions without another time.
 *
 * What was written into the database of the source by hand or by its commands shows nowhere: `--all` reads everything.
 */
import type { Json } from "lectern/cli";
import type { Override } from "lectern/contracts";
import { DAY_MS } from "lectern/core";
import { historyOf } from "./content.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { hashOf, idIn, textOf } from "./values.ts";

/** The kinds of items that are marked. */
export type MarkedKind = "book" | "chapter" | "page";

/** Rows of the audit log before the newest one of the last run among which those are looked for that were committed later. */
const LOG_OVERLAP = 1000;
/** Types of rows of the audit log about content permissions; a deleted role loses its own without a row for each item. */
const PERMISSION_TYPES = ["permissions_update", "role_delete"] as const;
/** The number of what is copied of an item, raised where more is, so that everything is read once more. */
const FORMAT = 1;
/** Times in whole seconds, as BookStack has them: a second change within the second shows no other time. */
const WHOLE_SECOND = /:\d\d(?:\.0+)?Z$/;
/** How far the clocks of the two servers may differ. */
const CLOCK_DIFFERENCE_MS = DAY_MS;

type Parts = Pick<MigrateContext, "db" | "options" | "source" | "state" | "targets">;

/** The marks of one run. */
export class Marks {
  readonly #context: Parts;
  readonly #base: string;
  readonly #overrides = new Map<string, readonly Override[]>();
  readonly #incomplete = new Set<string>();
  /** The rows of comments by page; empty where the source does not list them. */
  #comments: ReadonlyMap<number | undefined, readonly Json[]> = new Map();
  #newestComment = "";
  /** Whether the rows of pages and comments tell every change of a page. */
  #tellsPages = true;
  /** Whether the audit log tells every change of permissions since the last run. */
  #tellsPermissions = false;

  /** `declaredBase`: the base URL of the source, with which it changes its texts. */
  constructor(context: Parts, declaredBase: string) {
    this.#context = context;
    this.#base = declaredBase;
  }

  /**
   * Reads what changed of permissions and comments since the last run. Called before anything is listed, so that the next run
   * finds what changes meanwhile. Throws AnswerError.
   */
  async open(): Promise<void> {
    const { source, options } = this.#context;
    const comments = await source.allIfReadable("comments");
    if (comments) {
      this.#comments = Map.groupBy(comments, ({ commentable_id }) => idIn(commentable_id));
      this.#newestComment = newestOf(comments);
    } else {
      const first = await source.first("pages");
      const page = first === undefined ? undefined : await source.read("pages", first);
      this.#tellsPages = page?.comments === undefined;
    }
    if (!options.withoutPermissions) this.#tellsPermissions = await this.#readLog();
  }

  /** The marks of listed items, by id; those that cannot be told apart from later states have none. */
  ofRows(kind: MarkedKind, rows: readonly Json[]): ReadonlyMap<number, string> {
    const newest = newestOf(rows);
    return new Map(
      rows.flatMap((row): [number, string][] => {
        const id = idIn(row);
        const comments = kind === "page" ? this.commentsOf(id) : [];
        const isTold =
          (kind !== "page" || this.#tellsPages) &&
          !mayChangeUnseen(textOf(row.updated_at), newest) &&
          !comments.some((comment) => mayChangeUnseen(textOf(comment.updated_at), this.#newestComment));
        return id !== undefined && isTold ? [[id, this.#markOf(row, comments)]] : [];
      }),
    );
  }

  /** The rows of a page's comments. */
  commentsOf(pageId: number | undefined): readonly Json[] {
    return this.#comments.get(pageId) ?? [];
  }

  /** Whether an item is as it was when it was copied; `permissions` asks for its permissions. Throws AnswerError. */
  async isUnchanged(
    kind: MarkedKind,
    id: number,
    mark: string | undefined,
    permissions: () => Promise<readonly Override[]>,
  ): Promise<boolean> {
    const { state, options } = this.#context;
    const entry = state.get(kind, id);
    if (options.all || mark === undefined || !entry?.hash || entry.listed !== mark) return false;
    if (options.withoutPermissions) return true;
    if (entry.overrides === null) return false;
    if (this.#tellsPermissions && kind !== "book") return true;
    return hashOf(await permissions()) === entry.overrides;
  }

  /** The permissions that were asked for in this run. */
  overridesOf(kind: string, id: number): readonly Override[] | undefined {
    return this.#overrides.get(`${kind} ${id}`);
  }

  /** Keeps the permissions of an item until it is copied. */
  keepOverrides(kind: string, id: number, overrides: readonly Override[]): void {
    this.#overrides.set(`${kind} ${id}`, overrides);
  }

  /** Has an item read again by the next run, since something of it could not be copied. */
  leaveOpen(kind: string, id: number): void {
    this.#incomplete.add(`${kind} ${id}`);
  }

  /** Stores the mark of an item that was copied; one that was changed or deleted here is reported by each run. */
  async store(kind: MarkedKind, id: number, mark: string | undefined, outcome: Outcome | undefined): Promise<void> {
    const { db, state } = this.#context;
    const key = `${kind} ${id}`;
    const overrides = this.#overrides.get(key);
    this.#overrides.delete(key);
    const entry = state.get(kind, id);
    const isCopied = outcome === "created" || outcome === "updated" || outcome === "skipped";
    const complete = isCopied && !this.#incomplete.has(key) ? (mark ?? null) : null;
    const columns = { listed: complete, overrides: overrides && complete !== null ? hashOf(overrides) : null };
    if (!entry || (entry.listed === columns.listed && entry.overrides === columns.overrides)) return;
    await db.updateTable("migrated_items").set(columns).where(state.row(kind, id)).execute();
    state.set(kind, id, { ...(state.get(kind, id) ?? entry), ...columns });
  }

  #markOf(row: Json, comments: readonly Json[]): string {
    const { state, targets } = this.#context;
    return hashOf({
      format: FORMAT,
      base: this.#base,
      row,
      comments,
      here: historyOf(this.#context, row),
      book: state.targetIdOf("book", idIn(row.book_id)),
      chapter: state.targetIdOf("chapter", idIn(row.chapter_id)),
      template: targets.page(idIn(row.default_template_id) ?? 0)?.id,
    });
  }

  /** Removes the marks of items whose permissions changed since the last run. Returns whether the log tells all of them. */
  async #readLog(): Promise<boolean> {
    const { source, state } = this.#context;
    const last = state.activity;
    const newest = await source.newestActivity();
    const isKnown = newest !== undefined && last !== undefined && (await source.hasActivity(last));
    const after = (isKnown ? Math.min(last.id, newest.id) : (newest?.id ?? 0)) - LOG_OVERLAP;
    const rows: Json[] = [];
    for (const type of newest ? PERMISSION_TYPES : []) {
      const filter = `${encodeURIComponent("filter[type]")}=${type}`;
      rows.push(...(await source.all("audit-log", { filter, after })));
    }
    const before = new Set(last?.seen);
    const changed = isKnown ? rows.filter((row) => !before.has(idIn(row) ?? 0)) : [];
    const seen = rows.map((row) => idIn(row) ?? 0).filter((id) => id > (newest?.id ?? 0) - LOG_OVERLAP);
    await state.reopen(
      changed.flatMap(({ loggable_type, loggable_id }) => {
        const id = idIn(loggable_id);
        return id === undefined ? [] : [{ kind: textOf(loggable_type).toLowerCase(), id }];
      }),
      newest && { ...newest, seen },
    );
    return isKnown && !changed.some(({ type }) => type === "role_delete");
  }
}

/** The newest time of change among rows. */
function newestOf(rows: readonly Json[]): string {
  return (
    rows
      .map(({ updated_at }) => textOf(updated_at))
      .toSorted()
      .at(-1) ?? ""
  );
}

/** Whether a later change could have the same time: it is in whole seconds, the newest, and not long ago. */
function mayChangeUnseen(updatedAt: string, newest: string): boolean {
  if (updatedAt === "") return true;
  if (updatedAt !== newest || !WHOLE_SECOND.test(updatedAt)) return false;
  return Math.abs(Date.now() - Date.parse(updatedAt)) < CLOCK_DIFFERENCE_MS;
}
