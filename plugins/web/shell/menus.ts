/** The menus of screens: the entries of plugins that a viewer is shown. */
import type { MenuEntry, Ui } from "lectern/contracts";
import { callContributionNow, type Viewer } from "lectern/core";
import { isAdmitted } from "./access.ts";

type Menu = MenuEntry["menu"];

/** Entries by menu, in order. */
export type ShownMenus = Readonly<Record<Menu, readonly MenuEntry[]>>;

/** The menus of one runtime. */
export class Menus {
  readonly #entries: () => readonly MenuEntry[];
  readonly #known = new WeakMap<Viewer, ShownMenus>();

  /** `entries` returns those of all menus; complete once the runtime has booted. */
  constructor(entries: () => readonly MenuEntry[]) {
    this.#entries = entries;
  }

  /**
   * What the viewer is shown; one that cannot be shown is left out. It follows from the viewer, so it is kept for each, unless an
   * entry fails: its fault is recorded at each screen.
   */
  of(ui: Ui): ShownMenus {
    const known = this.#known.get(ui.viewer);
    if (known) return known;
    const answers = this.#entries().map((entry) => ({
      entry,
      isShown: callContributionNow(entry, (each) => isShown(each, ui), String(entry.menu)),
    }));
    const shown = (menu: Menu) =>
      answers
        .flatMap(({ entry, isShown: is }) => (is === true && entry.menu === menu ? [entry] : []))
        .sort((a, b) => (a.order ?? 50) - (b.order ?? 50));
    const menus = { main: shown("main"), settings: shown("settings"), account: shown("account") };
    if (answers.every(({ isShown: is }) => is !== undefined)) this.#known.set(ui.viewer, menus);
    return menus;
  }
}

/**
 * Whether a menu entry leads the reader to a screen, and the plugin behind that screen is installed. Throws for one whose members
 * are of other types.
 */
function isShown({ path, text, icon, order = 0, needs, admits }: MenuEntry, ui: Ui): boolean {
  if ([path, text, icon].some((each) => typeof each !== "string") || typeof order !== "number")
    throw new Error("Cannot show an entry of a menu: its path, text or icon is no text, or its order no number");
  return isAdmitted(admits, ui) && ui.serves(path) && (needs === undefined || ui.serves(needs));
}
