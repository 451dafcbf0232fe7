/**
 * Serves screens: access, what a handler reads, and the answer with its document. A screen whose item is not found leads to the present path
 * of the item.
 */
import type { Screen, ScreenHandler, Ui, Visit, Web } from "lectern/contracts";
import { ApiError, denied, type html, localizedError, type Permit, trimChars, type Viewer } from "lectern/core";
import { isPermitted } from "./access.ts";
import type { ShellContext } from "./contract.ts";
import type { Documents, NamedScreen } from "./documents.ts";
import { takeNotice } from "./notices.ts";
import { type PendingForm, pendingFields } from "./pending_form.ts";
import { movedTo } from "./redirects.ts";
import { forgetsOnRequest } from "./revalidation.ts";
import { toSignIn } from "./route_scope.ts";
import type { ScreenData } from "./screen_data.ts";
import { type ScreenRequest, SIGNED_OUT, visitOf } from "./visits.ts";

/** Dependencies of `Screens`. */
export interface ScreenOptions {
  readonly context: ShellContext;
  readonly documents: Documents;
  uiFor(request: Request, viewer: Viewer): Ui;
  errorBody(data: { status: number; message: string }, ui: Ui): ReturnType<typeof html>;
  pendingFormBody(data: PendingForm, ui: Ui): ReturnType<typeof html>;
}

/** A request whose answer is an error. */
export interface FailedRequest {
  readonly request: Request;
  readonly viewer: Viewer;
  readonly address: string;
}

/** A screen or form. */
interface ScreenRoute {
  readonly permit: Permit;
  readonly handler: ScreenHandler | NamedScreen;
  /** Labels of the fields that a user writes in. */
  readonly written?: Readonly<Record<string, string>> | undefined;
  /** The path of a screen, as it was registered; undefined for a form. */
  readonly shownAt?: string;
}

/** A screen that was drawn, or that is drawn from data unless it is kept. */
type Found = { readonly drawn: Screen } | { readonly screen: NamedScreen; readonly data: ScreenData };

/** Screens and forms of one runtime. */
export class Screens {
  readonly #options: ScreenOptions;
  /** The paths of forms. */
  readonly #forms = new Set<string>();
  readonly #isKeptByBrowsers: boolean;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#isKeptByBrowsers = forgetsOnRequest(options.context.origin);
  }

  /** Serves a screen; see `Web.screen`. */
  screen(...[site, path, permit, handler, takes]: Parameters<Web["screen"]>): void {
    // A screen has the type of its own data.
    const own = typeof handler === "function" ? handler : { name: path, screen: handler as NamedScreen["screen"] };
    const route = { permit, handler: own, shownAt: path };
    site.get(
      path,
      // Named one by one: Elysia parses all headers and cookies for a handler that gets the whole context.
      ({ request, viewer, params, nestedQuery, input, address }: ScreenRequest) =>
        this.#answer({ request, viewer, params, nestedQuery, input, address }, route),
      routeOptions(permit, takes),
    );
  }

  /** Serves a form; see `Web.form`. */
  form(...[site, path, permit, handler, written]: Parameters<Web["form"]>): void {
    const route = { permit, handler, written };
    this.#forms.add(path);
    site.post(
      path,
      ({ request, viewer, params, nestedQuery, input, address }: ScreenRequest) =>
        this.#answer({ request, viewer, params, nestedQuery, input, address }, route),
      routeOptions(permit),
    );
  }

  /** The screen of an error. */
  async errorScreen({ request, viewer, address }: FailedRequest, status: number, message: string): Promise<Response> {
    const ui = this.#options.uiFor(request, viewer);
    const body = this.#options.errorBody({ status, message }, ui);
    const given = { request, viewer, address, params: {}, nestedQuery: {}, input: {} };
    const visit = visitOf(this.#options.context, given, ui);
    return this.#options.documents.drawn({ title: ui.t("Error"), body, status }, { visit, notice: "" });
  }

  async #answer(given: ScreenRequest, route: ScreenRoute): Promise<Response> {
    const { permit, handler, written } = route;
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
    const { context, documents } = this.#options;
    const visit = visitOf(context, given, ui);
    const found = await this.#found(handler, given, visit);
    if (found instanceof Response) return found;
    const notice = takeNotice(request.headers.get("cookie"), context.root);
    const own = { visit, notice: notice?.text ?? "", isKeepable: !notice && this.#isKeepable(route) };
    const response =
      "screen" in found ? await documents.kept(found.screen, found.data, own) : await documents.drawn(found.drawn, own);
    if (notice) response.headers.append("set-cookie", notice.deletion);
    // While the store is unavailable, a rejected form is shown again with its input.
    if (response.status === 503) response.headers.set("retry-after", RETRY_SECONDS);
    return response;
  }

  /**
   * Whether browsers may keep a screen. Not one whose form is at its own path, such as an editor: Back would show what was in it before it was
   * sent. Nor where a theme changes answers, as nobody knows what these changes follow from.
   */
  #isKeepable({ shownAt }: ScreenRoute): boolean {
    if (!this.#isKeptByBrowsers || shownAt === undefined || this.#forms.has(shownAt)) return false;
    return !this.#options.context.slot("screen_hook").some(({ after }) => after);
  }

  /** What a handler drew, or what its screen is drawn from; where the item is not found, a redirect to its current path. */
  async #found(handler: ScreenRoute["handler"], given: ScreenRequest, visit: Visit): Promise<Found | Response> {
    try {
      if (typeof handler === "function") {
        const drawn = await handler(visit);
        return drawn instanceof Response ? drawn : { drawn };
      }
      const data = await handler.screen.read(visit);
      return data instanceof Response ? data : { screen: handler, data };
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
    const visit = visitOf(this.#options.context, given, ui);
    const screen = { title: ui.t("You are signed out"), body, status: SIGNED_OUT.status };
    return this.#options.documents.drawn(screen, { visit, notice: "" });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The Retry-After of every answer while the store is unavailable. */
const RETRY_SECONDS = "5";

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
