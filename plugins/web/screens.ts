/**
 * How screens are served: who may come, what their handler is given, and the document around what it answers. A handler
 * never sees a cookie or a header it does not need; what it asks goes to the API as the reader, in the reader's language,
 * and what the API refuses becomes either a fault beside a form or the screen of an error.
 */
import {
  type Admission,
  ApiError,
  denied,
  type Handler,
  html,
  htmlResponse,
  type InputObject,
  isUpload,
  type MenuEntry,
  NOBODY,
  notFound,
  type PluginContext,
  type Screen,
  type Sent,
  type SiteApp,
  type Ui,
  type Viewer,
  type Visit,
} from "lectern/core";
import { toSignIn } from "./area.ts";
import type { Entry, Frame, Held } from "./layout.ts";
import { leaveNotice, takeNotice } from "./notices.ts";
import { ownPath } from "./redirects.ts";

/** What serving needs of the plugin. */
export interface ScreenParts {
  readonly context: Pick<PluginContext, "ask" | "slot" | "texts">;
  readonly root: string;
  readonly facts: { readonly app: string; readonly logo: string };
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  uiFor(request: Request, viewer: Viewer): Ui;
  document(frame: Frame, ui: Ui): ReturnType<typeof html>;
  faultBody(data: { status: number; message: string }, ui: Ui): ReturnType<typeof html>;
  heldBody(data: Held, ui: Ui): ReturnType<typeof html>;
}

interface Asked {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly params: unknown;
  readonly asked: InputObject;
  readonly input: InputObject;
  readonly address: string;
}

/** Screens and forms of one house. */
export class Screens {
  readonly #parts: ScreenParts;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
  }

  /** Serves a screen. */
  screen(site: SiteApp, path: string, admits: Admission, handler: Handler): void {
    site.get(path, (asked: Asked) => this.#answer(asked, admits, handler), told(admits));
  }

  /** Takes a form. */
  form(site: SiteApp, path: string, admits: Admission, handler: Handler): void {
    site.post(path, (asked: Asked) => this.#answer(asked, admits, handler), told(admits));
  }

  /** The document of an error. */
  async fault(request: Request, viewer: Viewer, status: number, message: string) {
    const ui = this.#parts.uiFor(request, viewer);
    const body = this.#parts.faultBody({ status, message }, ui);
    return this.#parts.document(this.#frame({ title: ui.t("Error"), body }, ui, request, ""), ui);
  }

  /** A response with a document and the policy that goes with it. */
  respond(body: ReturnType<typeof html>, status: number, nonce = ""): Response {
    const response = htmlResponse(body, status);
    const styles = nonce === "" ? "'self'" : `'self' 'nonce-${nonce}'`;
    response.headers.set(
      "content-security-policy",
      `default-src 'self'; style-src ${styles}; img-src 'self' data: https: http:; media-src 'self' https:; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    );
    response.headers.set("x-frame-options", "DENY");
    response.headers.set("referrer-policy", "same-origin");
    return response;
  }

  async #answer(asked: Asked, admits: Admission, handler: Handler): Promise<Response> {
    const { request, viewer } = asked;
    const ui = this.#parts.uiFor(request, viewer);
    if (!isAdmitted(admits, ui)) {
      if (ui.isSignedIn) throw denied();
      if (!request.headers.get("accept")?.includes("text/html") && request.method !== "GET") throw SIGNED_OUT;
      return request.method === "GET" ? toSignIn(request, this.#parts.root) : this.#held(asked, ui);
    }
    const answer = await handler(this.#visit(asked, ui));
    if (answer instanceof Response) return answer;
    const notice = takeNotice(request.headers.get("cookie"), this.#parts.root);
    const nonce = answer.style === undefined ? "" : crypto.randomUUID().replaceAll("-", "");
    const frame = this.#frame(answer, ui, request, notice?.text ?? "", nonce);
    const response = this.respond(this.#parts.document(frame, ui), answer.status ?? 200, nonce);
    if (notice) response.headers.append("set-cookie", notice.taken);
    return response;
  }

  /** A form whose sender is signed out by now: said so, with everything in it, to be sent again after signing in. */
  #held({ request, input }: Asked, ui: Ui): Response {
    const body = this.#parts.heldBody({ path: new URL(request.url).pathname, fields: fieldsOf(input) }, ui);
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
      async send<T>(method: string, path: string, given?: InputObject): Promise<Sent<T>> {
        const response = await ask(method, path, given);
        if (!response.ok) return faultsOf(response);
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

const SIGNED_OUT = new ApiError(401, "You are signed out");

/** The texts of a form by the names of its fields; what must not stand in a document is left out. */
function fieldsOf(input: InputObject, within = ""): [name: string, value: string][] {
  return Object.entries(input).flatMap(([key, value]): [string, string][] => {
    const name = within === "" ? key : `${within}[${key}]`;
    if (typeof value === "string" || typeof value === "number")
      return /password/i.test(name) ? [] : [[name, String(value)]];
    return typeof value === "object" && value !== null && !isUpload(value) ? fieldsOf(value as InputObject, name) : [];
  });
}

/** Routes of screens let everybody pass, as they ask for a sign-in themselves; whom they admit is told to whoever lists them. */
function told(admits: Admission) {
  return { permit: "public", detail: { "x-screen": admits } as Record<string, unknown> } as const;
}

const SPEAKING = new WeakMap<Viewer, Map<string, Viewer>>();

/** A viewer in the language of a screen: the same object each time, so that what is remembered of it is found again. */
function speaking(viewer: Viewer, language: string): Viewer {
  if (viewer === NOBODY || viewer.language === language) return viewer;
  const known = SPEAKING.get(viewer) ?? new Map<string, Viewer>();
  const found = known.get(language) ?? { ...viewer, language };
  SPEAKING.set(viewer, known.set(language, found));
  return found;
}

function isAdmitted(admits: Admission, ui: Ui): boolean {
  if (admits === "anyone") return true;
  if (admits === "user") return ui.isSignedIn;
  if (admits === "reader") return ui.viewer !== NOBODY;
  if (!ui.isSignedIn) return false;
  return "all" in admits ? admits.all.every((name) => ui.may(name)) : admits.some((name) => ui.may(name));
}

async function errorOf(response: Response): Promise<ApiError> {
  const { message } = await faultsOf(response);
  return new ApiError(response.status, message);
}

async function faultsOf(response: Response): Promise<Extract<Sent<never>, { ok: false }>> {
  const text = await response.text();
  const { error = {} } = (text.startsWith("{") ? JSON.parse(text) : {}) as {
    error?: { message?: string; validation?: Record<string, string[]> };
  };
  return {
    ok: false,
    status: response.status,
    message: error.message ?? "",
    faults: error.validation ?? {},
  };
}
