/**
 * Theme hooks of screens: routes become screens, middleware runs around every screen, and parts are rendered before and after views.
 */
import type { ScreenHandler, ScreenHook, View, ViewPart, Web } from "lectern/contracts";
import type { AnyContext, PluginContext, ViewName, Views } from "lectern/core";

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

const PRIORITY = 50;

/** Contributes the hooks. */
export function contributeThemeHooks({ contribute }: Pick<PluginContext, "contribute">, web: Web): void {
  const router = ({ app }: AnyContext, permit: "public" | "user"): ScreenRouter => ({
    get: (path, handler) => web.screen(app.site, path, permit, handler),
    post: (path, handler) => web.form(app.site, path, permit, handler),
  });
  const part =
    (theme: AnyContext, side: "before" | "after") =>
    <V extends ViewName>(target: V, draw: View<Views[V]>, order = PRIORITY): void =>
      // The compiler does not narrow a union by a type parameter.
      theme.contribute("screen_part", { at: `${target}/${side}`, order, draw } as unknown as ViewPart);
  contribute("theme_hook", {
    name: "routes_register_web",
    attach: (handler, theme) => handler(router(theme, "public")),
  });
  contribute("theme_hook", {
    name: "routes_register_web_auth",
    attach: (handler, theme) => handler(router(theme, "user")),
  });
  contribute("theme_hook", {
    name: "theme_register_views",
    attach: (handler, theme) => handler({ renderBefore: part(theme, "before"), renderAfter: part(theme, "after") }),
  });
  contribute("theme_hook", {
    name: "web_middleware_before",
    attach: (before, theme) => theme.contribute("screen_hook", { before }),
  });
  contribute("theme_hook", {
    name: "web_middleware_after",
    attach: (after, theme) => theme.contribute("screen_hook", { after }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /** Adds screens for everybody. */
    routes_register_web: (router: ScreenRouter) => void;
    /** Adds screens for signed-in users. */
    routes_register_web_auth: (router: ScreenRouter) => void;
    /** Renders before and after views. */
    theme_register_views: (views: ViewRegistry) => void;
    /** Before every screen: a response ends the request. */
    web_middleware_before: NonNullable<ScreenHook["before"]>;
    /** After every screen: a response replaces the answer. */
    web_middleware_after: NonNullable<ScreenHook["after"]>;
  }
}
