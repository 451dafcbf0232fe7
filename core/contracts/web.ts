/**
 * What the plugin "web" offers to plugins with screens, and what it is given: a screen asks the API on the reader's behalf,
 * puts what it answers into a view, and is shown within the frame of all screens. Views and pieces have names, so that a
 * theme replaces one of them without copying the rest. Who may come is stated with each screen; what they may do there is
 * the API's to say, and nothing of it is decided a second time.
 */
import type { Html, HtmlPart, html, raw } from "../http/html.ts";
import type { SiteApp } from "../http/plugin_app.ts";
import type { InputObject } from "../input/body_parsing.ts";
import type { Viewer } from "../viewer.ts";
import type { Tag } from "./tags.ts";

/** What a view has beside its data: the language, addresses, pictures and rights of whoever looks. */
export interface Ui {
  readonly html: typeof html;
  readonly raw: typeof raw;
  /** A text in the reader's language. The English text is the key; `:name` marks places to fill. */
  t(text: string, params?: Readonly<Record<string, string | number>>): string;
  /** A picture from `icons/` of the theme or of the runtime; without a label it is decoration. */
  icon(name: string, label?: string): Html;
  /** The address of a path of this instance, which may live below one of another site. */
  url(path: string): string;
  /** A time of the API as a `<time>` element; a dash for none. */
  time(at: string | null | undefined): Html;
  readonly language: string;
  readonly viewer: Viewer;
  /** Whether the reader is a user and no visitor. */
  readonly isSignedIn: boolean;
  /** Whether the reader's roles grant a permission by name. */
  may(permission: string): boolean;
}

/** Draws a part of a screen. Data are what the runtime knows; everything is escaped unless it is markup already. */
export type View<D> = (data: D, ui: Ui) => Html;

/** A step of the way to a screen. */
export interface Crumb {
  readonly text: string;
  readonly path?: string;
}

/** What a screen shows. */
export interface Screen {
  readonly title: string;
  readonly body: Html;
  readonly crumbs?: readonly Crumb[];
  /** Beside the body on wide screens, before it in the document. */
  readonly aside?: Html | undefined;
  /** The status of the answer; 200 unless told otherwise. */
  readonly status?: number;
  /** Which entry of the menus this screen belongs to: the path of that entry. */
  readonly menu?: string;
  /** Scripts of this screen beside those of every one, as `Web.asset` names them. */
  readonly scripts?: readonly string[];
  /** Further rules of style for this document alone, which carries a nonce for them. Never of what somebody wrote. */
  readonly style?: string | undefined;
}

/** What the API answered to a form. */
export type SubmitResult<T> =
  | { readonly ok: true; readonly body: T }
  | {
      readonly ok: false;
      readonly status: number;
      readonly message: string;
      /** Errors by field, as validation reports them. */
      readonly errors: Readonly<Record<string, readonly string[]>>;
    };

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
  /** What the API answers to a GET on the reader's behalf. Throws its error, which becomes the screen's. */
  get<T>(path: string): Promise<T>;
  /** The same, undefined where the reader may not see it or there is none. */
  find<T>(path: string): Promise<T | undefined>;
  /** The item of an address: what the API reads of the first one whose fields are these. Throws 404 with its noun. */
  item<T>(segment: string, noun: string, fields: Readonly<Record<string, string | number>>): Promise<T>;
  /** Asks the API to change something; what it refuses is answered, to be shown beside the form. */
  send<T>(method: string, path: string, input?: InputObject): Promise<SubmitResult<T>>;
  /** The API's answer as it is, for files. */
  ask(method: string, path: string, input?: InputObject): Promise<Response>;
  /** Goes on to another path of this instance, to "/" where it is none, with a notice that is shown there, once. */
  goTo(path: string, notice?: string): Response;
  /** A text of the form as it was sent, "" where it was not. */
  text(field: string): string;
}

/**
 * Who may come to a screen: everybody, whoever may read here, who is signed in, or who holds one of these permissions, or all
 * of them.
 */
export type ScreenAccess = "anyone" | "reader" | "user" | readonly string[] | { readonly all: readonly string[] };

/** Answers a request to a screen. */
export type ScreenHandler = (visit: Visit) => Promise<Screen | Response> | Screen | Response;

/** A field of a form. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  /** `textarea`, `select`, `checkbox`, `password`, `email`, `datetime-local`, `file` …; `text` unless told otherwise. */
  readonly type?: string;
  readonly value?: string | number | boolean | null | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly help?: HtmlPart;
  readonly required?: boolean;
  readonly rows?: number;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly maxlength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly autofocus?: boolean;
  /** Of a `select`: values with their texts. */
  readonly options?: readonly (readonly [value: string | number, text: string])[];
}

/** A form that sends itself by POST; `method` is what the server takes it for. */
export interface FormSpec {
  readonly action: string;
  readonly fields: HtmlPart;
  readonly submit: string;
  readonly cancel?: string;
  /** What went wrong with the form as a whole. */
  readonly error?: string | undefined;
  readonly files?: boolean;
  /** Whether what it does cannot be undone. */
  readonly danger?: boolean;
  readonly label?: string;
  readonly id?: string;
}

/** A table with its head; cells of a row in the order of the head. */
export interface TableSpec {
  readonly caption: string;
  readonly head: readonly HtmlPart[];
  readonly rows: readonly (readonly HtmlPart[])[];
  /** What stands there instead of a table without rows. */
  readonly empty: string;
}

/** Where one is in a long listing. */
export interface PageSpec {
  readonly path: string;
  readonly query: InputObject;
  readonly total: number;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly size: number;
}

/** A question before something that cannot be undone; focus is on the way back. */
export interface ConfirmSpec {
  readonly question: string;
  readonly detail: HtmlPart;
  readonly action: string;
  readonly submit: string;
  readonly back: string;
  readonly fields?: HtmlPart;
}

/** Pieces that screens are made of; each can be replaced by a theme under the name `parts/<name>`. */
export interface Parts {
  field(ui: Ui, spec: FieldSpec): Html;
  form(ui: Ui, spec: FormSpec): Html;
  table(ui: Ui, spec: TableSpec): Html;
  pager(ui: Ui, spec: PageSpec): Html;
  confirm(ui: Ui, spec: ConfirmSpec): Html;
  notice(ui: Ui, kind: "good" | "bad" | "note", text: HtmlPart): Html;
  /** A value with a button that copies it; a secret is masked until it is asked for. */
  copyable(ui: Ui, spec: { label: string; value: string; secret?: boolean; lines?: boolean }): Html;
  /** A form of one button, for what is done at once. */
  button(ui: Ui, spec: { action: string; text: string; icon?: string; kind?: "plain" | "danger" }): Html;
  /** A link that opens in a dialog where scripts run, and is a screen of its own where they do not. */
  dialogLink(ui: Ui, spec: { path: string; text: string; icon?: string; kind?: "plain" | "danger" }): Html;
  /**
   * What was changed from one text to another, word by word, told apart not by colour alone. Texts that may be long are
   * compared by `Web.compared` first.
   */
  difference(ui: Ui, before: string, after: string, comparison?: Comparison): Html;
  tabs(ui: Ui, label: string, tabs: readonly { path: string; text: string; current: boolean }[]): Html;
  badge(ui: Ui, kind: "good" | "bad" | "note", text: string): Html;
}

/** An entry of a menu. */
export interface MenuEntry {
  readonly menu: "main" | "settings" | "account";
  readonly path: string;
  /** English; shown in the reader's language. */
  readonly text: string;
  readonly icon: string;
  readonly admits: ScreenAccess;
  /** Smaller stands first; 50 unless told otherwise. */
  readonly order?: number;
}

/** Markup that plugins add to a place on screens, such as `page/below`; data are what the screen shows there. */
export interface ScreenPart {
  readonly at: string;
  draw(data: unknown, visit: Visit): Promise<HtmlPart> | HtmlPart;
}

/** Knows where screens went that are not found any more. */
export interface ScreenRedirect {
  /** The path, below the instance's own, that a path leads to today; undefined for none that this viewer sees. */
  find(path: string, viewer: Viewer): Promise<string | undefined>;
}

/** A heading within a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A page's HTML ready for a screen. */
export interface DecoratedContent {
  readonly html: string;
  /** Rules of style for elements that had styles of their own, for `Screen.style`; undefined where none had. */
  readonly style: string | undefined;
  readonly headings: readonly Heading[];
}

/** Pieces of two texts in order, those without a mark in both; "long" where the texts are too long to be compared. */
export type Comparison =
  | readonly { readonly value: string; readonly added?: boolean; readonly removed?: boolean }[]
  | "long";

/** The fields of an item of content that most screens show. */
export interface ScreenItem {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly description?: string;
  readonly description_html?: string;
  readonly tags?: readonly Tag[];
}

/** What plugins with screens build on. */
export interface Web {
  readonly parts: Parts;
  /** Names a view, so that a theme can replace it; answers the view as it is drawn from then on. */
  view<D>(name: string, view: View<D>): View<D>;
  /**
   * A page's HTML, as the API shows it, made fit for a screen: code in colours, nothing that reaches for the screen itself.
   * Rejects with ApiError 503 where that takes more than a task may take.
   */
  decorate(ui: Ui, html: string): Promise<DecoratedContent>;
  /** Compares two texts, for `Parts.difference`. */
  compare(ui: Ui, before: string, after: string): Promise<Comparison>;
  /** Serves a file of the plugin's own to documents; answers its address, which changes with its content. */
  asset(name: string, path: string): string;
  /** Serves a screen by GET; `name` is that of no other. */
  screen(site: SiteApp, path: string, admits: ScreenAccess, handler: ScreenHandler, takes?: "long"): void;
  /**
   * Takes a form by POST, from pages of this instance alone. `written` names the fields that a person writes in, with
   * their labels in English: who is signed out by then is shown these again, while the others are only sent along.
   */
  form(
    site: SiteApp,
    path: string,
    admits: ScreenAccess,
    handler: ScreenHandler,
    written?: Readonly<Record<string, string>>,
  ): void;
  /** What plugins added to a place on screens. */
  addedParts(at: string, data: unknown, visit: Visit): Promise<HtmlPart>;
  /** Number of rows and place of a listing's page that a query asks for, as the API takes them. */
  paged(query: InputObject, size?: number): { readonly page: number; readonly size: number; readonly query: string };
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    web: Web;
  }
  interface Slots {
    menu: MenuEntry;
    screen_part: ScreenPart;
    screen_redirect: ScreenRedirect;
  }
}
