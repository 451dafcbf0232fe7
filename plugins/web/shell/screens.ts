/**
 * How screens are served: who may come, what their handler is given, and the document around what it answers. A handler
 * never sees a cookie or a header it does not need; what it asks goes to the API as the reader, in the reader's language,
 * and what the API refuses becomes either an error beside a form or the screen of an error.
 */
import type { MenuEntry, Screen, ScreenAccess, ScreenHandler, SubmitResult, Ui, Visit } from "lectern/contracts";
import {
  ApiError,
  denied,
  GUEST,
  html,
  htmlResponse,
  type InputObject,
  localizedError,
  notFound,
  type PluginContext,
  type SiteApp,
  type Viewer,
} from "lectern/core";
import { toSignIn } from "./area.ts";
import type { Entry, Frame } from "./layout.ts";
import { leaveNotice, takeNotice } from "./notices.ts";
import { type PendingForm, pendingFields } from "./pending_form.ts";
import { movedTo, ownPath } from "./redirects.ts";

/** What serving needs of the plugin. */
export interface ScreenParts {
  readonly context: Pick<PluginContext, "ask" | "slot" | "texts">;
  readonly root: string;
  /** The policy `frame-src`. */
  readonly frameSources: string;
  readonly facts: { readonly app: string; readonly logo: string };
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  uiFor(request: Request, viewer: Viewer): Ui;
  document(frame: Frame, ui: Ui): ReturnType<typeof html>;
  errorBody(data: { status: number; message: string }, ui: Ui): ReturnType<typeof html>;
  pendingFormBody(data: PendingForm, ui: Ui): ReturnType<typeof html>;
}

interface Asked {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly params: unknown;
  readonly asked: InputObject;
  readonly input: InputObject;
  readonly address: string;
}

/** What a path is served by. */
interface Served {
  readonly admits: ScreenAccess;
  readonly handler: ScreenHandler;
  /** Labels of the fields that a person writes in. */
  readonly written?: Readonly<Record<string, string>> | undefined;
}

/** Screens and forms of one runtime. */
export class Screens {
  readonly #parts: ScreenParts;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
  }

  /** Serves a screen. */
  screen(site: SiteApp, path: string, admits: ScreenAccess, handler: ScreenHandler, takes?: "long"): void {
    site.get(path, (asked: Asked) => this.#answer(asked, { admits, handler }), told(admits, takes));
  }

  /** Takes a form; see `Web.form`. */
  form(
    site: SiteApp,
    path: string,
    admits: ScreenAccess,
    handler: ScreenHandler,
    written?: Readonly<Record<string, string>>,
  ) {
    site.post(path, (asked: Asked) => this.#answer(asked, { admits, handler, written }), told(admits));
  }

  /** The document of an error. */
  async errorScreen(request: Request, viewer: Viewer, status: number, message: string) {
    const ui = this.#parts.uiFor(request, viewer);
    const body = this.#parts.errorBody({ status, message }, ui);
    return this.#parts.document(this.#frame({ title: ui.t("Error"), body }, ui, request, ""), ui);
  }

  /** A response with a document and the policy that goes with it. */
  respond(body: ReturnType<typeof html>, status: number, nonce = ""): Response {
    const response = htmlResponse(body, status);
    const styles = nonce === "" ? "'self'" : `'self' 'nonce-${nonce}'`;
    response.headers.set(
      "content-security-policy",
      `default-src 'self'; style-src ${styles}; img-src 'self' data: https: http:; media-src 'self' https:; frame-src ${this.#parts.frameSources}; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    response.headers.set("x-frame-options", "DENY");
    response.headers.set("referrer-policy", "same-origin");
    return response;
  }

  async #answer(asked: Asked, { admits, handler, written }: Served): Promise<Response> {
    const { request, viewer, params } = asked;
    if (!isNamed(params)) {
      const route = new URL(request.url).pathname.replace(/^\/+|\/+$/g, "");
      throw localizedError(404, "The route :route could not be found.", { route });
    }
    const ui = this.#parts.uiFor(request, viewer);
    if (!isAdmitted(admits, ui)) {
      if (ui.isSignedIn) throw denied();
      if (!request.headers.get("accept")?.includes("text/html") && request.method !== "GET") throw SIGNED_OUT;
      return request.method === "GET" ? toSignIn(request, this.#parts.root) : this.#held(asked, ui, written);
    }
    const answer = await this.#handled(handler, asked, ui);
    if (answer instanceof Response) return answer;
    const notice = takeNotice(request.headers.get("cookie"), this.#parts.root);
    const nonce = answer.style === undefined ? "" : crypto.randomUUID().replaceAll("-", "");
    const frame = this.#frame(answer, ui, request, notice?.text ?? "", nonce);
    const response = this.respond(this.#parts.document(frame, ui), answer.status ?? 200, nonce);
    if (notice) response.headers.append("set-cookie", notice.taken);
    // A form that could not be sent is shown again with what was typed, as long as the store is away.
    if (response.status === 503) response.headers.set("retry-after", RETRY_SECONDS);
    return response;
  }

  /** What a screen answers; where its item is not found, the way to where it is today. */
  async #handled(handler: ScreenHandler, asked: Asked, ui: Ui): Promise<Screen | Response> {
    try {
      return await handler(this.#visit(asked, ui));
    } catch (error) {
      const { context } = this.#parts;
      const path = isMissing(error) ? await movedTo(context.slot("screen_redirect"), asked) : undefined;
      if (path === undefined) throw error;
      return new Response(null, { status: 302, headers: { location: this.#parts.root + path } });
    }
  }

  /** A form whose sender is signed out by now: said so, with everything in it, to be sent again after signing in. */
  #held({ request, input }: Asked, ui: Ui, written?: Served["written"]): Response {
    const held = { path: new URL(request.url).pathname, fields: pendingFields(input, written) };
    const body = this.#parts.pendingFormBody(held, ui);
    const screen = { title: ui.t("You are signed out"), body };
    return this.respond(this.#parts.document(this.#frame(screen, ui, request, ""), ui), SIGNED_OUT.status);
  }

  #visit({ request, viewer, params, asked, input, address }: Asked, ui: Ui): Visit {
    const { context, root } = this.#parts;
    const headers = Object.fromEntries(
      ["cookie", "user-agent", "sec-fetch-site"].flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const reader = speaking(viewer, ui.language);
    const ask = (method: string, path: string, given: InputObject = {}) =>
      context.ask(reader, method, path, { input: given, address, headers });
    const get = async <T>(path: string): Promise<T> => {
      const response = await ask("GET", path);
      if (!response.ok) throw await errorOf(response);
      return (await response.json()) as T;
    };
    return {
      request,
      viewer,
      ui,
      params: params as Record<string, string>,
      query: asked,
      input,
      address,
      get,
      async find<T>(path: string) {
        const response = await ask("GET", path);
        if (response.status === 403 || response.status === 404) return undefined;
        if (!response.ok) throw await errorOf(response);
        return (await response.json()) as T;
      },
      async item<T>(segment: string, noun: string, fields: Readonly<Record<string, string | number>>) {
        const search = new URLSearchParams({ count: "1" });
        for (const [name, value] of Object.entries(fields)) search.set(`filter[${name}]`, String(value));
        const { data } = await get<{ data: { id: number }[] }>(`/api/${segment}?${search}`);
        if (!data[0]) throw notFound(noun);
        return get<T>(`/api/${segment}/${data[0].id}`);
      },
      async send<T>(method: string, path: string, given?: InputObject): Promise<SubmitResult<T>> {
        const response = await ask(method, path, given);
        if (!response.ok) return errorsOf(response);
        const text = await response.text();
        return { ok: true, body: (text === "" ? undefined : JSON.parse(text)) as T };
      },
      ask,
      goTo(path, notice) {
        const sent = new Headers({ location: root + ownPath(path) });
        if (notice !== undefined) sent.append("set-cookie", leaveNotice(notice, root));
        return new Response(null, { status: 303, headers: sent });
      },
      text(field) {
        const value = input[field];
        return typeof value === "string" || typeof value === "number" ? String(value) : "";
      },
    };
  }

  #frame(screen: Screen, ui: Ui, request: Request, notice: string, nonce = ""): Frame {
    const { facts, styles, scripts, context } = this.#parts;
    const here = screen.menu ?? new URL(request.url).pathname;
    const entries = (menu: MenuEntry["menu"]): Entry[] =>
      context
        .slot("menu")
        .filter((entry) => entry.menu === menu && isAdmitted(entry.admits, ui))
        .sort((a, b) => (a.order ?? 50) - (b.order ?? 50))
        .map(({ path, text, icon }) => ({ path, text, icon, current: here === path || here.startsWith(`${path}/`) }));
    const settings = entries("settings");
    const account = entries("account");
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
        ...entries("main"),
        ...(settings[0]
          ? [{ path: settings[0].path, text: "Settings", icon: "settings", current: isIn(settings) }]
          : []),
      ],
      settings: screen.aside ? [] : isIn(settings) ? settings : isIn(account) ? account : [],
      account,
      styles,
      scripts: [...scripts, ...(screen.scripts ?? [])],
      scheme,
      search: context.slot("menu").some(({ path, admits }) => path === "/search" && isAdmitted(admits, ui)),
      style: nonce !== "" && html`<style nonce="${nonce}">${ui.raw(screen.style ?? "")}</style>`,
    };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** As for every answer while the store is away. */
const RETRY_SECONDS = "5";
const SIGNED_OUT = new ApiError(401, "You are signed out");

/**
 * Whether every parameter of a path names something. One that cannot be decoded arrives as an empty text, and the address
 * of the API that a screen builds from an empty text, "." or ".." would be another route's.
 */
function isNamed(params: unknown): boolean {
  return Object.values((params ?? {}) as Record<string, string>).every((name) => !/^\.{0,2}$/.test(name));
}

/** Routes of screens let everybody pass, as they ask for a sign-in themselves; whom they admit is told to whoever lists them. */
function told(admits: ScreenAccess, takes?: "long") {
  const detail: Record<string, unknown> = { "x-screen": admits, ...(takes ? { "x-takes": takes } : {}) };
  return { permit: "public", detail } as const;
}

const SPEAKING = new WeakMap<Viewer, Map<string, Viewer>>();

/** A viewer in the language of a screen: the same object each time, so that what is remembered of it is found again. */
function speaking(viewer: Viewer, language: string): Viewer {
  if (viewer === GUEST || viewer.language === language) return viewer;
  const known = SPEAKING.get(viewer) ?? new Map<string, Viewer>();
  const found = known.get(language) ?? { ...viewer, language };
  SPEAKING.set(viewer, known.set(language, found));
  return found;
}

function isAdmitted(admits: ScreenAccess, ui: Ui): boolean {
  if (admits === "anyone") return true;
  if (admits === "user") return ui.isSignedIn;
  if (admits === "reader") return ui.viewer !== GUEST;
  if (!ui.isSignedIn) return false;
  return "all" in admits ? admits.all.every((name) => ui.may(name)) : admits.some((name) => ui.may(name));
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
