/**
 * What plugins add to the screens of others, by one slot. A screen has places, named in `Places` with the data that is given there; a plugin
 * with screens of its own declares its places by declaration merging and by `Web.places`.
 */
import type { HtmlPart, Permit, PlaceName, Places, TableDependency, ViewName, Views } from "lectern/core";

import type { Ui, View, Visit } from "./web.ts";

/**
 * What a plugin adds to screens: markup at a place, an entry of a toolbar or a menu, a figure, or markup before or after a view. `at` says
 * where, and what else it has follows from that. Smaller `order` comes first, 50 by default; who sees it is its `permit`, by default
 * everybody who sees the screen.
 * @example
 * context.contribute("screen_part", {
 *   at: "page/below",
 *   order: 10,
 *   draw: (page, { ui }) => html`<p>${ui.t("Page")} ${page.id}</p>`,
 * });
 * @example
 * context.contribute("screen_part", {
 *   at: "page/toolbar",
 *   text: "Add a note",
 *   icon: "plus",
 *   kind: "form",
 *   permit: "user",
 *   path: (page) => `/notes/of/${page.id}`,
 * });
 * @example
 * context.contribute("screen_part", {
 *   at: "menu/main",
 *   text: "Notes",
 *   icon: "tag",
 *   path: "/notes",
 *   permit: "user",
 *   needs: "/api/notes",
 * });
 * @example
 * context.contribute("screen_part", {
 *   at: "layout/footer/before",
 *   draw: (_data, ui) => html`<p>${ui.t("Written by hand.")}</p>`,
 * });
 * @example
 * context.contribute("screen_part", {
 *   at: "statistics/figures",
 *   label: "Notes",
 *   path: "/notes",
 *   async read() {
 *     const found = await context.db.selectFrom("notes").select(({ fn }) => fn.countAll<number>().as("n")).executeTakeFirst();
 *     return Number(found?.n ?? 0);
 *   },
 * });
 */
export type ScreenPart = PlacePart | ToolbarEntry | MenuEntry | ScreenFigure | ViewPart;

/** What all parts of screens have. */
interface Placed {
  /** Smaller ones come first; 50 by default. */
  readonly order?: number;
  /** Who sees it; by default everybody who sees the screen. What it leads to has its own permit. */
  readonly permit?: Permit;
}

/** What a part is drawn from. */
interface DrawnPart {
  /**
   * The tables that it is drawn from, beside its data, the `Ui` and who the reader is. Screens with it are then kept until one of them
   * changes; with a `column`, until one of the rows with the item's id in it does. Of a visit it gets `ui` and `viewer` alone. Without this
   * member it is drawn at each request.
   */
  readonly dependsOn?: readonly TableDependency[];
}

/** Markup at a place of screens. */
export type PlacePart = {
  readonly [P in PlaceName]: DrawnPart & {
    readonly at: P;
    readonly order?: number;
    readonly permit?: Permit;
    /** Draws the part; nothing where it returns nothing. `data` is what the place gives, see `Places`. */
    draw(data: Places[P], visit: Visit): Promise<HtmlPart> | HtmlPart;
  };
}[PlaceName];

/** The name of a toolbar: a place whose name ends with "/toolbar". */
export type ToolbarName = Extract<PlaceName, `${string}/toolbar`>;

/** An entry of a toolbar: a link, or a form of one button. */
export type ToolbarEntry = {
  readonly [P in ToolbarName]: DrawnPart & {
    readonly at: P;
    readonly order?: number;
    readonly permit?: Permit;
    /** In English, the key of its translation. */
    readonly text: string;
    readonly icon: string;
    /** The path within this instance that it leads or submits to; undefined where it is not offered. `data`: see `Places`. */
    path(data: Places[P], ui: Ui): string | undefined;
    /** A link by default; a dialog is a link that scripts open in a dialog, a form submits by POST. */
    readonly kind?: ToolbarItem["kind"];
    /** Whether it is in the menu "More" of the toolbar. */
    readonly isInMenu?: boolean;
  };
}[ToolbarName];

/** A menu: that of all screens, that of the settings, that of the account. */
export type MenuName = "menu/main" | "menu/settings" | "menu/account" | "menu/palette";

/** An entry of a menu. */
export interface MenuEntry extends Placed {
  readonly at: MenuName;
  readonly path: string;
  /** In English, the key of its translation. */
  readonly text: string;
  readonly icon: string;
  readonly permit: Permit;
  /** The path of the API that the screen shows, such as `/api/webhooks`; without a route for it the entry is left out. */
  readonly needs?: string;
  /**
   * The path of a screen that answers how much of it is new, as markup that a script puts behind the text: nothing, or the number in an
   * element of the class `count`. It is asked for beside the document, which is kept, at most twice a minute.
   */
  readonly count?: string;
}

/** Markup before or after a view, with the data of that view. */
export type ViewPart = {
  readonly [V in ViewName]: DrawnPart & {
    readonly at: `${V}/${"before" | "after"}`;
    readonly order?: number;
    readonly permit?: Permit;
    readonly draw: View<Views[V]>;
  };
}[ViewName];

/** An entry as toolbars render it. */
export interface ToolbarItem {
  /** Translated. */
  readonly text: string;
  readonly icon: string;
  /** Without the path of APP_URL. */
  readonly path: string;
  readonly kind: "link" | "dialog" | "form";
  readonly isInMenu: boolean;
}

/** What a toolbar renders. */
export interface Toolbar {
  readonly items: readonly ToolbarItem[];
  /** The parts that plugins added at the place. */
  readonly markup: HtmlPart;
}

/** The name of a list of figures: a place whose name ends with "/figures". */
export type FiguresName = Extract<PlaceName, `${string}/figures`>;

/** A figure of a list of figures, such as that of the statistics. */
export interface ScreenFigure extends Placed {
  readonly at: FiguresName;
  /** In English, the key of its translation. */
  readonly label: string;
  /** Reads the value for the viewer, at each request of the screen. A number is formatted in the language of the viewer. */
  read(visit: Visit): Promise<HtmlPart> | HtmlPart;
  /** The path within this instance that the label leads to. */
  readonly path?: string;
}

/** A figure as screens render it. */
export interface ShownFigure {
  /** Translated. */
  readonly label: string;
  readonly value: HtmlPart;
  readonly path: string | undefined;
}

/** What other sites show of a link to a screen. */
export interface ScreenPreview {
  /** The begin of its text; "" for none. */
  readonly description: string;
  /** The absolute address of a picture. */
  readonly image: string | undefined;
}

/** Facts about a screen that is answered. */
export interface ScreenFacts {
  readonly title: string;
  /** The path of the request within this instance. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
  /** What other sites show of a link to it. */
  readonly preview?: ScreenPreview | undefined;
}

/** A link element of the head. */
export interface HeadLink {
  readonly rel: "alternate" | "author" | "canonical" | "help" | "icon" | "license" | "manifest" | "me" | "search";
  /** A path within this instance, or an address that begins with https:// */
  readonly href: string;
  /** The media type. */
  readonly type?: string;
  readonly title?: string;
}

/**
 * What a plugin adds to the head of every screen, those of errors included. The Content-Security-Policy stays as it is.
 * @example
 * context.contribute("screen_head", {
 *   meta: ({ status }) => (status === 200 ? { robots: "noindex" } : {}),
 *   links: () => [{ rel: "help", href: "/books/help" }],
 * });
 */
export interface ScreenHead extends DrawnPart {
  /** Scripts, loaded after those of Lectern and before those of a theme: addresses of `Web.asset`. */
  readonly scripts?: readonly string[];
  /** Style sheets, in the same order: addresses of `Web.asset`. */
  readonly styles?: readonly string[];
  /** Meta elements of a screen by name ("robots") or, where it has a colon ("og:title"), by property; values are escaped. */
  meta?(facts: ScreenFacts, ui: Ui): Readonly<Record<string, string>>;
  /** Link elements of a screen. */
  links?(facts: ScreenFacts, ui: Ui): readonly HeadLink[];
  /** CSS of a screen, which a nonce allows. Never from user input. */
  css?(facts: ScreenFacts, ui: Ui): string | undefined;
}

declare module "lectern/core" {
  interface Slots {
    screen_head: ScreenHead;
    screen_part: ScreenPart;
  }
}
