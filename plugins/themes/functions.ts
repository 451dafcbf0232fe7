/**
 * Loads the code of a theme and of its modules, `functions.ts`, and their texts, `lang/<language>.json`, as plugins that boot after
 * all others. An error in a theme stops the boot with the file, the line and the cause, since a half-working theme is worse than a
 * clear error.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type AnyContext, type AnyPlugin, BootError, type Catalogue, definePlugin, type EventName } from "lectern/core";
import type { ThemeContext, ThemeSpec } from "./contract.ts";
import { listenerOf } from "./listen.ts";
import { shownPath, themeError } from "./theme_errors.ts";
import type { ActiveTheme, ThemeFolder } from "./theme_folder.ts";

const LANGUAGE_FILE = /^([a-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})?)\.json$/;

/** Loads the code of a theme, to boot after `plugins`. Throws BootError with the file, the line and the cause. */
export async function loadCode(theme: ActiveTheme, plugins: readonly AnyPlugin[]): Promise<AnyPlugin[]> {
  const loaded: AnyPlugin[] = [];
  for (const folder of theme.folders) loaded.push(await loadFolder(theme, folder, plugins));
  return loaded;
}

async function loadFolder(
  { name }: ActiveTheme,
  { path, plugin }: ThemeFolder,
  plugins: readonly AnyPlugin[],
): Promise<AnyPlugin> {
  const file = join(path, "functions.ts");
  const texts = readTexts(join(path, "lang"));
  if (!existsSync(file)) return pluginOf({ name, plugin, spec: { texts } }, plugins);
  let exported: { default?: unknown };
  try {
    exported = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (cause) {
    throw themeError(file, cause);
  }
  const spec = exported.default as ThemeSpec | undefined;
  if (typeof spec !== "object" || spec === null || (spec.setup !== undefined && typeof spec.setup !== "function"))
    throw new BootError(
      `Cannot use the theme "${name}": the default export of "${shownPath(file)}" is no defineTheme(…)`,
    );
  if ("permissions" in spec)
    throw new BootError(`Cannot use the theme "${name}": "permissions" of "${shownPath(file)}" is now "grants"`);
  return pluginOf({ name, plugin, file, spec: { ...spec, texts: merged(texts, spec.texts ?? {}) } }, plugins);
}

interface Code {
  /** The name of the theme. */
  readonly name: string;
  /** The name of the plugin. */
  readonly plugin: string;
  readonly spec: ThemeSpec;
  /** The file that errors name. */
  readonly file?: string;
}

/** Code of a theme as a plugin that boots last and may use every contract. */
function pluginOf({ name, plugin, spec, file }: Code, plugins: readonly AnyPlugin[]): AnyPlugin {
  return {
    ...definePlugin({
      name: plugin,
      requires: plugins.flatMap(({ provides }) => provides),
      grants: { auth: true, ...spec.grants },
      commands: spec.commands ?? {},
      async setup(context) {
        for (const [language, texts] of Object.entries(spec.texts ?? {})) context.texts.override(language, texts);
        if (file === undefined) return;
        const own = withPositions(file, context);
        try {
          await spec.setup?.({ ...own, theme: name, listen: listenerOf(own, plugins) as ThemeContext["listen"] });
        } catch (cause) {
          throw themeError(file, cause);
        }
      },
    }),
    ...(file !== undefined && { source: shownPath(file) }),
  };
}

/** The context, where errors of handlers of `app_boot` name the file and line as those of `setup` do. */
function withPositions(file: string, context: AnyContext): AnyContext {
  const on = (event: EventName, handlers: object) => {
    if (event !== "app_boot") return context.on(event, handlers);
    const mapped = Object.entries(handlers).map(([moment, run]) => [
      moment,
      typeof run === "function" && moment !== "notify" ? positioned(file, run as Run) : run,
    ]);
    // Each handler is replaced by one that takes and returns the same.
    context.on(event, Object.fromEntries(mapped));
  };
  return { ...context, on: Object.assign(on, { any: context.on.any }) };
}

type Run = (...args: unknown[]) => unknown;

function positioned(file: string, run: Run): Run {
  return async (...args) => {
    try {
      return await run(...args);
    } catch (cause) {
      throw cause instanceof BootError ? cause : themeError(file, cause);
    }
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
      throw new BootError(`Cannot read the texts of the theme in "${shownPath(file)}": ${String(cause)}`, { cause });
    }
    if (typeof texts !== "object" || texts === null || !Object.values(texts).every(isText))
      throw new BootError(
        `Cannot read the texts of the theme in "${shownPath(file)}": wanted {"English text": "other text"}`,
      );
    found[language] = texts as Catalogue;
  }
  return found;
}

/** Whether a value is a text, or one in several forms. */
function isText(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null || !("other" in value)) return false;
  return Object.values(value).every((form) => typeof form === "string");
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
