/** Names from before version 0.2. What a plugin registers under such a name would never be used, so it stops the boot. */
import { BootError } from "../errors.ts";

const MOMENTS: Readonly<Record<string, string>> = { prepare: "beforeTransaction", join: "inTransaction" };
const SCOPE_OPTIONS: Readonly<Record<string, string>> = { around: "intercept", fault: "formatError" };
const SLOTS: Readonly<Record<string, string>> = { hanging: "dependents", shown: "response_fields" };

/** Throws BootError for handlers under the old name of a moment; `what` is the event in the message. */
export function checkMoments(plugin: string, what: string, handlers: object): void {
  for (const [old, now] of Object.entries(MOMENTS))
    if (old in handlers)
      throw new BootError(`The plugin "${plugin}" handles ${what} with "${old}", which is called "${now}" now`);
}

/** Throws BootError for the old name of a slot. */
export function checkSlot(plugin: string, slot: string): void {
  const now = Object.hasOwn(SLOTS, slot) ? SLOTS[slot] : undefined;
  if (now !== undefined)
    throw new BootError(`The plugin "${plugin}" uses the slot "${slot}", which is called "${now}" now`);
}

/** Throws BootError for options of a route scope under their old names. */
export function checkScope(plugin: string, prefix: string, scope: object): void {
  for (const [old, now] of Object.entries(SCOPE_OPTIONS))
    if (old in scope)
      throw new BootError(
        `The plugin "${plugin}" sets "${old}" of the route scope "${prefix}", which is called "${now}" now`,
      );
}

/** Adds a member that throws BootError when a plugin reads the old name of `routeScope`. */
export function withOldMembers<Context extends object>(plugin: string, context: Context): Context {
  return Object.defineProperty(context, "area", {
    get() {
      throw new BootError(`The plugin "${plugin}" uses "area" of its context, which is called "routeScope" now`);
    },
  });
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
