/**
 * Screens. A screen calls the API as the reader, puts the answer into a view, and is shown within the frame of all screens.
 * Views and parts have names, so that a theme can replace one of them. A screen states who may open it; what the reader may
 * do there is decided by the API alone.
 */
import type {
  Html,
  HtmlPart,
  html,
  InputObject,
  Permit,
  PlaceName,
  Places,
  raw,
  SiteApp,
  Viewer,
  ViewName,
  Views,
} from "lectern/core";

import type { AnswerPath, AnswerTo, ChangeAnswer, SubmitResult } from "./answers.ts";
import type { Item, ItemAddress, ItemName, ItemsAddress } from "./items.ts";
import type { Comparison } from "./markup.ts";
import type { ConfirmSpec, FieldSpec, FormSpec, PageSpec, TableSpec } from "./part_specs.ts";
import type { FiguresName, ScreenPreview, ShownFigure, Toolbar, ToolbarName } from "./screen_places.ts";
import type { Tag } from "./tags.ts";
import type { UserFace } from "./users.ts";

/** Services of a view: texts, icons, URLs and permissions of the reader. */
export interface Ui {
  readonly html: typeof html;
  readonly raw: typeof raw;
  /** A text by its English key, in the form for its number. Numbers are written as the language does, `:id` and `:number` as digits. */
  t(text: string, params?: Readonly<Record<string, string | number>>): string;
  /** An icon from `icons/` of the theme or of Lectern; without a label it is decorative. */
  icon(name: string, label?: string): Html;
  /** The URL path of a path of this instance, with the path of APP_URL before it. */
  url(path: string): string;
  /** A time of the API as a `<time>` element; a dash for none. */
  time(at: string | null | undefined): Html;
  /** A number as the language writes it, with one decimal at most. */
  number(value: number): string;
  readonly language: string;
  readonly viewer: Viewer;
  /** Whether a user is the reader. Of screens that are kept, ask this in place of `viewer`, which makes what is drawn that reader's alone. */
  isViewer(id: number | undefined): boolean;
  /** Whether the reader is signed in. */
  readonly isSignedIn: boolean;
  /** Whether the reader's roles grant a permission. */
  may(permission: string): boolean;
  /** Whether this instance serves a path: false where the plugin of a screen or of a route of the API is left out. */
  serves(path: string, method?: string): boolean;
}

/** Renders a part of a screen. Everything is escaped unless it is `Html`. */
export type View<D> = (data: D, ui: Ui) => Html;

/** A breadcrumb. */
export interface Crumb {
  readonly text: string;
  readonly path?: string;
}

/** The content of a screen. */
export interface Screen {
  readonly title: string;
  readonly body: Html;
  readonly crumbs?: readonly Crumb[];
  /** Beside the body on wide displays, before it in the document. */
  readonly aside?: Html | undefined;
  /** The status of the answer; 200 by default. */
  readonly status?: number;
  /** The path of the menu entry that this screen belongs to. */
  readonly menu?: string;
  /** For programs that show a link to the screen, which come as visitors; nothing where there is none. */
  readonly preview?: ScreenPreview | undefined;
  /** Further scripts of this screen: addresses of `Web.asset`. */
  readonly scripts?: readonly string[];
  /** CSS of this document, allowed by a nonce. Never from user input. */
  readonly style?: string | undefined;
}

/** One request to a screen. */
export interface Visit {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly ui: Ui;
  readonly params: Readonly<Record<string, string>>;
  /** The query string. */
  readonly query: InputObject;
  /** Query string and form together. */
  readonly input: InputObject;
  readonly address: string;
  /**
   * The answer of the API to a GET as the reader. Throws its error, which becomes the screen's. The type is that of the route's schema,
   * which the plugin of the route has added to `Answers`.
   */
  get<const Path extends AnswerPath>(path: Path): Promise<AnswerTo<Path>>;
  /** The same; undefined where it does not exist or the reader does not see it. */
  find<const Path extends AnswerPath>(path: Path): Promise<AnswerTo<Path> | undefined>;
  /** An item as the single read of the API answers it to the reader, without a request to the API. Throws its 404. */
  item<Kind extends ItemName>(kind: Kind, where: ItemAddress): Promise<Item<Kind>>;
  /** The same; undefined where it does not exist or the reader does not see it. */
  findItem<Kind extends ItemName>(kind: Kind, where: ItemAddress): Promise<Item<Kind> | undefined>;
  /** Items that the reader sees, as listings of the API answer them. */
  items<Kind extends ItemName>(kind: Kind, where: ItemsAddress): Promise<readonly Item<Kind, "listed">[]>;
  /**
   * Sends a change to the API. Returns its errors, to be shown in the form. The type of the answer is that in `Answers` by method and path,
   * unknown where it has none.
   */
  send<const Method extends string, const Path extends string>(
    method: Method,
    path: Path,
    input?: InputObject,
  ): Promise<SubmitResult<ChangeAnswer<Method, Path>>>;
  /** The response of the API, for files. */
  call(method: string, path: string, input?: InputObject): Promise<Response>;
  /** Redirects to another path of this instance, to "/" for any other, with a notice that is shown there once, and a link after it. */
  goTo(path: string, notice?: string, link?: { readonly path: string; readonly text: string }): Response;
  /** A field of the form as text; "" where it was not sent. */
  text(field: string): string;
}

/** Handles a request to a screen. */
export type ScreenHandler = (visit: Visit) => Promise<Screen | Response> | Screen | Response;

/**
 * A screen that says what it is drawn from. Where that is cached, what was drawn is kept with it, for all readers whom it is the same
 * for, so that most requests read and draw nothing.
 */
export interface DrawnScreen<Data> {
  /** Reads what the screen is drawn from, at each request: items that the visit gives, and plain values. */
  read(visit: Visit): Promise<Data | Response> | Data | Response;
  /** Draws the screen of the data and of texts and permissions of the reader, and of nothing else. */
  draw(data: Data, reader: DrawnFor): Promise<Screen> | Screen;
}

/** For whom a screen is drawn that is kept: what a visit has that does not belong to one request. */
export type DrawnFor = Pick<Visit, "ui" | "viewer">;

/** Parts of screens; a theme replaces one as `parts/<name>`. */
export interface Parts {
  field(ui: Ui, spec: FieldSpec): Html;
  form(ui: Ui, spec: FormSpec): Html;
  table(ui: Ui, spec: TableSpec): Html;
  pager(ui: Ui, spec: PageSpec): Html;
  confirm(ui: Ui, spec: ConfirmSpec): Html;
  notice(ui: Ui, kind: "good" | "bad" | "note", text: HtmlPart): Html;
  /** A value with a button that copies it; a secret is masked until it is revealed. */
  copyable(ui: Ui, spec: { label: string; value: string; secret?: boolean; lines?: boolean }): Html;
  /** A form of one button. */
  button(ui: Ui, spec: { action: string; text: string; icon?: string; kind?: "plain" | "danger" }): Html;
  /** A link that opens a dialog, or a screen where scripts are off. */
  dialogLink(ui: Ui, spec: { path: string; text: string; icon?: string; kind?: "plain" | "danger" }): Html;
  /**
   * The changes between two texts, marked not by colour alone. `comparison` is that of `Markup.compare`; without it the
   * texts are shown whole, one as removed and one as added.
   */
  difference(ui: Ui, before: string, after: string, comparison?: Comparison): Html;
  tabs(ui: Ui, label: string, tabs: readonly { path: string; text: string; current: boolean }[]): Html;
  /** A row of links and buttons, with a menu for those that are in it. */
  toolbar(ui: Ui, toolbar: Toolbar): Html;
  badge(ui: Ui, kind: "good" | "bad" | "note", text: string): Html;
  /** The picture of a user, decorative, as the name is beside it: that of `url`, the `avatar_url` of the API, or drawn from the name. */
  avatar(ui: Ui, user: UserFace): Html;
}

/**
 * Finds the present address of a screen that has moved.
 * @example
 * context.contribute("screen_redirect", {
 *   find: async (path) => (path === "/notices" ? "/notes" : undefined),
 * });
 */
export interface ScreenRedirect {
  /** The present path of a former one; undefined where the viewer sees none. */
  find(path: string, viewer: Viewer): Promise<string | undefined>;
}

/** A heading within a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A page's HTML as a screen shows it. */
export interface DecoratedContent {
  readonly html: string;
  /** CSS of the elements with inline styles, for `Screen.style`; undefined where there are none. */
  readonly style: string | undefined;
  readonly headings: readonly Heading[];
}

/** The fields of an item of content that most screens show. */
export interface ScreenItem {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly description?: string;
  readonly description_html?: string;
  readonly tags?: readonly Tag[];
}

/**
 * Services for plugins with screens.
 * @example
 * export default definePlugin({
 *   name: "quick_book",
 *   requires: ["web"],
 *   setup({ contracts: { web }, contribute, app }) {
 *     const { field, form } = web.parts;
 *     contribute("screen_part", { at: "menu/main", path: "/quick-book", text: "New book", icon: "book", permit: ["book-create-all"] });
 *     web.screen(app.site, "/quick-book", ["book-create-all"], ({ ui }) => {
 *       const fields = field(ui, { name: "name", label: ui.t("Name"), required: true, maxlength: 255 });
 *       const body = form(ui, { action: ui.url("/quick-book"), fields, submit: ui.t("Save") });
 *       return { title: ui.t("New book"), body };
 *     });
 *     web.form(app.site, "/quick-book", ["book-create-all"], async (visit) => {
 *       const sent = await visit.send("POST", "/api/books", { name: visit.text("name") });
 *       if (!sent.ok) throw new ApiError(sent.status, sent.message);
 *       return visit.goTo(bookPath(sent.body));
 *     });
 *   },
 * });
 */
export interface Web {
  readonly parts: Parts;
  /** Registers a view by its name in `Views`, so that a theme can replace it. Returns the view to use. */
  view<V extends ViewName>(name: V, view: View<Views[V]>): View<Views[V]>;
  /**
   * Prepares a page's HTML for a screen: highlights code, removes what would affect the rest of the screen, and shows what plugins make of
   * its source in Markdown, such as formulas. Rejects with ApiError 503 beyond the limits of a task.
   */
  decorate(ui: Ui, html: string, markdown?: string): Promise<DecoratedContent>;
  /**
   * Adds an icon by the name that `Ui.icon`, menus and toolbars use. `svg` is one svg element with shapes, such as
   * `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor"><path d="M4 4h16"/></svg>`. Throws for other elements and
   * attributes, and for a name that exists. A theme replaces it by an icon of that name.
   */
  icon(name: string, svg: string): void;
  /**
   * Serves a file of the plugin. Returns its URL, which changes with the content. A file that ends with `.ts` is a module for browsers:
   * it is bundled with all that it imports, packages included, and minified, so its `name` ends with `.js`.
   */
  asset(name: string, path: string): string;
  /** Serves a screen by GET. */
  screen<Data extends object>(
    site: SiteApp,
    path: string,
    permit: Permit,
    screen: ScreenHandler | DrawnScreen<Data>,
    takes?: "long",
  ): void;
  /**
   * Handles a form by POST, from documents of this instance alone. `written` names text fields with their English labels:
   * where the session has ended, the sign-in screen shows these again and sends the others along.
   */
  form(
    site: SiteApp,
    path: string,
    permit: Permit,
    handler: ScreenHandler,
    written?: Readonly<Record<string, string>>,
  ): void;
  /** Declares places of the plugin's screens, by their names in `Places`. What is added at a place that none declares stops the boot. */
  places(...names: PlaceName[]): void;
  /** Draws the parts that plugins added at a place of screens. Throws for a place that was not declared. */
  addedParts<P extends PlaceName>(at: P, data: Places[P], visit: Visit | DrawnFor): Promise<HtmlPart>;
  /** The entries that the viewer sees, and the parts, that plugins added to a toolbar, for `Parts.toolbar`. */
  toolbar<P extends ToolbarName>(at: P, data: Places[P], visit: Visit | DrawnFor): Promise<Toolbar>;
  /** The figures that plugins added to a list of figures and the viewer sees. Throws for a place that was not declared. */
  figures(at: FiguresName, visit: Visit): Promise<readonly ShownFigure[]>;
  /** The page of a listing that a query names, with the query parameters of the API for it. */
  paged(query: InputObject, size?: number): { readonly page: number; readonly size: number; readonly query: string };
}

declare module "lectern/core" {
  interface Contracts {
    web: Web;
  }
  interface Slots {
    screen_redirect: ScreenRedirect;
  }
}
