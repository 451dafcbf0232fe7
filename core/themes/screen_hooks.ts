/**
 * The original's hooks for screens: routes become screens of the plugin "web", middleware runs around every screen, and parts
 * are rendered before and after views. They do nothing where Lectern runs without screens.
 */
import type { ScreenHandler, View } from "../contracts/web.ts";
import type { AnyContext } from "../runtime/plugin.ts";
import type { ViewName, Views } from "../runtime/registry.ts";

/** Adds screens of a theme. */
export interface ScreenRouter {
  get(path: string, handler: ScreenHandler): void;
  post(path: string, handler: ScreenHandler): void;
}

/** Renders before and after a view by its name; a smaller priority comes first, 50 by default. */
export interface ViewRegistry {
  renderBefore<V extends ViewName>(target: V, view: View<Views[V]>, priority?: number): void;
  renderAfter<V extends ViewName>(target: V, view: View<Views[V]>, priority?: number): void;
}

/** Middleware of every screen: a response of `before` ends the request, one of `after` replaces the answer. */
export interface ScreenHook {
  readonly before?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  readonly after?: (request: Request, response: Response) => Response | undefined | Promise<Response | undefined>;
}

/** A part rendered before or after a view, with the data of that view. */
export type ViewPart = {
  readonly [V in ViewName]: {
    readonly target: V;
    readonly place: "before" | "after";
    readonly priority: number;
    readonly draw: View<Views[V]>;
  };
}[ViewName];

/** The hooks for screens by their names in the original (platform 11.3). */
export interface ScreenHooks {
  routes_register_web: (router: ScreenRouter) => void;
  /** The same for signed-in users. */
  routes_register_web_auth: (router: ScreenRouter) => void;
  theme_register_views: (views: ViewRegistry) => void;
  web_middleware_before: NonNullable<ScreenHook["before"]>;
  web_middleware_after: NonNullable<ScreenHook["after"]>;
}

const PRIORITY = 50;

/** Registers a handler of each hook. */
export function screenHooks(context: AnyContext): {
  readonly [name in keyof ScreenHooks]: (handler: ScreenHooks[name]) => void;
} {
  const { contribute, site } = context;
  const router = (admits: "anyone" | "user"): ScreenRouter => ({
    get: (path, handler) => context.contracts.web?.screen(site, path, admits, handler),
    post: (path, handler) => context.contracts.web?.form(site, path, admits, handler),
  });
  const part =
    (place: "before" | "after") =>
    <V extends ViewName>(target: V, draw: View<Views[V]>, priority = PRIORITY) =>
      // The compiler does not narrow a union by a type parameter.
      contribute("view_part", { target, place, priority, draw } as unknown as ViewPart);
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
