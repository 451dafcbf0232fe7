import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { stopping } from "../boot_listeners.ts";
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
    source: shown(file),
    async setup(context) {
      const on: typeof context.on = (event, handlers) =>
        context.on(event, event === "app_boot" ? stopping(handlers, (cause) => broken(file, cause)) : handlers);
      try {
        await plugin.setup({ ...context, on });
      } catch (cause) {
        throw broken(file, cause);
      }
    },
  };
}

/** Where and why a theme's code failed, as its author wants to read it (platform 11.2). */
function broken(file: string, cause: unknown): BootError {
  const { place, line, text } = placeOf(file, cause);
  const at = line === undefined ? shown(place) : `${shown(place)}:${line}`;
  return new BootError(`Failed loading theme functions file at "${at}" with error: ${text}`, { cause });
}

interface Place {
  readonly place: string;
  readonly line: number | undefined;
  readonly text: string;
}

function placeOf(file: string, cause: unknown): Place {
  const text = cause instanceof Error ? cause.message : String((cause as { message?: unknown })?.message ?? cause);
  // What cannot be parsed says where by itself, what was thrown by its stack: the innermost file of the theme.
  const { position, errors } = (cause ?? {}) as { position?: { file?: string; line?: number }; errors?: unknown[] };
  if (position?.line !== undefined) return { place: position.file || file, line: position.line, text };
  const home = dirname(file) + sep;
  for (const each of (cause instanceof Error ? (cause.stack ?? "") : "").split("\n")) {
    const [, place, line] = /(?:file:\/\/)?(\/[^()]*?):(\d+)(?::\d+)?\)?\s*$/.exec(each) ?? [];
    if (place?.startsWith(home)) return { place, line: Number(line), text };
  }
  return errors?.[0] === undefined ? { place: file, line: undefined, text } : placeOf(file, errors[0]);
}

function shown(file: string): string {
  return relative(process.cwd(), file);
}
