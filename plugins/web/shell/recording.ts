/**
 * What is drawn once and kept for many readers, and what of it is made for each request. While a screen is drawn to be kept, a recording
 * notes what it follows from: the views and parts get a `Ui` that notes what is asked of the reader, and parts that do not
 * say what they follow from leave a mark in the markup, at which each request gets its own. Marks are random, so no content has one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { DrawnFor, Ui, Visit } from "lectern/contracts";
import {
  deepFreeze,
  Html,
  type HtmlPart,
  type NoteRows,
  randomText,
  raw,
  type TableDependency,
  type Viewer,
} from "lectern/core";
import type { Filled } from "./drawing.ts";

/** What requests have of their own on a screen that is kept. */
export interface OwnParts {
  readonly visit: Visit;
  readonly ui: Ui;
  /** The value of the nonce, new for each request; "" where the document needs none. */
  readonly nonce: string;
  /** "light" or "dark" where the user chose one, else "". */
  readonly scheme: string;
  /** "compact" where the user chose it, else "". */
  readonly density: string;
  /** The text of the notice; "" for none. */
  readonly notice: string;
  /** CSS of the document; undefined for none. */
  readonly css: string | undefined;
  /** What heads of plugins that do not say what they follow from add. */
  readonly head: HtmlPart;
}

/** A part that is made for each request: markup, or a kept drawing. */
export type OwnPart = (own: OwnParts) => HtmlPart | Filled | Promise<HtmlPart | Filled>;

const MARK_LENGTH = 20;
const RUNNING = new AsyncLocalStorage<Recording>();
/** The readers of the `Ui` of recordings. */
const READERS = new WeakMap<Ui, Viewer>();

/** The recording that the current drawing is for; undefined while nothing of it is kept. */
export function currentRecording(): Recording | undefined {
  return RUNNING.getStore();
}

/** The reader of a `Ui`, where what is drawn does not differ between readers whom the drawing is kept for. */
export function readerOf(ui: Ui): Viewer {
  return READERS.get(ui) ?? ui.viewer;
}

/** The tables that a contribution says it follows from, beside its data and the reader; undefined where it does not say so. */
export function declaredOf(contribution: object): readonly TableDependency[] | undefined {
  // Contributions of some kinds, such as entries of menus, are never drawn by a function.
  return (contribution as { readonly dependsOn?: readonly TableDependency[] }).dependsOn;
}

/** The recording of one drawing. */
export class Recording {
  /** The mark of a part that is made for each request is followed by its number, and by the same character. */
  readonly mark = `\u0001${randomText(MARK_LENGTH)}:`;
  readonly own: OwnPart[] = [];
  /** Users of whom was asked whether they are the reader. */
  readonly askedFor = new Set<number>();
  /** Whether it follows from more of the reader than roles, permissions and scope. */
  isPersonal = false;
  /** Whether it may be kept. */
  isKept = true;
  /** Approximate bytes of memory that parts which are made for each request hold, beside answers. */
  heldBytes = 0;
  readonly #note: NoteRows;

  constructor(note: NoteRows) {
    this.#note = note;
  }

  /** Draws with this as the current recording, for a reader. */
  run<R>(ui: Ui, draw: (reader: DrawnFor) => R): R {
    const noting = this.#uiOf(ui);
    // Frozen with its members, so that plugins which do not ship get it itself: a copy would ask for all members.
    const reader = Object.defineProperties({} as DrawnFor, {
      ui: { enumerable: true, value: noting },
      viewer: { enumerable: true, get: () => noting.viewer },
    });
    return RUNNING.run(this, () => draw(deepFreeze(reader)));
  }

  /** Has a part be made for each request, of this data. Returns what stands for it in the markup. */
  leave(part: OwnPart, data?: unknown): Html {
    this.heldBytes += bytesIn(data);
    return raw(`${this.mark}${this.own.push(part) - 1}\u0001`);
  }

  /** Notes what a contribution says that it follows from. Returns false where it says nothing, or of rows of an item that the data is not. */
  covers(contribution: object, data: unknown): boolean {
    const dependsOn = declaredOf(contribution);
    if (!dependsOn) return false;
    const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
    for (const { table, column } of dependsOn) {
      if (column === undefined) continue;
      if (typeof id !== "number") return false;
      this.#note(table, column, [id]);
    }
    return true;
  }

  /** Notes that it is drawn from the rows with these values in a column. */
  follow({ table, column }: TableDependency & { readonly column: string }, values: readonly number[]): void {
    this.#note(table, column, values);
  }

  /** A `Ui` that notes what is asked of the reader. */
  #uiOf(ui: Ui): Ui {
    const noting = Object.defineProperties({} as Ui, {
      ...Object.getOwnPropertyDescriptors(ui),
      viewer: { enumerable: true, get: () => this.#personal(ui.viewer) },
      isViewer: { enumerable: true, value: (id: number | undefined) => this.#isViewer(ui, id) },
    });
    READERS.set(noting, ui.viewer);
    return noting;
  }

  #personal(viewer: Viewer): Viewer {
    this.isPersonal = true;
    return viewer;
  }

  #isViewer(ui: Ui, id: number | undefined): boolean {
    if (id !== undefined) this.askedFor.add(id);
    return ui.isViewer(id);
  }
}

/** Approximate bytes of texts and markup. Answers, which the cache counts itself, are frozen. */
function bytesIn(data: unknown, depth = 0): number {
  if (typeof data === "string") return data.length;
  if (data instanceof Html) return data.toString().length;
  if (typeof data !== "object" || data === null || Object.isFrozen(data) || depth > MAX_DEPTH) return 0;
  return Object.values(data).reduce<number>((sum, each) => sum + bytesIn(each, depth + 1), 0);
}

/** Texts that lie deeper in what a view is given are short ones, such as names in a list. */
const MAX_DEPTH = 3;
