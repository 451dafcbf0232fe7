/**
 * Serves screens: access, the `Visit` of a handler, and the document around its result. Handlers get no cookies, and only the headers they
 * need. Their requests go to the API as the viewer, in the viewer's language; its errors become errors of a form or an error
 * screen.
 */
import {
  findItem,
  listItems,
  type MenuEntry,
  type MenuName,
  readItem,
  type Screen,
  type ScreenFacts,
  type ScreenHandler,
  type SubmitResult,
  type Ui,
  type Visit,
  type Web,
} from "lectern/contracts";
import {
  ApiError,
  callContributionNow,
  denied,
  GUEST,
  html,
  htmlResponse,
  type InputObject,
  inLanguage,
  localizedError,
  ownPath,
  type Permit,
  randomText,
  trimChars,
  type Viewer,
} from "lectern/core";
import { isPermitted } from "./access.ts";
import { drawable, faultNotice, shownEntries } from "./added_parts.ts";
import type { ShellContext } from "./contract.ts";
import type { Entry, Frame } from "./layout.ts";
import { storeNotice, takeNotice } from "./notices.ts";
import { type PendingForm, pendingFields } from "./pending_form.ts";
import { movedTo } from "./redirects.ts";
import { toSignIn } from "./route_scope.ts";
import type { ScreenExtras } from "./screen_extras.ts";
import type { ScreenParts } from "./screen_parts.ts";

/** Dependencies of `Screens`. */
export interface ScreenOptions {
  readonly context: ShellContext;
  /** What plugins add, such as the entries of menus. */
  readonly parts: ScreenParts;
  /** The value of `frame-src`. */
  readonly frameSources: string;
  readonly facts: { readonly app: string; readonly logo: string };
  /** URLs of the files that every document loads; complete once the runtime has booted. */
  styles(): readonly string[];
  scripts(): readonly string[];
  /** What plugins add to a screen. */
  extras(facts: ScreenFacts, visit: Visit): Promise<ScreenExtras>;
  uiFor(request: Request, viewer: Viewer): Ui;
  document(frame: Frame, ui: Ui): ReturnType<typeof html>;
  errorBody(data: { status: number; message: string }, ui: Ui): ReturnType<typeof html>;
  pendingFormBody(data: PendingForm, ui: Ui): ReturnType<typeof html>;
}

/** A request whose answer is an error. */
export interface FailedRequest {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly address: string;
}

interface ScreenRequest {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly params: unknown;
  readonly nestedQuery: InputObject;
  readonly input: InputObject;
  readonly address: string;
}

/** A screen or form. */
interface ScreenRoute {
  readonly permit: Permit;
  readonly handler: ScreenHandler;
  /** Labels of the fields that a user writes in. */
  readonly written?: Readonly<Record<string, string>> | undefined;
}

/** Screens and forms of one runtime. */
export class Screens {
  readonly #options: ScreenOptions;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** Serves a screen; see `Web.screen`. */
  screen(...[site, path, permit, handler, takes]: Parameters<Web["screen"]>): void {
    site.get(path, (request: ScreenRequest) => this.#answer(request, { permit, handler }), routeOptions(permit, takes));
  }

  /** Serves a form; see `Web.form`. */
  form(...[site, path, permit, handler, written]: Parameters<Web["form"]>): void {
    site.post(
      path,
      (request: ScreenRequest) => this.#answer(request, { permit, handler, written }),
      routeOptions(permit),
    );
  }

  /** The screen of an error. */
  async errorScreen({ request, viewer, address }: FailedRequest, status: number, message: string): Promise<Response> {
    const ui = this.#options.uiFor(request, viewer);
    const body = this.#options.errorBody({ status, message }, ui);
    const given = { request, viewer, address, params: {}, nestedQuery: {}, input: {} };
    return this.#respond({ title: ui.t("Error"), body, status }, given, ui);
  }

  /**
   * The response with the document of a screen, and its Content-Security-Policy. Its nonce allows a style element of the screen, and
   * the scripts and styles that plugins add to the head.
   */
  async #respond(screen: Screen, given: ScreenRequest, ui: Ui, notice = ""): Promise<Response> {
    const { request } = given;
    const { context, document, extras, frameSources } = this.#options;
    const { title, status = 200, style } = screen;
    const facts = { title, path: new URL(request.url).pathname, status };
    const added = await extras(facts, this.#visit(given, ui));
    const css = style === undefined && added.css === "" ? undefined : `${style ?? ""}${added.css}`;
    const draws = context.slot("document_head").filter(({ draw }) => draw !== undefined);
    const nonce = css === undefined && draws.length === 0 ? "" : randomText(NONCE_LENGTH);
    const headEnd = draws.map((each) => callContributionNow(each, ({ draw }) => html`${drawable(draw?.(nonce))}\n`));
    const { head, footer } = added;
    const frame = { ...this.#frame({ ...screen, style: css }, ui, request, notice, nonce), head, headEnd, footer };
    const response = htmlResponse(document(frame, ui), status);
    const styles = nonce === "" ? "'self'" : `'self' 'nonce-${nonce}'`;
    const scripts = draws.length === 0 ? "" : `script-src ${styles}; `;
    response.headers.set(
      "content-security-policy",
      `default-src 'self'; ${scripts}style-src ${styles}; img-src 'self' data: https: http:; media-src 'self' https:; frame-src ${frameSources}; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    response.headers.set("x-frame-options", "DENY");
    return response;
  }

  async #answer(given: ScreenRequest, { permit, handler, written }: ScreenRoute): Promise<Response> {
    const { request, viewer, params } = given;
    if (!areSegments(params)) {
      const route = trimChars(new URL(request.url).pathname, "/");
      throw localizedError(404, "The route :route could not be found.", { route });
    }
    const ui = this.#options.uiFor(request, viewer);
    if (!isPermitted(permit, ui)) {
      if (ui.isSignedIn) throw denied();
      if (!request.headers.get("accept")?.includes("text/html") && request.method !== "GET") throw SIGNED_OUT;
      return request.method === "GET"
        ? toSignIn(request, this.#options.context.root)
        : this.#pendingForm(given, ui, written);
    }
    const answer = await this.#run(handler, given, ui);
    if (answer instanceof Response) return answer;
    const notice = takeNotice(request.headers.get("cookie"), this.#options.context.root);
    const response = await this.#respond(answer, given, ui, notice?.text);
    if (notice) response.headers.append("set-cookie", notice.deletion);
    // While the store is unavailable, a rejected form is shown again with its input.
    if (response.status === 503) response.headers.set("retry-after", RETRY_SECONDS);
    return response;
  }

  /** Runs a handler; where its item is not found, redirects to the current path of the item. */
  async #run(handler: ScreenHandler, given: ScreenRequest, ui: Ui): Promise<Screen | Response> {
    try {
      return await handler(this.#visit(given, ui));
    } catch (error) {
      const { context } = this.#options;
      const path = isMissing(error) ? await movedTo(context.slot("screen_redirect"), given) : undefined;
      if (path === undefined) throw error;
      return new Response(null, { status: 302, headers: { location: this.#options.context.root + path } });
    }
  }

  /** The screen of a form that was submitted after the session had ended. */
  #pendingForm(given: ScreenRequest, ui: Ui, written?: ScreenRoute["written"]): Promise<Response> {
    const { request, input } = given;
    const pending = { path: new URL(request.url).pathname, fields: pendingFields(input, written) };
    const body = this.#options.pendingFormBody(pending, ui);
    return this.#respond({ title: ui.t("You are signed out"), body, status: SIGNED_OUT.status }, given, ui);
  }

  #visit({ request, viewer, params, nestedQuery, input, address }: ScreenRequest, ui: Ui): Visit {
    const { context } = this.#options;
    const { root } = context;
    const headers = Object.fromEntries(
      ["cookie", "user-agent", "sec-fetch-site"].flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const reader = inLanguage(viewer, ui.language);
    const call = (method: string, path: string, body: InputObject = {}) =>
      context.callAs(reader, method, path, { input: body, address, headers });
    const readers = () => {
      // A guest without a role gets what the API answers without credentials.
      if (reader === GUEST) throw SIGNED_OUT;
      return context.slot("item_reader");
    };
    return Object.freeze({
      request,
      viewer,
      ui,
      params: params as Record<string, string>,
      query: nestedQuery,
      input,
      address,
      get: async (path) => answerOf(await call("GET", path)),
      async find(path) {
        const response = await call("GET", path);
        return response.status === 403 || response.status === 404 ? undefined : answerOf(response);
      },
      item: async (kind, where) => readItem(readers(), kind, reader, where),
      findItem: async (kind, where) => findItem(readers(), kind, reader, where),
      items: async (kind, where) => listItems(readers(), kind, reader, where),
      async send(method, path, body) {
        const response = await call(method, path, body);
        return response.ok ? { ok: true, body: await bodyOf(response) } : errorsOf(response);
      },
      call,
      goTo(path, notice) {
        const sent = new Headers({ location: root + ownPath(path) });
        if (notice !== undefined) sent.append("set-cookie", storeNotice(notice, root));
        return new Response(null, { status: 303, headers: sent });
      },
      text(field) {
        const value = input[field];
        return typeof value === "string" || typeof value === "number" ? String(value) : "";
      },
    } satisfies Visit);
  }

  #frame(
    screen: Screen,
    ui: Ui,
    request: Request,
    notice: string,
    nonce: string,
  ): Omit<Frame, "head" | "headEnd" | "footer"> {
    const { facts, styles, scripts, context, parts } = this.#options;
    const here = screen.menu ?? new URL(request.url).pathname;
    const entries = (menu: MenuName): Entry[] =>
      shownEntries(parts.menu(menu, ui), (entry) => isServed(entry, ui)).map(({ path, text, icon }) => ({
        ...{ path, text, icon },
        current: here === path || here.startsWith(`${path}/`),
      }));
    const main = entries("menu/main");
    const settings = entries("menu/settings");
    const account = entries("menu/account");
    const isIn = (list: Entry[]) => list.some(({ current }) => current);
    const scheme = /(?:^|;\s*)lectern_scheme=(light|dark)(?:;|$)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "";
    return {
      ...facts,
      title: screen.title,
      body: screen.body,
      aside: screen.aside,
      crumbs: screen.crumbs ?? [],
      notice,
      main: [
        ...main,
        ...(settings[0]
          ? [{ path: settings[0].path, text: "Settings", icon: "settings", current: isIn(settings) }]
          : []),
      ],
      settings: screen.aside ? [] : isIn(settings) ? settings : isIn(account) ? account : [],
      account,
      styles: styles(),
      scripts: [...scripts(), ...(screen.scripts ?? [])],
      scheme,
      search: [...main, ...settings, ...account].some(({ path }) => path === "/search"),
      fault: faultNotice(context.runtime.faults(), ui),
      style: screen.style !== undefined && html`<style nonce="${nonce}">${ui.raw(screen.style)}</style>`,
    };
  }
}

/** Whether a menu entry leads to a screen, and the plugin behind that screen is installed. */
function isServed({ path, needs }: MenuEntry, ui: Ui): boolean {
  return ui.serves(path) && (needs === undefined || ui.serves(needs));
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Characters of a nonce, about six bits each; the Content-Security-Policy wants 128 bits. */
const NONCE_LENGTH = 32;
/** The Retry-After of every answer while the store is unavailable. */
const RETRY_SECONDS = "5";
const SIGNED_OUT = new ApiError(401, "You are signed out");

/**
 * Whether every parameter of a path is usable as a segment. One that cannot be decoded arrives as an empty text, and an API path that a
 * screen builds from an empty text, "." or ".." would be that of another route.
 */
function areSegments(params: unknown): boolean {
  return Object.values((params ?? {}) as Record<string, string>).every((name) => !/^\.{0,2}$/.test(name));
}

/** Options of the routes: public, as screens redirect to the sign-in themselves; `x-screen` has the access for listings of routes. */
function routeOptions(permit: Permit, takes?: "long") {
  const detail: Record<string, unknown> = { "x-screen": permit, ...(takes ? { "x-takes": takes } : {}) };
  return { permit: "public", detail } as const;
}

/** The answer in a response; `Answers` has its type, that of the route's schema. Throws the error of a request that failed. */
async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw await errorOf(response);
  return bodyOf(response);
}

async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  // The schema of the route; undefined is the answer of a route that answers none.
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function errorOf(response: Response): Promise<ApiError> {
  const { message } = await errorsOf(response);
  return new ApiError(response.status, message);
}

async function errorsOf(response: Response): Promise<Extract<SubmitResult<never>, { ok: false }>> {
  const text = await response.text();
  const { error = {} } = (text.startsWith("{") ? JSON.parse(text) : {}) as {
    error?: { message?: string; validation?: Record<string, string[]> };
  };
  return {
    ok: false,
    status: response.status,
    message: error.message ?? "",
    errors: error.validation ?? {},
  };
}
