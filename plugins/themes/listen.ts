/**
 * `listen` of themes. It is no second event system: a hook of the original is attached by the plugin that contributed it, and any
 * other name is that of an event, whose handler is a filter. Hooks of the original that no plugin contributes are never called: a
 * warning at boot says so.
 */
import { type AnyContext, type AnyPlugin, BootError, closestMatch } from "lectern/core";
import type { ThemeHook } from "./contract.ts";

type Handler = (...args: never[]) => unknown;

/** The hooks of the original (platform 11.3). */
const ORIGINAL = [
  ...["activity_logged", "app_boot", "auth_login", "auth_pre_register", "auth_register"],
  ...["commonmark_environment_configure", "oidc_auth_pre_redirect", "oidc_id_token_pre_validate"],
  ...["page_content_post_render", "page_content_pre_store", "page_include_parse", "routes_register_web"],
  ...["routes_register_web_auth", "theme_register_views", "web_middleware_after", "web_middleware_before"],
  "webhook_call_before",
];

/** The function `listen` of a theme, whose context is `theme`. Throws BootError for unknown names and names with two hooks. */
export function listenerOf(theme: AnyContext, plugins: readonly AnyPlugin[]): (name: string, handler: Handler) => void {
  const hooks = hooksByName(theme.slot("theme_hook"));
  const events = plugins.flatMap((plugin) => plugin.events);
  return (name, handler) => {
    const event = events.find((known) => known === name);
    const hook = hooks.get(name);
    // The name of the hook determines the handler's type.
    if (hook) hook.attach(handler as never, theme);
    else if (event) theme.on(event, { filter: async (draft) => run(handler, draft) });
    else if (ORIGINAL.includes(name)) theme.log.warn("A theme listens to a hook that is never called", { event: name });
    else throw unknown(name, [...hooks.keys(), ...ORIGINAL, ...events]);
  };
}

function hooksByName(contributed: readonly ThemeHook[]): ReadonlyMap<string, ThemeHook> {
  const hooks = new Map<string, ThemeHook>();
  for (const hook of contributed) {
    if (hooks.has(hook.name)) throw new BootError(`Two plugins contribute the theme hook "${hook.name}"; one must go`);
    hooks.set(hook.name, hook);
  }
  return hooks;
}

function unknown(name: string, known: readonly string[]): BootError {
  const near = closestMatch(name, known);
  return new BootError(`There is no hook or event "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`);
}

/** The result of a handler, which is another draft of its event or undefined. */
async function run(handler: Handler, draft: unknown): Promise<never> {
  return (await (handler as (draft: unknown) => unknown)(draft)) as never;
}
