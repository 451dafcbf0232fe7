/**
 * Named views, and their replacements by a theme: `themes/<name>/views/<view>.ts`, whose default export is
 * `({html, next, t, …}) => (data) => html`…``. `next` draws the original view, so a theme can extend it without
 * copying.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Ui, View } from "lectern/contracts";
import { BootError, callContributionNow, Html, html, type Log, type ViewPart } from "lectern/core";
import { drawable } from "./added_parts.ts";

/** The default export of a theme's view. */
export type ThemedView<D = never> = (ui: Ui & { next(data: D): Html }) => (data: D) => Html;

const NAME = /^[a-z][a-z0-9_]*(?:\/[a-z][a-z0-9_]*)+$/;

/** The views of one runtime. */
export class Views {
  readonly #themed: ReadonlyMap<string, ThemedView>;
  readonly #parts: () => readonly ViewPart[];
  readonly #recordFault: (place: string, error: unknown) => void;
  readonly #names = new Set<string>();

  /** `parts` returns what is drawn before and after views; complete once the runtime has booted. */
  constructor(
    themed: ReadonlyMap<string, ThemedView>,
    {
      parts,
      recordFault,
    }: {
      readonly parts: () => readonly ViewPart[];
      /** Is called where a view of the theme fails; Lectern's own is drawn instead. */
      readonly recordFault: (place: string, error: unknown) => void;
    },
  ) {
    this.#themed = themed;
    this.#parts = parts;
    this.#recordFault = recordFault;
  }

  /** Registers a view; returns the view to draw, which is that of the theme where it has one of the name. */
  add<D>(name: string, view: View<D>): View<D> {
    if (!NAME.test(name)) throw new Error(`Cannot name a view "${name}": expected a name such as "books/show"`);
    if (this.#names.has(name)) throw new Error(`Cannot name a view "${name}": it exists already`);
    this.#names.add(name);
    const themed = this.#themed.get(name) as ThemedView<D> | undefined;
    const own = themed ? this.#byTheme(name, themed, view) : view;
    return (data, ui) => {
      const parts = this.#parts().filter(({ target }) => target === name);
      if (parts.length === 0) return own(data, ui);
      const drawn = (place: ViewPart["place"]) =>
        parts
          .filter((part) => part.place === place)
          .sort((a, b) => a.priority - b.priority)
          .map((part) => callContributionNow(part, ({ draw }) => drawable(draw(data as never, ui)), name));
      return html`${drawn("before")}${own(data, ui)}${drawn("after")}`;
    };
  }

  #byTheme<D>(name: string, themed: ThemedView<D>, view: View<D>): View<D> {
    return (data, ui) => {
      try {
        const drawn: unknown = themed({ ...ui, next: (given) => view(given, ui) })(data);
        if (drawn instanceof Html) return drawn;
        throw new Error(`The theme's view "${name}" does not return html\`…\``);
      } catch (error) {
        this.#recordFault(`view ${name}`, error);
        return view(data, ui);
      }
    };
  }

  /** Logs views of the theme that do not exist, which are most likely misspelt. */
  warn(log: Log): void {
    for (const name of [...this.#themed.keys(), ...this.#parts().map(({ target }) => target)])
      if (!this.#names.has(name)) log.warn("A theme has a view that does not exist; check its name", { view: name });
  }
}

/** Loads the views of a theme. Throws BootError naming the file that cannot be used. */
export async function readThemedViews(themeFolder: string | undefined): Promise<Map<string, ThemedView>> {
  const found = new Map<string, ThemedView>();
  const folder = themeFolder === undefined ? "" : join(themeFolder, "views");
  if (folder === "" || !existsSync(folder)) return found;
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const path = join(folder, file);
    const shown = relative(process.cwd(), path);
    let loaded: { default?: unknown };
    try {
      loaded = (await import(pathToFileURL(path).href)) as { default?: unknown };
    } catch (cause) {
      throw new BootError(`Failed loading theme view at "${shown}" with error: ${String(cause)}`, { cause });
    }
    if (typeof loaded.default !== "function")
      throw new BootError(
        `Cannot use the theme's view "${shown}": expected a default export ({html, next}) => (data) => html\`…\``,
      );
    found.set(file.slice(0, -3).split(sep).join("/"), loaded.default as ThemedView);
  }
  return found;
}
