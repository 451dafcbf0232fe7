/**
 * What the rich editor knows of HTML elements: which of them are blocks, which it keeps whole, and which attributes it shows. A document of
 * the editor holds all attributes of an element. What is drawn has few of them: content of a page must not reach for the screen
 * around it, by an id, a class of the screens, an attribute of htmx or a position.
 */

import { attributesOf } from "./inert.ts";

/** The attributes of an element, by name; null where it has none. */
export type Kept = Readonly<Record<string, string>> | null;

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Elements that are one node with their tag, and hold blocks. */
export const CONTAINERS = names(
  "div section article header footer aside main nav figure figcaption address dl dt dd center hgroup search",
);
/** Elements that are blocks of a page. */
export const BLOCKS: ReadonlySet<string> = new Set([
  ...CONTAINERS,
  ...names(
    "p h1 h2 h3 h4 h5 h6 ul ol li menu dir pre blockquote table caption colgroup col thead tbody tfoot tr td th details summary hr form fieldset legend dialog optgroup option listing xmp plaintext frameset",
  ),
]);
/** Elements without content of their own that are nodes of the editor. */
export const LEAVES = names("br img");
/** Elements that are kept whole, with all that they hold. */
export const WHOLE = names(
  "iframe video audio object embed svg math picture dialog marquee textarea button select canvas ruby template map area form fieldset script style link meta title noscript noembed noframes base menu dir wbr param source track progress meter output datalist",
);
/** Inline elements that are drawn as themselves; others as spans. */
const DRAWN_INLINE = names(
  "span b strong i em u s del ins sub sup code kbd abbr small mark cite q dfn var samp time bdi bdo big tt strike a",
);
const SHOWN_ATTRIBUTES = names("dir lang title start type reversed value");
const SHOWN_CLASS =
  /^(?:callout|info|success|warning|danger|task-list-item|contains-task-list|align-(?:left|center|right|justify))$/;
const LOADING = /\/\*|\b(?:url|src|image|image-set|cross-fade|element|expression|attr|var|env)\s*\(/i;
const UNSAFE = /[{}<>@\\]/;
/** Properties that say how content looks, and not where it is; and beginnings of such names. */
const SHOWN_PROPERTIES = names(
  "color background background-color font line-height letter-spacing vertical-align list-style list-style-type width height max-width border padding white-space direction float clear",
);
const SHOWN_BEGINNINGS = [
  "font-",
  "text-align",
  "text-decoration",
  "text-transform",
  "text-indent",
  "border-",
  "padding-",
];

/** The attributes of an element. */
export function keptOf(element: Element): Kept {
  const pairs = attributesOf(element);
  return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}

/** The attributes that the editor draws of those that it keeps, with others that it adds. */
export function shown(kept: unknown, added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const all = Object.entries((kept ?? {}) as Record<string, string>);
  const drawn = Object.fromEntries(all.filter(([name]) => SHOWN_ATTRIBUTES.has(name)));
  const classes = [...all.flatMap(([name, value]) => (name === "class" ? value.split(/\s+/) : []))].filter((each) =>
    SHOWN_CLASS.test(each),
  );
  if (added.class !== undefined) classes.push(added.class);
  const style = all.flatMap(([name, value]) => (name === "style" ? [shownStyle(value)] : [])).join("");
  return {
    ...drawn,
    ...added,
    ...(classes.length > 0 && { class: classes.join(" ") }),
    ...(style !== "" && { style }),
  };
}

/** The declarations of a style attribute, with names in lower case. */
export function declarationsIn(style: string): (readonly [property: string, value: string])[] {
  return style.split(";").flatMap((each) => {
    const at = each.indexOf(":");
    return at < 0 ? [] : [[each.slice(0, at).trim().toLowerCase(), each.slice(at + 1).trim()] as const];
  });
}

/** The declarations of an element's style attribute, by property. */
export function styleOf(element: Element): Readonly<Record<string, string>> {
  return Object.fromEntries(declarationsIn(attributesOf(element).find(([name]) => name === "style")?.[1] ?? ""));
}

/** The declarations of a style attribute that the editor draws. */
function shownStyle(style: string): string {
  return declarationsIn(style)
    .filter(([property, value]) => {
      const isKnown = SHOWN_PROPERTIES.has(property) || SHOWN_BEGINNINGS.some((each) => property.startsWith(each));
      return isKnown && !LOADING.test(value) && !UNSAFE.test(value);
    })
    .map((pair) => pair.join(":"))
    .join(";");
}

/** The tag by which an inline element is drawn. */
export function drawnTag(tag: string): string {
  return DRAWN_INLINE.has(tag) ? tag : "span";
}

/** Whether an address may be the source of a picture, or the target of a link. */
export function isSafeAddress(address: string): boolean {
  const compact = address.replace(/[\s\p{Cc}]/gu, "").toLowerCase();
  return !/^[a-z][a-z0-9+.-]*:/.test(compact) || /^(?:https?|mailto|tel|data:image\/(?!svg)):?/.test(compact);
}

/** An address as it is written: with https:// where a host was typed, and mailto: before an e-mail address. */
export function asAddress(typed: string): string {
  const address = typed.trim();
  if (/^[^\s@/:]+@[^\s@/:]+\.\w+$/.test(address)) return `mailto:${address}`;
  return /^[\w-]+(?:\.[\w-]+)+(?:[/?#:]|$)/.test(address) && !/^\w+:/.test(address) ? `https://${address}` : address;
}
