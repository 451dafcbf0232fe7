/** Names from before version 0.2 in routes and route scopes. They would never be used, so they stop the boot. */
import { BootError } from "../errors.ts";

const SCOPE_OPTIONS: Readonly<Record<string, string>> = { around: "intercept", fault: "formatError" };

/** Throws BootError for options of a route scope under their old names. */
export function checkScope(plugin: string, prefix: string, scope: object): void {
  for (const [old, now] of Object.entries(SCOPE_OPTIONS))
    if (old in scope)
      throw new BootError(
        `The plugin "${plugin}" sets "${old}" of the route scope "${prefix}", which is called "${now}" now`,
      );
}

/** Members of the context under their old names. */
const MEMBERS: Readonly<Record<string, string>> = {
  area: '"routeScope"',
  theme: 'the slot "theme"',
};

/** Adds members that throw BootError when a plugin reads an old name. */
export function withOldMembers<Context extends object>(plugin: string, context: Context): Context {
  for (const [old, now] of Object.entries(MEMBERS))
    Object.defineProperty(context, old, {
      get() {
        throw new BootError(`The plugin "${plugin}" uses "${old}" of its context, which is called ${now} now`);
      },
    });
  return context;
}

/**
 * Whether a handler reads `asked`, which is called `nestedQuery` now. Its source is searched, as Elysia's own compiler does: a
 * handler would read undefined without an error.
 */
export function readsAsked(handler: unknown): boolean {
  if (typeof handler !== "function") return false;
  const source = String(handler);
  const [, members, name] = /^(?:async\s*)?(?:function\b[^(]*)?\(?\s*(?:\{([^}]*)\}|([\w$]+))/.exec(source) ?? [];
  if (members !== undefined) return /(?:^|,)\s*asked\b/.test(members);
  return name !== undefined && source.includes(`${name}.asked`);
}
