/**
 * Markup of a theme and its modules for the head of each document, `head/*.html` (platform 11.5). The files are read at boot. Their
 * scripts, styles and links get the nonce of the document, which the Content-Security-Policy of screens requires.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withNonces } from "lectern/contracts";
import type { Html } from "lectern/core";
import type { ActiveTheme } from "./theme_folder.ts";

/** Draws the markup with the nonce of a document; undefined where a theme has none. */
export function headOf({ folders }: ActiveTheme): ((nonce: string) => Html) | undefined {
  const markup = folders.flatMap(({ path }) => readHead(join(path, "head"))).join("\n");
  return markup.trim() === "" ? undefined : withNonces(markup);
}

/** The files of a folder by name. */
function readHead(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".html"))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
}
