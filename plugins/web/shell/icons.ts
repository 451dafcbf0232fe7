import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BootError, type Html, html, raw } from "lectern/core";

/** The pictures of screens by name. */
export interface Icons {
  /** The picture of a name, of a square of text size; nothing where there is none. With a label it is read out. */
  draw(name: string, label?: string): Html;
}

const OWN = join(import.meta.dir, "icons");
const NAME = /^([a-z][a-z0-9_]*)\.svg$/;

/**
 * Reads the runtime's pictures and, over them, those of a theme's `icons` folder. They stand within documents, so a picture
 * that would run something is refused. Throws BootError naming the file.
 */
export function readIcons(themeFolder: string | undefined): Icons {
  const shapes = new Map<string, string>();
  for (const folder of [OWN, ...(themeFolder === undefined ? [] : [join(themeFolder, "icons")])]) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      const name = NAME.exec(file)?.[1];
      if (name !== undefined) shapes.set(name, shapeOf(join(folder, file)));
    }
  }
  return {
    draw(name, label) {
      const shape = shapes.get(name);
      if (shape === undefined) return html``;
      const told = label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`;
      return html`<svg class="icon" focusable="false" ${told}${raw(shape)}`;
    },
  };
}

/** What follows the name of the element: its attributes, without a size of its own, and its content. */
function shapeOf(path: string): string {
  const text = readFileSync(path, "utf8").trim();
  const [, head, content] = /<svg\b([^>]*)>([\s\S]*<\/svg>)$/.exec(text) ?? [];
  if (head === undefined || content === undefined || /<script|\son\w+\s*=|javascript:|<foreignObject/i.test(text))
    throw new BootError(`Cannot use the icon "${path}": wanted one plain <svg> element`);
  return `${head.replace(/\s(?:width|height|class|aria-hidden|role)="[^"]*"/g, "")}>${content}`;
}
