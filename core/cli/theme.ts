import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BootError } from "../errors.ts";
import type { AnyPlugin } from "../plugin.ts";
import { pluginOf, type ThemeSpec } from "../theme.ts";

/** Names are folders, so they hold nothing that leads elsewhere. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * The theme of a name, from `<folder>/<name>/functions.ts`, as a plugin that boots after `plugins`. Throws BootError that
 * names the file, the line and the cause.
 */
export async function loadTheme(
  name: string,
  plugins: readonly AnyPlugin[],
  folder = resolve(process.cwd(), "themes"),
): Promise<AnyPlugin> {
  if (!NAME.test(name))
    throw new BootError(`Cannot use the theme "${name}": wanted the name of a folder below "themes"`);
  const file = join(folder, name, "functions.ts");
  if (!existsSync(file)) throw new BootError(`Cannot use the theme "${name}": there is no "${shown(file)}"`);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (cause) {
    throw broken(file, cause);
  }
  const theme = loaded.default as ThemeSpec | undefined;
  if (typeof theme !== "object" || theme === null || (theme.setup !== undefined && typeof theme.setup !== "function"))
    throw new BootError(`Cannot use the theme "${name}": the default export of "${shown(file)}" is no defineTheme(…)`);
  const plugin = pluginOf(name, theme, plugins);
  return {
    ...plugin,
    async setup(context) {
      try {
        await plugin.setup(context);
      } catch (cause) {
        throw broken(file, cause);
      }
    },
  };
}

/** Where and why a theme's code failed, as its author wants to read it (platform 11.2). */
function broken(file: string, cause: unknown): BootError {
  const { line, text } = placeOf(file, cause);
  const at = line === undefined ? shown(file) : `${shown(file)}:${line}`;
  return new BootError(`Failed loading theme functions file at "${at}" with error: ${text}`, { cause });
}

function placeOf(file: string, cause: unknown): { line: number | undefined; text: string } {
  const text = cause instanceof Error ? cause.message : String(cause);
  // What cannot be parsed says where by itself, what was thrown by its stack.
  const own = (cause as { position?: { line?: number } }).position?.line;
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const found = stack.split("\n").find((each) => each.includes(file));
  const thrown = found === undefined ? undefined : /:(\d+)(?::\d+)?\)?\s*$/.exec(found)?.[1];
  const nested = (cause as { errors?: unknown[] }).errors?.[0];
  if (own === undefined && thrown === undefined && nested !== undefined) return placeOf(file, nested);
  return { line: own ?? (thrown === undefined ? undefined : Number(thrown)), text };
}

function shown(file: string): string {
  return relative(process.cwd(), file);
}
