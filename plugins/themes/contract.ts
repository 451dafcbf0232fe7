/**
 * What authors of themes write, and what plugins contribute to themes. A theme is a plugin with one function more: `listen`, for
 * the hooks of the original (platform 11.3), whose handlers return a replacement or nothing. Each hook belongs to the plugin
 * whose feature it is about: that plugin contributes it to the slot `theme_hook`, and declares its handler in `ThemeHooks`.
 */
import type { AnyContext, AnyPlugin, Catalogue, Draft, EventName, Grants, ThemeHooks } from "lectern/core";

type Answer<T> = T | undefined | Promise<T | undefined>;

/** The name of a hook. */
export type ThemeHookName = Extract<keyof ThemeHooks, string>;

/**
 * A hook of the theme system.
 * @example
 * context.contribute("theme_hook", {
 *   name: "note_shown",
 *   attach: (handler, theme) => theme.contribute("page_content", { postRender: (shown) => handler(shown) }),
 * });
 */
export type ThemeHook = {
  readonly [Name in ThemeHookName]: {
    readonly name: Name;
    /**
     * Registers a handler for a theme, whose context is `theme`: as a handler of an event, or as a contribution to a slot. Called
     * in the `setup` of the theme, which boots after all plugins.
     */
    attach(handler: ThemeHooks[Name], theme: AnyContext): void;
  };
}[ThemeHookName];

/** The active theme. */
export interface Theme {
  /** The name of its folder. */
  readonly name: string;
  /** Its modules in the order in which they are loaded. */
  readonly modules: readonly ThemeModule[];
}

/** A module of a theme: a folder below `modules/` with a manifest. */
export interface ThemeModule {
  /** The name of its folder. */
  readonly folder: string;
  readonly name: string;
  readonly description: string;
  /** Such as "v1.2.3". */
  readonly version: string;
}

/** The context of a theme: that of a plugin, and `listen`. */
export interface ThemeContext extends AnyContext {
  /** The name of the active theme. */
  readonly theme: string;
  /** A hook of the theme system. Throws BootError for unknown names. */
  listen<Name extends ThemeHookName>(hook: Name, handler: ThemeHooks[Name]): void;
  /** An event of Lectern: the handler returns another draft, or undefined. */
  listen<E extends EventName>(event: E, handler: (draft: Draft<E>) => Answer<Draft<E>>): void;
}

/** A theme as its author writes it, in `functions.ts`. */
export interface ThemeSpec {
  /** Its grants; none by default, as for plugins. */
  readonly grants?: Grants;
  readonly commands?: AnyPlugin["commands"];
  /** Texts by language that replace those of Lectern. */
  readonly texts?: Readonly<Record<string, Catalogue>>;
  readonly setup?: (theme: ThemeContext) => void | Promise<void>;
}

declare module "lectern/core" {
  /** Hook of the theme system → its handler. */
  interface ThemeHooks {
    /** All plugins are set up and nothing listens yet. A handler that throws stops the boot. */
    app_boot: () => void | Promise<void>;
  }
  interface Definitions {
    theme: ThemeSpec;
  }
  interface Slots {
    theme: Theme;
    theme_hook: ThemeHook;
  }
}
