/**
 * The original's hooks about screens, in terms of ours: routes become screens of the plugin "web", middleware stands around
 * every screen, and parts are drawn before and after views. They do nothing where the runtime is run without its screens.
 */
import type { ScreenHandler, View } from "../contracts/web.ts";
import type { AnyContext } from "../runtime/plugin.ts";

/** Where a theme adds screens of its own. */
export interface ScreenRouter {
  get(path: string, handler: ScreenHandler): void;
  post(path: string, handler: ScreenHandler): void;
}

/** Where a theme draws before and after a view by its name; a smaller priority stands first, 50 unless told otherwise. */
export interface ViewRegistry {
  renderBefore(target: string, view: View<never>, priority?: number): void;
  renderAfter(target: string, view: View<never>, priority?: number): void;
}

/** Stands around every screen: a response ends the request, or replaces the answer. */
export interface ScreenHook {
  readonly before?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  readonly after?: (request: Request, response: Response) => Response | undefined | Promise<Response | undefined>;
}

/** Something drawn before or after a view. */
export interface ViewPart {
  readonly target: string;
  readonly place: "before" | "after";
  readonly priority: number;
  readonly draw: View<never>;
}

/** The hooks about screens, by their names in the original (platform 11.3). */
export interface ScreenHooks {
  routes_register_web: (router: ScreenRouter) => void;
  /** The same for screens that need a sign-in. */
  routes_register_web_auth: (router: ScreenRouter) => void;
  theme_register_views: (views: ViewRegistry) => void;
  web_middleware_before: NonNullable<ScreenHook["before"]>;
  web_middleware_after: NonNullable<ScreenHook["after"]>;
}

const PRIORITY = 50;

/** How a theme takes part in each of them. */
export function screenHooks(context: AnyContext): {
  readonly [name in keyof ScreenHooks]: (handler: ScreenHooks[name]) => void;
} {
  const { contribute, site } = context;
  const router = (admits: "anyone" | "user"): ScreenRouter => ({
    get: (path, handler) => context.contracts.web?.screen(site, path, admits, handler),
    post: (path, handler) => context.contracts.web?.form(site, path, admits, handler),
  });
  const part =
    (place: ViewPart["place"]) =>
    (target: string, draw: View<never>, priority = PRIORITY) =>
      contribute("view_part", { target, place, priority, draw });
  return {
    routes_register_web: (handler) => handler(router("anyone")),
    routes_register_web_auth: (handler) => handler(router("user")),
    theme_register_views: (handler) => handler({ renderBefore: part("before"), renderAfter: part("after") }),
    web_middleware_before: (before) => contribute("screen_hook", { before }),
    web_middleware_after: (after) => contribute("screen_hook", { after }),
  };
}

declare module "../runtime/registry.ts" {
  interface Slots {
    screen_hook: ScreenHook;
    view_part: ViewPart;
  }
}
