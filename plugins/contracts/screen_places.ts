/**
 * What plugins add to the screens of others. A screen has places, named in `Places` with the data that is given there; a plugin
 * with screens of its own declares its places by declaration merging and by `Web.places`.
 */
import type { HtmlPart, Permit, PlaceName, Places } from "lectern/core";

import type { Ui, Visit } from "./web.ts";

/**
 * Markup that a plugin adds at a place of screens.
 * @example
 * context.contribute("screen_part", {
 *   at: "page/below",
 *   order: 10,
 *   draw: (page, { ui }) => html`<p>${ui.t("Page")} ${page.id}</p>`,
 * });
 */
export type ScreenPart = {
  readonly [P in PlaceName]: {
    readonly at: P;
    /** Smaller ones come first; 50 by default. */
    readonly order?: number;
    /** Draws the part; nothing where it returns nothing. `data` is what the place gives, see `Places`. */
    draw(data: Places[P], visit: Visit): Promise<HtmlPart> | HtmlPart;
  };
}[PlaceName];

/** The name of a toolbar: a place whose name ends with "/toolbar". */
export type ToolbarName = Extract<PlaceName, `${string}/toolbar`>;

/**
 * An entry that a plugin adds to a toolbar: a link, or a form of one button.
 * @example
 * context.contribute("toolbar_entry", {
 *   at: "page/toolbar",
 *   text: "Add a note",
 *   icon: "plus",
 *   kind: "form",
 *   permit: "user",
 *   path: (page) => `/notes/of/${page.id}`,
 * });
 */
export type ToolbarEntry = {
  readonly [P in ToolbarName]: {
    readonly at: P;
    /** In English, the key of its translation. */
    readonly text: string;
    readonly icon: string;
    /** The path within this instance that it leads or submits to; undefined where it is not offered. `data`: see `Places`. */
    path(data: Places[P], ui: Ui): string | undefined;
    /** A link by default; a dialog is a link that scripts open in a dialog, a form submits by POST. */
    readonly kind?: ToolbarItem["kind"];
    /** Who sees it; by default everybody who sees the screen. The path has its own access. */
    readonly permit?: Permit;
    /** Whether it is in the menu "More" of the toolbar. */
    readonly isInMenu?: boolean;
    /** Smaller ones come first among the entries of plugins; 50 by default. */
    readonly order?: number;
  };
}[ToolbarName];

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

/**
 * A figure that a plugin adds to a list of figures, such as that of the statistics.
 * @example
 * context.contribute("screen_figure", {
 *   at: "statistics/figures",
 *   label: "Notes",
 *   path: "/notes",
 *   async read() {
 *     const found = await context.db.selectFrom("notes").select(({ fn }) => fn.countAll<number>().as("n")).executeTakeFirst();
 *     return Number(found?.n ?? 0);
 *   },
 * });
 */
export interface ScreenFigure {
  readonly at: FiguresName;
  /** In English, the key of its translation. */
  readonly label: string;
  /** Reads the value for the viewer, at each request of the screen. A number is formatted in the language of the viewer. */
  read(visit: Visit): Promise<HtmlPart> | HtmlPart;
  /** The path within this instance that the label leads to. */
  readonly path?: string;
  /** Who sees it; by default everybody who sees the screen. */
  readonly permit?: Permit;
  /** Smaller ones come first; 50 by default. */
  readonly order?: number;
}

/** A figure as screens render it. */
export interface ShownFigure {
  /** Translated. */
  readonly label: string;
  readonly value: HtmlPart;
  readonly path: string | undefined;
}

/** Facts about a screen that is answered. */
export interface ScreenFacts {
  readonly title: string;
  /** The path of the request within this instance. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
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
export interface ScreenHead {
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
    screen_figure: ScreenFigure;
    screen_head: ScreenHead;
    screen_part: ScreenPart;
    toolbar_entry: ToolbarEntry;
  }
}
