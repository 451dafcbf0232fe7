/**
 * Markup of a theme and its modules for the head of each document, `head/*.html` (platform 11.5). The files are read at boot. Their
 * scripts, styles and links get the nonce of the document, which the Content-Security-Policy of screens requires.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Html, raw } from "lectern/core";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import type { ActiveTheme } from "./theme_folder.ts";

/** Elements that a policy allows by a nonce. */
const WITH_NONCE: ReadonlySet<string> = new Set(["script", "style", "link"]);

/** Draws the markup with the nonce of a document; undefined where a theme has none. */
export function headOf({ folders }: ActiveTheme): ((nonce: string) => Html) | undefined {
  const markup = folders.flatMap(({ path }) => readHead(join(path, "head"))).join("\n");
  if (markup.trim() === "") return undefined;
  const pieces = splitAtNonces(markup);
  return (nonce) => raw(pieces.join(` nonce="${nonce}"`));
}

/** The files of a folder by name. */
function readHead(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".html"))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/** Cuts markup where the attribute `nonce` belongs: after the names of elements, before an attribute `nonce` of the author. */
function splitAtNonces(markup: string): string[] {
  const places: number[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node && WITH_NONCE.has(node.tagName)) {
      const start = node.sourceCodeLocation?.startTag?.startOffset ?? node.sourceCodeLocation?.startOffset;
      if (start !== undefined) places.push(start + 1 + node.tagName.length);
    }
    if ("content" in node) visit(node.content);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(markup, { sourceCodeLocationInfo: true }));
  const cuts = [0, ...places.sort((a, b) => a - b), markup.length];
  return cuts.slice(1).map((end, at) => markup.slice(cuts[at], end));
}
