import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MenuEntry, ScreenIcon, ScreenPart } from "lectern/contracts";
import { BootError, closestMatch, contributorOf, type Html, html, type Log, raw } from "lectern/core";

/** How most icons are drawn, which the class `line` of the style sheet says: a screen has dozens of them. */
const LINES = ' fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';

/** Icons that point forwards or backwards, which the style sheet mirrors where the text runs from right to left. */
const TURNING: ReadonlySet<string> = new Set(["into", "next", "out", "previous", "sign_in", "sign_out"]);

/** The icons of screens by name. */
export interface Icons {
  /** Draws an icon in text size; nothing for an unknown name. With a label, screen readers announce it. */
  draw(name: string, label?: string): Html;
  readonly names: readonly string[];
}

const OWN = join(import.meta.dir, "icons");
const NAME = /^([a-z][a-z0-9_]*)\.svg$/;

/**
 * Reads the icons of this plugin, and `added` ones, which replace them. Icons are inlined into documents. Throws BootError for an
 * icon that contains scripts, naming the file.
 */
export function readIcons(added: readonly ScreenIcon[] = []): Icons {
  const shapes = new Map<string, string>();
  for (const file of readdirSync(OWN)) {
    const name = NAME.exec(file)?.[1];
    if (name !== undefined) shapes.set(name, shapeOf(readFileSync(join(OWN, file), "utf8"), join(OWN, file)));
  }
  for (const { name, svg, source } of added) shapes.set(name, shapeOf(svg, source));
  const drawn = (name: string, shape: string, aria: Html) => {
    const turns = TURNING.has(name) ? " turns" : "";
    return shape.includes(LINES)
      ? html`<svg class="icon line${turns}" ${aria}${raw(shape.replace(LINES, ""))}`
      : html`<svg class="icon${turns}" focusable="false" ${aria}${raw(shape)}`;
  };
  const decorative = new Map([...shapes].map(([name, shape]) => [name, drawn(name, shape, html`aria-hidden="true"`)]));
  return {
    names: [...shapes.keys()],
    draw(name, label) {
      const shape = shapes.get(name);
      if (shape === undefined) return html``;
      if (label !== undefined) return drawn(name, shape, html`role="img" aria-label="${label}"`);
      return decorative.get(name) ?? html``;
    },
  };
}

/** Logs entries of menus whose icons do not exist, and are most likely misspelt. */
export function warnOfUnknownIcons(parts: readonly ScreenPart[], { names }: Icons, log: Log): void {
  const isEntry = (part: ScreenPart): part is MenuEntry => part.at.startsWith("menu/");
  for (const entry of parts.filter(isEntry))
    if (!names.includes(entry.icon))
      log.warn("Cannot find the icon of a menu's entry; check its name", {
        ...{ plugin: contributorOf(entry), path: entry.path, icon: entry.icon },
        known: closestMatch(String(entry.icon), names),
      });
}

/** The attributes of the svg element, without its size, and its content. */
function shapeOf(svg: string, source: string): string {
  const text = svg.trim();
  const [, head, content] = /<svg\b([^>]*)>([\s\S]*<\/svg>)$/.exec(text) ?? [];
  if (head === undefined || content === undefined || /<script|\son\w+\s*=|javascript:|<foreignObject/i.test(text))
    throw new BootError(`Cannot use the icon "${source}": expected one plain <svg> element`);
  return `${head.replace(/\s(?:width|height|class|aria-hidden|role)="[^"]*"/g, "")}>${content}`;
}
