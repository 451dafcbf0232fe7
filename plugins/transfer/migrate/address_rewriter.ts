/**
 * Rewrites addresses of the source in content: those of items, files and images become their addresses here, and so do the
 * ids of included pages and drawings. Text is searched, not parsed, which works for HTML, Markdown and plain text, and leaves
 * everything else unchanged to the letter. An address of something that is not copied is kept and reported, since a link to
 * the old server is better than a broken one.
 */
import { pathOf, type Target, type TargetMap } from "./target_map.ts";

/** A rewritten text and its links. */
export interface RewrittenText {
  readonly text: string;
  /** The items here that it links to. */
  readonly links: readonly Target[];
  /** Addresses of the source that were kept. */
  readonly unresolved: readonly string[];
}

const ITEM = /^\/books\/([^/]+)\/(page|chapter)\/([^/]+)|^\/books\/([^/]+)|^\/shelves\/([^/]+)/;
const BY_ID = /^\/(link|attachments)\/(\d{1,10})(?=\/|$)/;
const IMAGE = /^\/uploads\/images\//;
/** Folders of smaller variants of images; variants that exist here too are kept. */
const VARIANT = /\/((?:thumbs|scaled)-\d*-\d*)\/([^/]+)$/;
const KEPT_VARIANTS = new Set(["thumbs-150-150", "scaled-1680-"]);
const HOME = /^\/?$|^\/(?:books|shelves)\/?$/;
const PATH_CHARS = String.raw`[^\s"'<>()\\[\]]*`;

/** Rewrites texts of one source. */
export class AddressRewriter {
  readonly #targets: TargetMap;
  readonly #baseUrl: string;
  readonly #prefix: string;
  readonly #absolute: RegExp;
  readonly #relative: RegExp;

  /** `bases`: the base URLs of the source; `baseUrl`: that of this instance. */
  constructor(targets: TargetMap, bases: readonly string[], baseUrl: string) {
    this.#targets = targets;
    this.#baseUrl = baseUrl;
    this.#prefix = new URL(baseUrl).pathname.replace(/\/$/, "");
    const hosts = bases.map((base) => base.replace(/^https?:\/\//, "")).sort((a, b) => b.length - a.length);
    const host = hosts.map((one) => RegExp.escape(one)).join("|");
    this.#absolute = new RegExp(
      String.raw`(?:https?:)?//(?:${host})(?=[/?#"'\s<>()\\[\]]|$)((?:[/?#]${PATH_CHARS})?)`,
      "gi",
    );
    const prefixes = new Set(bases.map((base) => new URL(base).pathname.replace(/\/$/, "")));
    const prefix = [...prefixes].map((one) => RegExp.escape(one)).join("|");
    const before = String.raw`((?:\b(?:href|src)\s{0,9}=\s{0,9}["']?|\]\(<?))`;
    const areas = "books|shelves|link|attachments|uploads";
    this.#relative = new RegExp(`${before}(?:${prefix})(/(?:${areas})/${PATH_CHARS})`, "gi");
  }

  /** Rewrites the addresses and ids in a text. */
  rewrite(text: string): RewrittenText {
    const links = new Map<string, Target>();
    const unresolved = new Set<string>();
    const replace = (whole: string, path: string, base: string): string => {
      const found = this.#resolve(path);
      if (!found) unresolved.add(whole);
      else if (found.target) links.set(found.target.path, found.target);
      return found ? base + found.path : whole;
    };
    const linked = text
      .replace(this.#absolute, (whole: string, path: string) => replace(whole, path, this.#baseUrl))
      .replace(this.#relative, (whole: string, before: string, path: string) => {
        const found = this.#resolve(path);
        return found ? `${before}${this.#prefix}${found.path}` : whole;
      });
    return { text: this.#replaceIds(linked), links: [...links.values()], unresolved: [...unresolved] };
  }

  /** Paths of the source's images in a text that are not in the target map. */
  unknownImages(text: string): string[] {
    const found = new Set<string>();
    const collect = (path: string) => {
      const whole = fullImagePath(decodePath(/^[^?#]*/.exec(path)?.[0] ?? ""));
      if (IMAGE.test(whole) && this.#targets.image(whole) === undefined) found.add(whole);
    };
    for (const [, path = ""] of text.matchAll(this.#absolute)) collect(path);
    for (const [, , path = ""] of text.matchAll(this.#relative)) collect(path);
    return [...found];
  }

  #replaceIds(text: string): string {
    return text
      .replace(/(\{\{@\s?)(\d{1,10})(?=[#}\s])/g, (whole, before: string, id: string) => {
        const target = this.#targets.page(Number(id));
        return target ? before + target.id : whole;
      })
      .replace(/(\bdrawio-diagram=["']?)(\d{1,10})/gi, (whole, before: string, id: string) => {
        const targetId = this.#targets.drawing(Number(id));
        return targetId === undefined ? whole : before + targetId;
      });
  }

  /** The path here for a path at the source, with its suffix. */
  #resolve(given: string): { readonly path: string; readonly target?: Target } | undefined {
    // Punctuation after an address in a sentence is not part of it.
    const [, encoded = "", after = ""] = /^([^?#]*?)([.,;:!]*(?:[?#].*)?)$/s.exec(given) ?? [];
    const path = decodePath(encoded);
    if (HOME.test(path)) return { path: path + after };
    const image = IMAGE.test(path) ? this.#image(path) : undefined;
    if (image !== undefined) return { path: image + after };
    const [prefix, area, id] = BY_ID.exec(path) ?? [];
    if (prefix !== undefined)
      return this.#resolveId(area ?? "", Number(id), encodeURI(path.slice(prefix.length)) + after);
    const target = this.#item(path);
    return target && { path: target.at.path + encodeURI(path.slice(target.length)) + after, target: target.at };
  }

  #resolveId(area: string, id: number, rest: string): { path: string; target?: Target } | undefined {
    if (area === "link") {
      const target = this.#targets.page(id);
      return target && { path: `/link/${target.id}${rest}` };
    }
    const targetId = this.#targets.attachment(id);
    return targetId === undefined ? undefined : { path: `/attachments/${targetId}${rest}` };
  }

  #item(path: string): { readonly at: Target; readonly length: number } | undefined {
    const [whole, book, kind, slug, bookOnly, shelf] = ITEM.exec(path) ?? [];
    if (whole === undefined) return undefined;
    const key =
      shelf !== undefined
        ? keyOf("bookshelf", shelf)
        : bookOnly !== undefined
          ? keyOf("book", bookOnly)
          : keyOf(kind as "page" | "chapter", book ?? "", slug);
    const at = this.#targets.item(key);
    return at && { at, length: whole.length };
  }

  #image(path: string): string | undefined {
    const variant = VARIANT.exec(path)?.[1];
    const targetPath = this.#targets.image(fullImagePath(path));
    if (targetPath === undefined) return undefined;
    const shown =
      variant !== undefined && KEPT_VARIANTS.has(variant)
        ? targetPath.replace(/\/([^/]+)$/, (rest) => `/${variant}${rest}`)
        : targetPath;
    return encodeURI(shown);
  }
}

/** The path of an image, given its path or that of a smaller variant. */
function fullImagePath(path: string): string {
  return path.replace(VARIANT, (_, _variant, file: string) => `/${file}`);
}

/** The key of an item in the `TargetMap`, from the slugs in its address at the source. */
export function keyOf(kind: Target["kind"], top: string, slug = ""): string {
  return pathOf(kind, top, slug);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
