/**
 * Named views, their replacements and what is drawn before and after them, by the slots `view_replacement` and `screen_part`. A
 * replacement gets `next`, which draws what it replaces, so it can extend a view without copying.
 */
import type { ScreenPart, Ui, View, ViewReplacement } from "lectern/contracts";
import {
  BootError,
  callContributionNow,
  closestMatch,
  contributorOf,
  deepFreeze,
  Html,
  html,
  type Log,
  type Views as ViewData,
  type ViewName,
} from "lectern/core";
import { drawable } from "./added_parts.ts";
import { currentRecording, declaredOf, type Recording } from "./recording.ts";
import type { ScreenParts, Side } from "./screen_parts.ts";

/** Contributions to views; complete once the runtime has booted. */
export interface ViewContributions {
  readonly parts: ScreenParts;
  readonly replacements: () => readonly ViewReplacement[];
}

const NAME = /^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/;

/** The views of one runtime. */
export class Views {
  readonly #contributed: ViewContributions;
  readonly #names = new Set<string>();
  readonly #declared = new Map<string, boolean>();

  constructor(contributed: ViewContributions) {
    this.#contributed = contributed;
  }

  /** Registers a view; returns the view to draw, with what is contributed to it. */
  add<V extends ViewName>(name: V, view: View<ViewData[V]>): View<ViewData[V]> {
    if (!NAME.test(name)) throw new Error(`Cannot name a view "${name}": expected a name such as "books/show"`);
    if (this.#names.has(name)) throw new Error(`Cannot name a view "${name}": it exists already`);
    this.#names.add(name);
    let own: View<ViewData[V]> | undefined;
    return (data, ui) => {
      own ??= this.#replaced(name, view);
      const recording = currentRecording();
      const drawn = (side: Side) =>
        this.#contributed.parts.ofView(name, side, ui).map((part) => {
          const draw = (reader: Ui) =>
            callContributionNow(part, (each) => drawable(each.draw(data as never, reader)), part.at);
          return recording && !recording.covers(part, data) ? recording.leave((at) => draw(at.ui), data) : draw(ui);
        });
      const [before, after] = [drawn("before"), drawn("after")];
      const shown = this.#shown(name, own, recording)(data, ui);
      return before.length + after.length === 0 ? shown : html`${before}${shown}${after}`;
    };
  }

  /** Whether all that is contributed to a view of no item says what it follows from. */
  isDeclared(name: ViewName): boolean {
    const known = this.#declared.get(name);
    if (known !== undefined) return known;
    const parts = this.#contributed.parts.all().filter(({ at }) => sideOf(at)?.view === name);
    const isDeclared = [...this.#replacements(name), ...parts].every((each) =>
      declaredOf(each)?.every(({ column }) => column === undefined),
    );
    this.#declared.set(name, isDeclared);
    return isDeclared;
  }

  /** The view, which leaves itself to each request where a replacement does not say what it follows from. */
  #shown<D>(name: string, own: View<D>, recording: Recording | undefined): View<D> {
    const replacements = recording ? this.#replacements(name) : [];
    if (!recording || replacements.length === 0) return own;
    return (data, ui) =>
      replacements.map((replacement) => recording.covers(replacement, data)).every((isCovered) => isCovered)
        ? own(data, ui)
        : recording.leave((at) => own(data, at.ui), data);
  }

  #replacements(name: string): readonly ViewReplacement[] {
    return this.#contributed.replacements().filter((replacement) => replacement.name === name);
  }

  /** The view with its replacements around it. */
  #replaced<D>(name: string, view: View<D>): View<D> {
    return this.#replacements(name).reduce<View<D>>(
      (next, replacement) => (data, ui) =>
        callContributionNow(
          replacement,
          ({ draw }) => {
            // Not by a spread, which would ask the `Ui` of a recording for all that it notes.
            const members = Object.getOwnPropertyDescriptors(ui);
            const own = { ...members, next: { value: (given: D) => next(given, ui), enumerable: true } };
            const helpers = deepFreeze(Object.defineProperties({}, own));
            // Who replaces a view knows its data by its name.
            const drawn: unknown = draw(helpers as never)(data as never);
            if (drawn instanceof Html) return drawn;
            // Of a view that should have answered at once; its rejection would be unhandled.
            if (drawn instanceof Promise) drawn.catch(() => {});
            throw new Error(`The view "${name}" does not return html\`…\``);
          },
          name,
        ) ?? next(data, ui),
      view,
    );
  }

  /**
   * Checks that the view of every part of a plugin exists. Throws BootError for the first that does not. `optional` tells parts that
   * may be at other views, such as those of a theme that was written for another version; they are never drawn.
   */
  check(optional: (part: ScreenPart) => boolean): void {
    for (const part of this.#unknown()) if (!optional(part)) throw new BootError(this.#missing(part));
  }

  /** Logs parts and replacements at views that do not exist: most likely misspelt, or of a plugin that is not loaded. */
  warn(log: Log): void {
    for (const part of this.#unknown()) log.warn(this.#missing(part), { view: sideOf(part.at)?.view });
    for (const { name } of this.#contributed.replacements())
      if (!this.#names.has(name))
        log.warn(`A theme has a view that does not exist; check its name${this.#suggestion(name)}`, { view: name });
  }

  /** Parts before and after views that do not exist. */
  #unknown(): ScreenPart[] {
    return this.#contributed.parts.all().filter(({ at }) => {
      const of = sideOf(at);
      return of !== undefined && !this.#names.has(of.view);
    });
  }

  #missing(part: ScreenPart): string {
    const { view = "", side } = sideOf(part.at) ?? {};
    const who = contributorOf(part);
    const of = who === undefined ? "" : ` for "${who}"`;
    return `Cannot render ${side} the view "${view}"${of}: there is no such view${this.#suggestion(view)}`;
  }

  #suggestion(name: string): string {
    const near = closestMatch(name, [...this.#names]);
    return near === undefined ? "" : `; did you mean "${near}"?`;
  }
}

/** The view and the side that a part is at; undefined for a part at another place. */
export function sideOf(at: string): { readonly view: string; readonly side: Side } | undefined {
  const [, view = "", side = ""] = /^(.+)\/(before|after)$/.exec(at) ?? [];
  return side === "before" || side === "after" ? { view, side } : undefined;
}
