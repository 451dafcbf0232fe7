/** Views and icons of a theme and its modules, as contributions to the slots of the screens. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ReplacingView, ScreenIcon, ViewReplacement } from "lectern/contracts";
import { BootError, Html, type TableDependency } from "lectern/core";
import { shownPath } from "./theme_errors.ts";

const ICON = /^([a-z][a-z0-9_]*)\.svg$/;

/** Loads the views in `views/` of a folder. Throws BootError naming the file that cannot be used. */
export async function readViews(home: string): Promise<ViewReplacement[]> {
  const found: ViewReplacement[] = [];
  const folder = join(home, "views");
  if (!existsSync(folder)) return found;
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!file.endsWith(".ts")) continue;
    const path = join(folder, file);
    const shown = shownPath(path);
    let loaded: { default?: unknown; dependsOn?: unknown };
    try {
      loaded = (await import(pathToFileURL(path).href)) as typeof loaded;
    } catch (cause) {
      throw new BootError(`Failed loading theme view at "${shown}" with error: ${String(cause)}`, { cause });
    }
    if (typeof loaded.default !== "function")
      throw new BootError(
        `Cannot use the theme's view "${shown}": expected a default export ({html, next}) => (data) => html\`…\``,
      );
    const name = file.slice(0, -3).split(sep).join("/");
    const { dependsOn } = loaded;
    if (dependsOn !== undefined && !Array.isArray(dependsOn))
      throw new BootError(
        `Cannot use the theme's view "${shown}": expected "dependsOn" to be a list of tables, such as [{ table: "pages" }]`,
      );
    const draw = checked(name, loaded.default as ReplacingView);
    found.push({ name, draw, ...(dependsOn && { dependsOn: dependsOn as readonly TableDependency[] }) });
  }
  return found;
}

function checked(name: string, view: ReplacingView): ReplacingView {
  return (ui) => (data) => {
    const drawn: unknown = view(ui)(data);
    // Of a view that should have answered at once; its rejection would be unhandled.
    if (drawn instanceof Promise) drawn.catch(() => {});
    if (!(drawn instanceof Html)) throw new Error(`The theme's view "${name}" does not return html\`…\``);
    return drawn;
  };
}

/** Reads the icons in `icons/` of a folder. */
export function readIcons(home: string): ScreenIcon[] {
  const folder = join(home, "icons");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    const name = ICON.exec(file)?.[1];
    const source = join(folder, file);
    return name === undefined ? [] : [{ name, svg: readFileSync(source, "utf8"), source }];
  });
}
