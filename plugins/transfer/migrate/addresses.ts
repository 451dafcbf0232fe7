/**
 * Rewrites what content says about its server: addresses of items, files and pictures become those they have here, and so
 * do the numbers of included pages and of drawings. Text is searched, not parsed: the same is right for HTML, Markdown and
 * plain text, and what is no address stays as it was to the letter. An address that leads to nothing copied is left as it
 * is, and told of, since a link to the old server is better than one to nowhere.
 */
import { type Place, type Places, pathOf } from "./places.ts";

/** A text as it shall be here. */
export interface Rewritten {
  readonly text: string;
  /** Items here that it leads to. */
  readonly links: readonly Place[];
  /** Addresses of the source that were left. */
  readonly left: readonly string[];
}

const ITEM = /^\/books\/([^/]+)\/(page|chapter)\/([^/]+)|^\/books\/([^/]+)|^\/shelves\/([^/]+)/;
const NUMBERED = /^\/(link|attachments)\/(\d{1,10})(?=\/|$)/;
const PICTURE = /^\/uploads\/images\//;
/** Folders of the smaller forms of pictures; those that we make too are kept. */
const FORM = /\/((?:thumbs|scaled)-\d*-\d*)\/([^/]+)$/;
const OWN_FORMS = new Set(["thumbs-150-150", "scaled-1680-"]);
const HOME = /^\/?$|^\/(?:books|shelves)\/?$/;
const REST = String.raw`[^\s"'<>()\\[\]]*`;

/** Rewrites texts of one source. */
export class Addresses {
  readonly #places: Places;
  readonly #baseUrl: string;
  readonly #prefix: string;
  readonly #absolute: RegExp;
  readonly #relative: RegExp;

  /** `bases`: the addresses the source goes by; `baseUrl`: this instance's own. */
  constructor(places: Places, bases: readonly string[], baseUrl: string) {
    this.#places = places;
    this.#baseUrl = baseUrl;
    this.#prefix = new URL(baseUrl).pathname.replace(/\/$/, "");
    const hosts = bases.map((base) => base.replace(/^https?:\/\//, "")).sort((a, b) => b.length - a.length);
    const host = hosts.map((one) => RegExp.escape(one)).join("|");
    this.#absolute = new RegExp(String.raw`(?:https?:)?//(?:${host})(?=[/?#"'\s<>()\\[\]]|$)((?:[/?#]${REST})?)`, "gi");
    const prefixes = new Set(bases.map((base) => new URL(base).pathname.replace(/\/$/, "")));
    const prefix = [...prefixes].map((one) => RegExp.escape(one)).join("|");
    const before = String.raw`((?:\b(?:href|src)\s{0,9}=\s{0,9}["']?|\]\(<?))`;
    const areas = "books|shelves|link|attachments|uploads";
    this.#relative = new RegExp(`${before}(?:${prefix})(/(?:${areas})/${REST})`, "gi");
  }

  /** A text with the addresses and numbers of here. */
  rewrite(text: string): Rewritten {
    const links = new Map<string, Place>();
    const left = new Set<string>();
    const changed = (whole: string, path: string, base: string): string => {
      const found = this.#resolve(path);
      if (!found) left.add(whole);
      else if (found.place) links.set(found.place.path, found.place);
      return found ? base + found.path : whole;
    };
    const linked = text
      .replace(this.#absolute, (whole: string, path: string) => changed(whole, path, this.#baseUrl))
      .replace(this.#relative, (whole: string, before: string, path: string) => {
        const found = this.#resolve(path);
        return found ? `${before}${this.#prefix}${found.path}` : whole;
      });
    return { text: this.#numbered(linked), links: [...links.values()], left: [...left] };
  }

  /** Pictures of the source that a text shows and that are not known to be copied, by path. */
  unknownPictures(text: string): string[] {
    const found = new Set<string>();
    const note = (path: string) => {
      const whole = wholePicture(decoded(/^[^?#]*/.exec(path)?.[0] ?? ""));
      if (PICTURE.test(whole) && this.#places.picture(whole) === undefined) found.add(whole);
    };
    for (const [, path = ""] of text.matchAll(this.#absolute)) note(path);
    for (const [, , path = ""] of text.matchAll(this.#relative)) note(path);
    return [...found];
  }

  #numbered(text: string): string {
    return text
      .replace(/(\{\{@\s?)(\d{1,10})(?=[#}\s])/g, (whole, before: string, id: string) => {
        const place = this.#places.page(Number(id));
        return place ? before + place.id : whole;
      })
      .replace(/(\bdrawio-diagram=["']?)(\d{1,10})/gi, (whole, before: string, id: string) => {
        const own = this.#places.drawing(Number(id));
        return own === undefined ? whole : before + own;
      });
  }

  /** The path here for a path there, with what followed it. */
  #resolve(given: string): { readonly path: string; readonly place?: Place } | undefined {
    // A full stop after an address in a sentence is none of it.
    const [, written = "", after = ""] = /^([^?#]*?)([.,;:!]*(?:[?#].*)?)$/s.exec(given) ?? [];
    const path = decoded(written);
    if (HOME.test(path)) return { path: path + after };
    const picture = PICTURE.test(path) ? this.#picture(path) : undefined;
    if (picture !== undefined) return { path: picture + after };
    const [numbered, area, id] = NUMBERED.exec(path) ?? [];
    if (numbered !== undefined)
      return this.#byNumber(area ?? "", Number(id), encodeURI(path.slice(numbered.length)) + after);
    const place = this.#item(path);
    return place && { path: place.at.path + encodeURI(path.slice(place.length)) + after, place: place.at };
  }

  #byNumber(area: string, id: number, rest: string): { path: string; place?: Place } | undefined {
    if (area === "link") {
      const place = this.#places.page(id);
      return place && { path: place.path + rest, place };
    }
    const own = this.#places.attachment(id);
    return own === undefined ? undefined : { path: `/attachments/${own}${rest}` };
  }

  #item(path: string): { readonly at: Place; readonly length: number } | undefined {
    const [whole, book, kind, slug, alone, shelf] = ITEM.exec(path) ?? [];
    if (whole === undefined) return undefined;
    const key =
      shelf !== undefined
        ? keyOf("bookshelf", shelf)
        : alone !== undefined
          ? keyOf("book", alone)
          : keyOf(kind as "page" | "chapter", book ?? "", slug);
    const at = this.#places.item(key);
    return at && { at, length: whole.length };
  }

  #picture(path: string): string | undefined {
    const form = FORM.exec(path)?.[1];
    const own = this.#places.picture(wholePicture(path));
    if (own === undefined) return undefined;
    const shown =
      form !== undefined && OWN_FORMS.has(form) ? own.replace(/\/([^/]+)$/, (rest) => `/${form}${rest}`) : own;
    return encodeURI(shown);
  }
}

/** The path of a picture, given that of it or of a smaller form of it. */
function wholePicture(path: string): string {
  return path.replace(FORM, (_, _form, file: string) => `/${file}`);
}

/** How `Places` knows an item by the slugs in its address there. */
export function keyOf(kind: Place["kind"], top: string, slug = ""): string {
  return pathOf(kind, top, slug);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
