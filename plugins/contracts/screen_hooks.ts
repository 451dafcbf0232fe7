/**
 * Slots around screens: middleware, views and icons that replace those of Lectern, and parts of
 * every document's head. Contributions are read once the runtime has booted; where Lectern runs without screens, none reads them.
 */
import type { Html, TableDependency } from "lectern/core";

import type { Ui } from "./web.ts";

/**
 * Middleware of every screen: a response of `before` ends the request, one of `after` replaces the answer.
 * @example
 * context.contribute("screen_hook", {
 *   before: ({ url }) => (url.endsWith("/old-start") ? new Response(null, { status: 302, headers: { location: "/" } }) : undefined),
 * });
 */
export interface ScreenHook {
  readonly before?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  readonly after?: (request: Request, response: Response) => Response | undefined | Promise<Response | undefined>;
}

/** Renders in place of a view; `next` renders the replaced one. */
export type ReplacingView<D = never> = (ui: Ui & { next(data: D): Html }) => (data: D) => Html;

/**
 * A view in place of another one. Where several replace a view, later contributions enclose earlier ones.
 * @example
 * context.contribute("view_replacement", {
 *   name: "layout/footer",
 *   draw: (ui) => (data) => html`<small>${ui.next(data)}</small>`,
 * });
 */
export interface ViewReplacement {
  /** The name of the replaced view, such as "layout/footer". */
  readonly name: string;
  readonly draw: ReplacingView;
  /**
   * The tables that it is drawn from, beside its data and the `Ui`. Screens with it are then kept until one of them changes; without this
   * member the view is drawn at each request.
   */
  readonly dependsOn?: readonly TableDependency[];
}

/**
 * An icon, in place of the one of that name if there is one. Later contributions replace earlier ones.
 * @example
 * context.contribute("screen_icon", {
 *   name: "note",
 *   svg: '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor"><path d="M4 4h16v16H4z"/></svg>',
 *   source: "icons/note.svg",
 * });
 */
export interface ScreenIcon {
  readonly name: string;
  /** One plain `<svg>` element. */
  readonly svg: string;
  /** The file, as errors name it. */
  readonly source: string;
}

/**
 * What the head of every document has besides the files of Lectern.
 * @example
 * context.contribute("document_head", {
 *   draw: (nonce) => html`<style nonce="${nonce}">main { max-width: 60rem; }</style>`,
 * });
 */
export interface DocumentHead {
  /** URLs of style sheets, after those of Lectern. */
  readonly styles?: readonly string[];
  /** URLs of scripts, after those of Lectern; they run in the order of the list, once the document is parsed. */
  readonly scripts?: readonly string[];
  /** Markup at the end of the head. Scripts and styles in it need `nonce` as their attribute, else the browser refuses them. */
  readonly draw?: (nonce: string) => Html;
}

declare module "lectern/core" {
  interface Slots {
    document_head: DocumentHead;
    screen_hook: ScreenHook;
    screen_icon: ScreenIcon;
    view_replacement: ViewReplacement;
  }
}
