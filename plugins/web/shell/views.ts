/**
 * Named views, their replacements and what is drawn before and after them, by the slots `view_replacement` and `view_part`. A
 * replacement gets `next`, which draws what it replaces, so it can extend a view without copying.
 */
import type { View, ViewReplacement } from "lectern/contracts";
import {
  BootError,
  closestMatch,
  html,
  type Log,
  type Views as ViewData,
  type ViewName,
  type ViewPart,
} from "lectern/core";

/** Contributions to views; complete once the runtime has booted. */
export interface ViewContributions {
  readonly parts: () => readonly ViewPart[];
  readonly replacements: () => readonly ViewReplacement[];
}

const NAME = /^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/;

/** The views of one runtime. */
export class Views {
  readonly #contributed: ViewContributions;
  readonly #names = new Set<string>();

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
      const parts = this.#contributed.parts().filter(({ target }) => target === name);
      if (parts.length === 0) return own(data, ui);
      const drawn = (place: ViewPart["place"]) =>
        parts
          .filter((part) => part.place === place)
          .sort((a, b) => a.priority - b.priority)
          .map(({ draw }) => draw(data as never, ui));
      return html`${drawn("before")}${own(data, ui)}${drawn("after")}`;
    };
  }

  /** The view with its replacements around it. */
  #replaced<D>(name: string, view: View<D>): View<D> {
    return this.#contributed
      .replacements()
      .filter((replacement) => replacement.name === name)
      .reduce<View<D>>(
        (next, { draw }) =>
          (data, ui) =>
            // Who replaces a view knows its data by its name.
            draw({ ...ui, next: (given: D) => next(given, ui) } as never)(data as never),
        view,
      );
  }

  /** Checks that the view of every part exists. Throws BootError for the first that does not. */
  check(): void {
    for (const { target, place } of this.#contributed.parts())
      if (!this.#names.has(target))
        throw new BootError(
          `Cannot render ${place} the view "${target}": there is no such view${this.#suggestion(target)}`,
        );
  }

  /** Logs replacements of views that do not exist: most likely misspelt, or of a plugin that is not loaded. */
  warn(log: Log): void {
    for (const { name } of this.#contributed.replacements())
      if (!this.#names.has(name))
        log.warn(`A theme has a view that does not exist; check its name${this.#suggestion(name)}`, { view: name });
  }

  #suggestion(name: string): string {
    const near = closestMatch(name, [...this.#names]);
    return near === undefined ? "" : `; did you mean "${near}"?`;
  }
}
