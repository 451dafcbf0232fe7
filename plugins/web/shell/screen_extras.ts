/**
 * What plugins add to every screen: elements of the head, scripts and style sheets, and parts of the footer. Scripts and style
 * sheets are files that this instance serves, so the Content-Security-Policy needs no exception for them.
 */
import type { HeadLink, ScreenFacts, ScreenHead, Ui } from "lectern/contracts";
import { BootError, callContributionNow, type Html, type HtmlPart, html } from "lectern/core";
import { textOf } from "./added_parts.ts";
import type { Assets } from "./assets.ts";

/** The additions to the head of one screen. */
export interface HeadExtras {
  /** Meta and link elements. */
  readonly head: HtmlPart;
  /** CSS; "" for none. */
  readonly css: string;
}

/** Relations of links that load nothing which the policy would have to allow. */
const RELATIONS: ReadonlySet<string> = new Set<HeadLink["rel"]>([
  ...(["alternate", "author", "canonical", "help", "icon", "license", "manifest", "me", "search"] as const),
]);
/** Such as "robots", "og:title", "twitter:card". */
const META_NAME = /^[A-Za-z][\w.:-]{0,99}$/;

/** The additions of plugins to the head of a screen. */
export function headExtras(heads: readonly ScreenHead[], facts: ScreenFacts, ui: Ui): HeadExtras {
  const headOf = (each: ScreenHead) => [
    Object.entries(atOnce(each.meta?.(facts, ui) ?? {})).map(([name, content]) => meta(name, textOf(content, name))),
    atOnce(each.links?.(facts, ui) ?? []).map((one) => link(one, ui)),
  ];
  const head = heads.map((each) => callContributionNow(each, headOf));
  const cssOf = (each: ScreenHead) => styleText(textOf(each.css?.(facts, ui) ?? "", "CSS"));
  const css = heads.map((each) => callContributionNow(each, cssOf) ?? "").join("");
  return { head, css };
}

/** Checks that scripts and style sheets are files that plugins serve. Throws BootError for the first that is not. */
export function checkHeads(heads: readonly ScreenHead[], assets: Assets): void {
  const check = (kind: string, addresses: readonly string[] = []) => {
    const wrong = addresses.find((address) => !assets.has(address));
    if (wrong !== undefined)
      throw new BootError(
        `Cannot load the ${kind} "${wrong}" on screens: expected an address that "asset" of "web" returns`,
      );
  };
  for (const { scripts, styles } of heads) {
    check("script", scripts);
    check("style sheet", styles);
  }
}

/** What was returned, if it is no promise. Throws for one, whose rejection would be unhandled. */
function atOnce<Value>(value: Value): Value {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new Error("Cannot wait for a promise in the head of a screen");
}

function meta(name: string, content: string): Html {
  if (!META_NAME.test(name)) throw new Error(`Cannot add a meta element "${name}": expected a name such as "robots"`);
  return name.includes(":")
    ? html`<meta property="${name}" content="${content}">\n`
    : html`<meta name="${name}" content="${content}">\n`;
}

function link({ rel, href, type, title }: HeadLink, ui: Ui): Html {
  const isOwn = /^\/(?!\/)/.test(href);
  if (!RELATIONS.has(rel)) throw new Error(`Cannot add a link with the relation "${rel}" to the head`);
  if (!isOwn && !/^https:\/\//.test(href))
    throw new Error(`Cannot add a link to "${href}": expected a path, or an address that begins with https://`);
  return html`<link rel="${rel}" href="${isOwn ? ui.url(href) : href}"${type !== undefined && html` type="${type}"`}${title !== undefined && html` title="${title}"`}>\n`;
}

/** CSS that does not end its element. */
function styleText(css: string): string {
  return css.replaceAll("</", "<\\/");
}
