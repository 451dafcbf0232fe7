/**
 * An item whose answer readers share: what it shows, and what of that groups of readers see. A view of it is found by the group, or by group and
 * reader where one owns something that is shown; it names the rows that are hidden, and so the answer that all with the same view share.
 */
import type { Viewer } from "../viewer.ts";
import type { Entry } from "./answer_entries.ts";
import type { AnswerForm } from "./answer_forms.ts";
import type { AlikeRows, SharedFacts, Sight } from "./shared_rows.ts";
import { groupOf } from "./sight.ts";

/** What readers see of an item, while the sights that it was made of are kept. */
export interface View {
  readonly sights: readonly Entry[];
  /** When the first of its sights was asked for, of `performance.now()`. */
  readonly since: number;
  /** Which of the rows are hidden, as a text; undefined where the item is. */
  readonly hidden: string | undefined;
  /** The entries of its answers, as they were found last. */
  readonly answers: { [Form in AnswerForm]?: Entry };
}

/** Views of an item; where there are more, those of readers with rights of their own, all are made anew. */
const MAX_VIEWS = 64;

/** The facts of an item, as they are kept. */
export class SharedItem {
  readonly isSame: boolean;
  readonly rows: readonly AlikeRows[];
  readonly #owners: ReadonlySet<number | null>;
  readonly #views = new Map<string, View>();
  #mostViews = 0;

  constructor({ isSame, rows }: SharedFacts) {
    this.isSame = isSame;
    this.rows = rows;
    this.#owners = new Set(rows.map(({ owned_by }) => owned_by));
  }

  /** What a viewer sees of the item, if that is known. */
  viewOf(viewer: Viewer): View | undefined {
    const view = this.#views.get(this.#viewersLike(viewer));
    return view && isCurrent(view) ? view : undefined;
  }

  /** Keeps what a viewer sees. Returns whether that takes more memory than ever before. */
  setView(viewer: Viewer, view: View): boolean {
    const viewers = this.#viewersLike(viewer);
    if (this.#views.size >= MAX_VIEWS && !this.#views.has(viewers)) this.#views.clear();
    this.#views.set(viewers, view);
    const isMore = this.#views.size > this.#mostViews;
    if (isMore) this.#mostViews = this.#views.size;
    return isMore;
  }

  #viewersLike(viewer: Viewer): string {
    return this.#owners.has(viewer.id) ? `${groupOf(viewer)} ${viewer.id}` : groupOf(viewer);
  }
}

/** Whether nothing has changed that the view follows from. */
export function isCurrent({ sights }: View): boolean {
  for (const { answer } of sights) if (!answer) return false;
  return true;
}

/** Which rows of a table a group of readers sees, as far as that was asked: filled in the course of time, forgotten when rights change. */
export class GroupSights {
  readonly #seen = new Map<string, { readonly isSeen: boolean; readonly since: number }>();

  /** Whether the rows are seen, and when that was asked; undefined where it is not known. */
  of(like: string, isOwn: boolean) {
    return this.#seen.get(`${isOwn} ${like}`);
  }

  /** Keeps a sight that was asked for at a time, of `performance.now()`. Returns the approximate bytes that it takes. */
  add({ like, isOwn, isSeen }: Sight, since: number): number {
    const key = `${isOwn} ${like}`;
    const isFull = this.#seen.size >= MAX_SIGHTS;
    const isNew = !this.#seen.has(key);
    if (isFull && isNew) this.#seen.clear();
    this.#seen.set(key, { isSeen, since });
    return isNew && !isFull ? 2 * key.length + SIGHT_BYTES : 0;
  }
}

/** Sights of a group in a table; where there are more, as by rules that do not say what they read of a row, all are asked for anew. */
const MAX_SIGHTS = 2_000;
/** Approximate bytes of a sight beside its text. */
const SIGHT_BYTES = 150;
