import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Html, html, raw } from "lectern/core";
import { messageOf } from "lectern/db";
import type { Icons } from "./icons.ts";
import { checkedSvg } from "./svg.ts";

const OWN = join(import.meta.dir, "icons");
const NAME = /^[a-z][a-z0-9_]*$/;

/** The icons that plugins add to those of Lectern and of a theme; a theme replaces one by an icon of its name. */
export class PluginIcons implements Icons {
  readonly #icons: () => Icons;
  /** The markup after `<svg`, by name. */
  readonly #shapes = new Map<string, string>();

  constructor(icons: () => Icons) {
    this.#icons = icons;
  }

  /** Adds an icon. Throws an error for a name that exists, and for markup that is more than shapes. */
  add(name: string, svg: string): void {
    if (!NAME.test(name)) throw new Error(`Cannot name an icon "${name}": expected a name such as "recipe_book"`);
    if (existsSync(join(OWN, `${name}.svg`)))
      throw new Error(`Cannot add the icon "${name}": Lectern has one of that name`);
    if (this.#shapes.has(name)) throw new Error(`Cannot add the icon "${name}": another plugin has one of that name`);
    try {
      this.#shapes.set(name, checkedSvg(svg).slice("<svg".length));
    } catch (cause) {
      throw new Error(`Cannot add the icon "${name}": ${messageOf(cause)}`, { cause });
    }
  }

  /** The names of all icons. */
  get names(): readonly string[] {
    return [...this.#icons().names, ...this.#shapes.keys()];
  }

  /** Draws an icon; nothing for an unknown name. */
  draw(name: string, label?: string): Html {
    const known = this.#icons().draw(name, label);
    const shape = this.#shapes.get(name);
    if (shape === undefined || known.toString() !== "") return known;
    const aria = label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`;
    return html`<svg class="icon" focusable="false" ${aria}${raw(shape)}`;
  }
}
