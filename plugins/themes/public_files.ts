/**
 * Files of the active theme and its modules, `public/`, served below `/theme/<name>/` (platform 11.1). They are read for each request,
 * so that their author sees changes.
 */
import { readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { ApiError, type SiteApp, staticFileAnswer, staticFileType } from "lectern/core";
import type { ActiveTheme } from "./theme_folder.ts";

/** Cache-Control of a theme's files (platform 11.1). */
const ONE_DAY = "max-age=86400, private";

/** Mounts the route of the files. Without an active theme it answers 404. */
export function mountPublicFiles(site: SiteApp, theme: ActiveTheme | undefined): void {
  site.get(
    "/theme/:name/*",
    ({ params }) => {
      const path = theme && params.name === theme.name ? publicFile(theme, params["*"]) : undefined;
      if (path === undefined) throw new ApiError(404, "File not found");
      return staticFileAnswer(path, readFileSync(path), ONE_DAY);
    },
    { permit: "public" },
  );
}

/** The URL of a theme's file in a list, which is empty where the theme has none of the name. It changes with the content. */
export function publicUrls(theme: ActiveTheme, file: string, root: string): string[] {
  const path = publicFile(theme, file);
  if (path === undefined) return [];
  return [`${root}/theme/${theme.name}/${file}?${Bun.hash(readFileSync(path)).toString(36)}`];
}

/** The path of a file in a `public` folder: the theme's own, else that of the last module which has it. */
function publicFile({ folders }: ActiveTheme, requested: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(requested);
  } catch {
    return undefined;
  }
  if (decoded.includes("\0") || staticFileType(decoded) === undefined) return undefined;
  return folders
    .map(({ path }) => join(path, "public"))
    .map((folder) => ({ folder, path: resolve(folder, decoded) }))
    .findLast(({ folder, path }) => path.startsWith(folder + sep) && isFile(path))?.path;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
