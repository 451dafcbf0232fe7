import type { Definitions } from "./registry.ts";

type Named<Name extends string> = Name extends keyof Definitions ? Definitions[Name] : never;
type ThemeSpec = Named<"theme">;
type Setup = Extract<ThemeSpec, { readonly setup?: unknown }>["setup"];

/**
 * Declares a theme, or its `setup` alone. Has no side effects. It is exported by "lectern/core", since the folders of operators
 * import it from there; its types, and all that is done with a theme, are those of the plugin that loads themes.
 * @example
 * export default defineTheme({
 *   texts: { en: { "Recently updated": "News" } },
 *   setup: ({ on }) => on("user_delete", { notify: async (user) => console.log(user) }),
 * });
 */
export function defineTheme(theme: ThemeSpec | NonNullable<Setup>): ThemeSpec {
  // A function is the setup alone: the type says so, but only where the plugin that declares it is known.
  return (typeof theme === "function" ? { setup: theme } : theme) as ThemeSpec;
}
