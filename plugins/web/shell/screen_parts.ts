/**
 * The parts of screens that plugins contribute, found by their place. What a part has beside follows from its place, which the slot
 * cannot say: it is checked here once all plugins are set up. How parts are drawn is said by those who draw them.
 */
import type {
  FiguresName,
  MenuEntry,
  MenuName,
  PlacePart,
  ScreenFigure,
  ScreenPart,
  ToolbarEntry,
  ToolbarName,
  Ui,
  ViewPart,
} from "lectern/contracts";
import { BootError, callContributionNow, contributorOf, type PlaceName } from "lectern/core";
import { isPermitted } from "./access.ts";

/** The menus, which are places of entries. */
export const MENUS: readonly MenuName[] = ["menu/main", "menu/settings", "menu/account", "menu/palette"];

/** Where a part is drawn of a view. */
export type Side = "before" | "after";

const DEFAULT_ORDER = 50;

/** The parts of one runtime. */
export class ScreenParts {
  readonly #read: () => readonly ScreenPart[];
  #byPlace: ReadonlyMap<string, readonly ScreenPart[]> | undefined;

  /** `read` returns all parts; complete once the runtime has booted. */
  constructor(read: () => readonly ScreenPart[]) {
    this.#read = read;
  }

  /** All parts. */
  all(): readonly ScreenPart[] {
    return this.#read();
  }

  /** The markup at a place that the viewer sees, in its order, as all of these lists. */
  markup(at: PlaceName, ui: Ui): PlacePart[] {
    return this.#shown<PlacePart>(at, ui).filter((part) => "draw" in part);
  }

  /** The entries of a toolbar. */
  entries(at: ToolbarName, ui: Ui): ToolbarEntry[] {
    return this.#shown<ToolbarEntry>(at, ui).filter((part) => "text" in part);
  }

  /** The entries of a menu. */
  menu(at: MenuName, ui: Ui): MenuEntry[] {
    return this.#shown<MenuEntry>(at, ui);
  }

  /** The figures of a list. */
  figures(at: FiguresName, ui: Ui): ScreenFigure[] {
    return this.#shown<ScreenFigure>(at, ui).filter((part) => "read" in part);
  }

  /** What is drawn on a side of a view. */
  ofView(view: string, side: Side, ui: Ui): ViewPart[] {
    return this.#shown<ViewPart>(`${view}/${side}`, ui);
  }

  /** Throws BootError for the first part that lacks what its place needs. */
  check(): void {
    for (const part of this.all()) {
      const missing = neededOf(part).find((name) => !(name in part));
      if (missing !== undefined)
        throw new BootError(`The plugin "${contributorOf(part)}" adds a part at "${part.at}" without "${missing}"`);
    }
  }

  /** The kind of a part follows from its place, which the compiler does not derive from the comparison. */
  #shown<Kind extends ScreenPart>(at: string, ui: Ui): Kind[] {
    this.#byPlace ??= Map.groupBy(this.all(), (part) => part.at);
    const parts = this.#byPlace.get(at);
    if (parts === undefined) return [];
    const isShown = (part: ScreenPart) => part.permit === undefined || isPermitted(part.permit, ui);
    return inOrder(parts.filter((part) => callContributionNow(part, isShown, at) === true)) as Kind[];
  }
}

/** Contributions by their `order`, those of the same order in boot order. */
function inOrder<Each extends { readonly order?: number }>(contributions: readonly Each[]): Each[] {
  return contributions.toSorted((a, b) => (a.order ?? DEFAULT_ORDER) - (b.order ?? DEFAULT_ORDER));
}

function neededOf(part: ScreenPart): readonly string[] {
  const { at } = part;
  if (at.startsWith("menu/")) return ["text", "icon", "path", "permit"];
  if (at.endsWith("/figures") && !("draw" in part)) return ["label", "read"];
  return at.endsWith("/toolbar") && !("draw" in part) ? ["text", "icon", "path"] : ["draw"];
}
