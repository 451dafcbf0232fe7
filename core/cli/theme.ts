/**
 * Loads the active theme: its code, if it has any, and its texts. Views, icons and files are read by the screens. An error in
 * a theme stops the boot with the file, the line and the cause, since a half-working theme is worse than a clear error.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { BootError } from "../errors.ts";
import type { Catalogue } from "../i18n/catalogue.ts";
import { stoppingBoot } from "../runtime/boot_listeners.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { pluginOf, type ThemeSpec } from "../themes/theme.ts";

/** Parts of a theme that need no code. */
const PARTS = ["views", "icons", "lang", "public"];
const LANGUAGE_FILE = /^([a-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})?)\.json$/;

/** Names are those of folders, so they contain no path separators or dots. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * Loads a theme from `<folder>/<name>/functions.ts` as a plugin that boots after `plugins`. Throws BootError with the file,
 * the line and the cause.
 */
export async function loadTheme(
  name: string,
  plugins: readonly AnyPlugin[],
  folder = resolve(process.cwd(), "themes"),
): Promise<AnyPlugin> {
  if (!NAME.test(name))
    throw new BootError(`Cannot use the theme "${name}": wanted the name of a folder below "themes"`);
  const home = join(folder, name);
  const file = join(home, "functions.ts");
  const texts = readTexts(join(home, "lang"));
  // Without functions.ts a theme consists of its other parts.
  if (!existsSync(file) && PARTS.some((part) => existsSync(join(home, part))))
    return pluginOf(name, { texts }, plugins);
  if (!existsSync(file)) throw new BootError(`Cannot use the theme "${name}": there is no "${shown(file)}"`);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (cause) {
    throw themeError(file, cause);
  }
  const theme = loaded.default as ThemeSpec | undefined;
  if (typeof theme !== "object" || theme === null || (theme.setup !== undefined && typeof theme.setup !== "function"))
    throw new BootError(`Cannot use the theme "${name}": the default export of "${shown(file)}" is no defineTheme(…)`);
  const plugin = pluginOf(name, { ...theme, texts: merged(texts, theme.texts ?? {}) }, plugins);
  return {
    ...plugin,
    source: shown(file),
    async setup(context) {
      const on: typeof context.on = (event, handlers) =>
        context.on(event, event === "app_boot" ? stoppingBoot(handlers, (cause) => themeError(file, cause)) : handlers);
      try {
        await plugin.setup({ ...context, on });
      } catch (cause) {
        throw themeError(file, cause);
      }
    },
  };
}

/** Texts by language from `lang/<language>.json`. Throws BootError that names an invalid file. */
function readTexts(folder: string): Record<string, Catalogue> {
  const found: Record<string, Catalogue> = {};
  if (!existsSync(folder)) return found;
  for (const entry of readdirSync(folder)) {
    const language = LANGUAGE_FILE.exec(entry)?.[1];
    if (language === undefined) continue;
    const file = join(folder, entry);
    let texts: unknown;
    try {
      texts = JSON.parse(readFileSync(file, "utf8"));
    } catch (cause) {
      throw new BootError(`Cannot read the texts of the theme in "${shown(file)}": ${String(cause)}`, { cause });
    }
    if (typeof texts !== "object" || texts === null || !Object.values(texts).every((text) => typeof text === "string"))
      throw new BootError(
        `Cannot read the texts of the theme in "${shown(file)}": wanted {"English text": "other text"}`,
      );
    found[language] = texts as Catalogue;
  }
  return found;
}

/** Merges texts; those of the second take precedence. */
function merged(
  first: Record<string, Catalogue>,
  second: Readonly<Record<string, Catalogue>>,
): Record<string, Catalogue> {
  const all = { ...first };
  for (const [language, texts] of Object.entries(second)) all[language] = { ...all[language], ...texts };
  return all;
}

/** The error of a theme's code, with its position (platform 11.2). */
function themeError(file: string, cause: unknown): BootError {
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
  // Syntax errors have a position; for thrown errors it is the innermost frame of the stack in the theme's folder.
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
