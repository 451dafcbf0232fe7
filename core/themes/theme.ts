/**
 * Themes: an operator's own code, booted after every plugin. A theme is a plugin with one function more: `listen`, for the
 * hooks of the original, whose handlers return a replacement or nothing. It is no second event system: each hook maps to an
 * event or a slot, and handlers chain in the order of registration. Hooks of features that Lectern lacks, such as
 * registration, are never called; a warning at boot says so.
 */
import type { Marked } from "marked";
import type { Command } from "../cli/command.ts";
import { closestMatch } from "../closest_match.ts";
import type { Activity } from "../contracts/activity.ts";
import { BootError } from "../errors.ts";
import type { Catalogue } from "../i18n/catalogue.ts";
import type { AnyContext, AnyPlugin, Grants } from "../runtime/plugin.ts";
import type { Draft, EventName } from "../runtime/registry.ts";
import { type ScreenHooks, screenHooks } from "./screen_hooks.ts";

/** A page as its hooks get it. */
export interface HookedPage {
  readonly id: number;
}

/** Changes a page's content when it is stored or shown. Functions return other HTML, or undefined to keep it. */
export interface PageContentHook {
  /** After ids are set, before anything is derived from the HTML (`page_content_pre_store`). */
  readonly preStore?: (html: string, page: HookedPage) => Answer<string>;
  /** After includes and the filter (`page_content_post_render`); its result is not filtered again. */
  readonly postRender?: (html: string, page: HookedPage) => Answer<string>;
  /** The HTML in place of an include tag, filtered afterwards (`page_include_parse`). */
  readonly include?: (
    reference: string,
    html: string,
    page: HookedPage,
    referenced: HookedPage | null,
  ) => Answer<string>;
}

/** Configures the Markdown converter, once: changes it or returns another (`commonmark_environment_configure`). */
export interface MarkdownConverterHook {
  readonly configure: (converter: Marked) => Marked | undefined;
}

type Answer<T> = T | undefined | Promise<T | undefined>;
type Handler = (...args: never[]) => unknown;

/** The supported hooks of the original, by their names there (platform 11.3). */
export interface OriginalHooks extends ScreenHooks {
  app_boot: () => void | Promise<void>;
  activity_logged: (type: string, detail: string | Activity) => void | Promise<void>;
  auth_login: (method: string, user: { id: number; name: string; slug: string }) => void | Promise<void>;
  /** Before each delivery of a webhook; `detail` is the item as listings show it, or the text of the audit log. */
  webhook_call_before: (
    event: string,
    webhook: { readonly id: number; readonly name: string; readonly endpoint: string },
    // biome-ignore lint/suspicious/noExplicitAny: any kind of item, untyped for themes of the original
    detail: any,
    initiator: { readonly id: number; readonly name: string; readonly slug: string },
    unixTime: number,
  ) => Answer<Record<string, unknown>>;
  page_content_pre_store: NonNullable<PageContentHook["preStore"]>;
  page_content_post_render: NonNullable<PageContentHook["postRender"]>;
  page_include_parse: NonNullable<PageContentHook["include"]>;
  /** Not used for texts whose length or nesting would make it slow. */
  commonmark_environment_configure: MarkdownConverterHook["configure"];
}

/** Hooks of the original whose features Lectern lacks (platform 11.3). */
const ABSENT: ReadonlySet<string> = new Set([
  ...["auth_pre_register", "auth_register", "oidc_auth_pre_redirect", "oidc_id_token_pre_validate"],
]);

/** The context of a theme: that of a plugin, and `listen`. */
export interface ThemeContext extends AnyContext {
  listen<E extends keyof OriginalHooks>(hook: E, handler: OriginalHooks[E]): void;
  /** An event of Lectern: the handler returns another draft, or undefined. */
  listen<E extends EventName>(event: E, handler: (draft: Draft<E>) => Answer<Draft<E>>): void;
}

/** A theme as its author writes it. */
export interface ThemeSpec {
  /** Its grants; none by default, as for plugins. */
  readonly permissions?: Grants;
  readonly commands?: Readonly<Record<string, Command>>;
  /** Texts by language that replace those of Lectern. */
  readonly texts?: Readonly<Record<string, Catalogue>>;
  readonly setup?: (theme: ThemeContext) => void | Promise<void>;
}

/**
 * Declares a theme, or its `setup` alone. Has no side effects.
 * @example
 * export default defineTheme({
 *   texts: { en: { "Recently updated": "News" } },
 *   setup: ({ listen }) => listen("page_content_post_render", (html) => html.replaceAll("(c)", "©")),
 * });
 */
export function defineTheme(theme: ThemeSpec | NonNullable<ThemeSpec["setup"]>): ThemeSpec {
  return typeof theme === "function" ? { setup: theme } : theme;
}

/** A theme as a plugin that boots last and may use every contract. */
export function pluginOf(name: string, theme: ThemeSpec, plugins: readonly AnyPlugin[]): AnyPlugin {
  return {
    name: `theme:${name}`,
    requires: plugins.flatMap(({ provides }) => provides),
    uses: [],
    before: [],
    after: [],
    provides: [],
    permissions: theme.permissions ?? {},
    optionalTables: [],
    migrations: {},
    events: [],
    adds: [],
    commands: theme.commands ?? {},
    async setup(context) {
      for (const [language, texts] of Object.entries(theme.texts ?? {})) context.texts.override(language, texts);
      await theme.setup?.({ ...context, listen: listening(context, plugins) as ThemeContext["listen"] });
    },
  };
}

function listening(context: AnyContext, plugins: readonly AnyPlugin[]): (name: string, handler: Handler) => void {
  const { contribute, log, on } = context;
  const hooks: Readonly<Record<string, (handler: Handler) => void>> = {
    app_boot: (handler) => on("app_boot", { filter: async () => void (await call(handler)) as undefined }),
    activity_logged: (handler) =>
      on("activity_log", {
        async notify(activity) {
          await call(handler, activity.type, activity.item ? activity : (activity.detail ?? ""));
        },
      }),
    auth_login: (handler) =>
      on("auth_login" as EventName, {
        async notify(_result, { draft }) {
          const { method, user } = draft as unknown as { method: string; user: unknown };
          await call(handler, method, user);
        },
      }),
    webhook_call_before: (handler) =>
      on("webhook_call_before" as EventName, {
        async filter(draft) {
          const delivery = draft as unknown as Record<string, unknown> & { readonly isReplaced?: boolean };
          // The first result wins, as in the original.
          if (delivery.isReplaced) return undefined;
          const { event, webhook, detail, initiator, time } = delivery;
          const payload = await call(handler, event, webhook, detail, initiator, time);
          return (
            payload === undefined || payload === null ? undefined : { ...delivery, payload, isReplaced: true }
          ) as never;
        },
      }),
    page_content_pre_store: (handler) => contribute("page_content", { preStore: handler as never }),
    page_content_post_render: (handler) => contribute("page_content", { postRender: handler as never }),
    page_include_parse: (handler) => contribute("page_content", { include: handler as never }),
    commonmark_environment_configure: (handler) => contribute("markdown_converter", { configure: handler as never }),
    ...(screenHooks(context) as unknown as Readonly<Record<string, (handler: Handler) => void>>),
  };
  const events = plugins.flatMap((plugin) => plugin.events as readonly string[]);
  return (name, handler) => {
    const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
    if (hook) hook(handler);
    else if (ABSENT.has(name)) log.warn("A theme listens to a hook that is never called", { event: name });
    else if (!events.includes(name)) throw unknown(name, [...Object.keys(hooks), ...ABSENT, ...events]);
    else on(name as EventName, { filter: async (draft) => (await call(handler, draft)) as never });
  };
}

function unknown(name: string, known: readonly string[]): BootError {
  const near = closestMatch(name, known);
  return new BootError(`There is no hook or event "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`);
}

async function call(handler: Handler, ...args: unknown[]): Promise<unknown> {
  return (handler as (...all: unknown[]) => unknown)(...args);
}

declare module "../runtime/registry.ts" {
  interface Slots {
    page_content: PageContentHook;
    markdown_converter: MarkdownConverterHook;
  }
}
