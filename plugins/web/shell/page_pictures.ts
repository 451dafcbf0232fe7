/**
 * Pictures of this instance in the HTML of a page: each in forms of several widths, of which the browser loads the one that fits, with its
 * size, so that text does not move while it loads, and linked to the original, which `public/pictures.js` shows in a dialog. The address
 * in the page stays what browsers without forms load. What is known of the pictures is in the key of the cache of decorated content.
 */
import type { PagePicture, PagePictures } from "lectern/contracts";
import { callContribution } from "lectern/core";
import { defaultTreeAdapter, html } from "parse5";
import { attribute, type Element, setAttribute, type Words } from "./elements.ts";
import { currentRecording } from "./recording.ts";

/** The pictures in content, by address. A list, so that it can be sent to a child process and compared as JSON. */
export type Pictures = readonly (readonly [address: string, picture: PagePicture])[];

/** Addresses of one page that are looked up. */
const MAX_ADDRESSES = 1000;
/** Pixels that pictures take at most beside the menu of a page. */
const COLUMN = 960;
const SOURCE = 'src="';

/** What plugins know of the pictures in HTML. A drawing that is kept follows from them. */
export async function picturesIn(content: string, known: readonly PagePictures[]): Promise<Pictures> {
  const addresses = known.length === 0 ? [] : addressesIn(content);
  if (addresses.length === 0) return [];
  const found = await Promise.all(known.map((each) => findIn(each, addresses)));
  return found.flat();
}

async function findIn(known: PagePictures, addresses: readonly string[]): Promise<Pictures> {
  const recording = currentRecording();
  const found = await callContribution(known, async (each) => new Map(await each.find(addresses)));
  const pictures = [...(found ?? [])].flatMap(([address, picture]) => (picture ? [[address, picture] as const] : []));
  if (recording) {
    for (const each of known.dependsOn)
      recording.follow(
        each,
        pictures.map(([, { row }]) => row),
      );
    // A picture may come to be at an address where none is now.
    if (pictures.length !== found?.size) recording.isKept = false;
  }
  return pictures;
}

/** The addresses of pictures in serialised HTML, and of what else has an address. */
function addressesIn(content: string): string[] {
  const found = new Set<string>();
  for (let at = content.indexOf(SOURCE); at >= 0 && found.size < MAX_ADDRESSES; at = content.indexOf(SOURCE, at)) {
    const end = content.indexOf('"', at + SOURCE.length);
    if (end < 0) break;
    found.add(content.slice(at + SOURCE.length, end).replaceAll("&amp;", "&"));
    at = end;
  }
  return [...found];
}

/** Places the pictures of one page. */
export class PlacedPictures {
  readonly #byAddress: ReadonlyMap<string, PagePicture>;

  constructor(pictures: Pictures) {
    this.#byAddress = new Map(pictures);
  }

  /** Places an element that is a picture of this instance, within a link or none; returns the element or its replacement. */
  place(element: Element, link: Element | undefined, words: Words): Element {
    const isImage = element.tagName === "img" && element.namespaceURI === html.NS.HTML;
    const picture = isImage ? this.#byAddress.get(attribute(element, "src") ?? "") : undefined;
    if (!picture) return element;
    const shown = sized(element, picture);
    if (picture.forms.length > 1 && attribute(element, "srcset") === undefined) {
      setAttribute(element, "srcset", picture.forms.map(({ address, width }) => `${address} ${width}w`).join(", "));
      setAttribute(element, "sizes", `(max-width: ${shown}px) 100vw, ${shown}px`);
    }
    if (!picture.isLarge) return element;
    if (link) {
      if (leadsTo(link, picture)) enlarging(link, words);
      return element;
    }
    const made = defaultTreeAdapter.createElement("a", html.NS.HTML, [{ name: "href", value: picture.original }]);
    // A link is named by the alternative text of its picture.
    if ((attribute(element, "alt") ?? "").trim() === "") setAttribute(made, "aria-label", words.picture);
    enlarging(made, words);
    defaultTreeAdapter.appendChild(made, element);
    return made;
  }
}

/** Whether a link of the page leads to a picture in it. */
function leadsTo(link: Element, { original, forms }: PagePicture): boolean {
  const address = URL.parse(attribute(link, "href") ?? "", original)?.href;
  return address === original || forms.some((form) => form.address === address);
}

function enlarging(link: Element, words: Words): void {
  setAttribute(link, "data-enlarge", words.close);
  setAttribute(link, "data-original", words.original);
  setAttribute(link, "title", attribute(link, "title") ?? words.enlarge);
}

/** Gives a picture its size, unless the page does; returns how many pixels wide it is shown at most. */
function sized(image: Element, { width, height }: PagePicture): number {
  const [given, high] = [attribute(image, "width"), attribute(image, "height")];
  if (given === undefined && high === undefined) {
    setAttribute(image, "width", String(width));
    setAttribute(image, "height", String(height));
  }
  const wide = given !== undefined && /^\d{1,5}$/.test(given) ? Number(given) : undefined;
  if (wide !== undefined && wide > 0 && high === undefined)
    setAttribute(image, "height", String(Math.max(1, Math.round((wide * height) / width))));
  return Math.min(wide || width, COLUMN);
}
