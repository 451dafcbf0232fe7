/**
 * Rewrites links between files as links between pages. Targets are resolved as common documentation systems do: relative to
 * the file or to the root, with or without extension, a folder as its index page, and below the folder's own name (`/docs/x`
 * in a folder `docs`); images and other files also below `static` and `public`. Links by name (`[[Name]]`) become links, see
 * `wiki_links.ts`. Code is not changed.
 */
import { posix } from "node:path";
import { trimChars } from "lectern/core";
import { maskCode } from "./code_spans.ts";
import { labelOf, type WikiLink, type WikiNames, wikiLinksIn } from "./wiki_links.ts";

/** Returns the address of a loaded file or folder by its path, with a fragment where an anchor is given. */
export type AddressOf = (path: string, anchor: string | undefined) => string | undefined;

/** The images of a folder, or its other files. */
export interface Files {
  /** Whether a path is such a file. */
  has(path: string): boolean;
  /** Its address on the server; undefined before it is uploaded. */
  addressOf(path: string): string | undefined;
}

/** What links can lead to. */
export interface LinkTargets {
  readonly addressOf: AddressOf;
  /** Whether a path is that of a file or folder that is loaded. */
  isLoaded(path: string): boolean;
  readonly images: Files;
  readonly others: Files;
  readonly names: Pick<WikiNames, "find">;
}

/** A text with its links rewritten, and a record of its links. */
export interface Linked {
  readonly markdown: string;
  readonly rewritten: number;
  /** Links within the folder that lead to nothing in it, as in the text. */
  readonly unresolved: readonly string[];
  /** Paths of the images that it shows or links to. */
  readonly images: readonly string[];
  /** Paths of the other files that it links to. */
  readonly others: readonly string[];
  /** Images that are missing or of an unsupported type, as in the text. */
  readonly skipped: readonly string[];
}

/** A link in the text: the position of its target, or of all of a link by name. */
interface FoundLink {
  readonly start: number;
  readonly end: number;
  readonly isImage: boolean;
  readonly wiki?: WikiLink;
}

/** The paths that a link may mean. */
interface Candidates {
  /** Paths of files. */
  readonly files: readonly string[];
  /** Paths of pages and folders. */
  readonly pages: readonly string[];
  readonly anchor: string | undefined;
}

type Found = {
  -readonly [Name in keyof Omit<Linked, "markdown">]: Linked[Name] extends readonly string[] ? string[] : number;
};

/** Rewrites the links of a page. `rootName` is the name of the folder that is loaded. */
export function rewriteLinks(markdown: string, path: string, rootName: string, targets: LinkTargets): Linked {
  const { images, others } = targets;
  const found: Found = { rewritten: 0, unresolved: [], images: [], others: [], skipped: [] };
  let out = "";
  let at = 0;
  for (const link of findLinks(markdown)) {
    const text = markdown.slice(link.start, link.end);
    const to = link.wiki
      ? candidatesOfName(link.wiki, path, targets)
      : candidatesOfLink(text.replace(/^<|>$/g, ""), path, rootName);
    if (to === undefined) continue;
    const image = to.files.find((file) => images.has(file));
    const isPage = to.pages.some((page) => targets.isLoaded(page));
    const other =
      image === undefined && !isPage && !link.isImage ? to.files.find((file) => others.has(file)) : undefined;
    if (image !== undefined) found.images.push(image);
    else if (link.isImage) found.skipped.push(text);
    else if (other !== undefined) found.others.push(other);
    else if (!isPage) found.unresolved.push(text);
    const address = addressFor(link, { image, other, to }, targets);
    if (address === undefined) continue;
    out += markdown.slice(at, link.start) + (link.wiki ? written(link.wiki, address, image !== undefined) : address);
    at = link.end;
    if (image === undefined) found.rewritten += 1;
  }
  return { markdown: out + markdown.slice(at), ...found };
}

/** The address that a link gets; undefined where it is left as it is. */
function addressFor(
  { isImage }: FoundLink,
  { image, other, to }: { image: string | undefined; other: string | undefined; to: Candidates },
  { addressOf, images, others }: LinkTargets,
): string | undefined {
  if (image !== undefined) return images.addressOf(image);
  if (other !== undefined) return others.addressOf(other);
  return isImage ? undefined : to.pages.map((file) => addressOf(file, to.anchor)).find((one) => one !== undefined);
}

/** A link by name as Markdown has it; what is embedded and is no image becomes a link. */
function written(link: WikiLink, address: string, isImage: boolean): string {
  const target = /[\s()]/.test(address) ? `<${address}>` : address;
  return `${link.isEmbed && isImage ? "!" : ""}[${labelOf(link)}](${target})`;
}

function candidatesOfName({ name, anchor }: WikiLink, from: string, { names }: LinkTargets): Candidates {
  const path = name === "" ? from : names.find(name, from);
  const paths = path === undefined ? [] : [path];
  return { files: paths, pages: paths, anchor };
}

const INLINE =
  /\]\(\s*(<[^>\n\0]*>|[^\s()<>\0]+(?:\([^\s()\0]*\)[^\s()\0]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
const REFERENCE = /^ {0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*(<[^>\n\0]*>|[^\s\0]+)/gm;
const HTML = /<(a|img)\b[^>\0]*?\s(?:href|src)=(?:"([^"\0]*)"|'([^'\0]*)')/gi;

function findLinks(markdown: string): FoundLink[] {
  const mask = maskCode(markdown);
  const targets: FoundLink[] = wikiLinksIn(mask).map((wiki) => ({
    start: wiki.start,
    end: wiki.end,
    isImage: wiki.isEmbed && IMAGE.test(wiki.name),
    wiki,
  }));
  for (const found of mask.matchAll(INLINE)) {
    const start = found.index + found[0].indexOf(found[1] ?? "", 2);
    targets.push({ start, end: start + (found[1] ?? "").length, isImage: isImageLabel(mask, found.index) });
  }
  for (const found of mask.matchAll(REFERENCE)) {
    const end = found.index + found[0].length;
    targets.push({ start: end - (found[1] ?? "").length, end, isImage: false });
  }
  for (const found of mask.matchAll(HTML)) {
    const end = found.index + found[0].length - 1;
    targets.push({ start: end - (found[2] ?? found[3] ?? "").length, end, isImage: found[1]?.toLowerCase() === "img" });
  }
  return targets
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, index, all) => index === 0 || start >= (all[index - 1]?.end ?? 0));
}

const LONGEST_LABEL = 2000;

/** Whether the label that closes at an offset opens with `![`. */
function isImageLabel(mask: string, close: number): boolean {
  let depth = 0;
  for (let at = close; at >= Math.max(0, close - LONGEST_LABEL); at--) {
    if (mask[at] === "]") depth++;
    else if (mask[at] === "[" && --depth === 0) return mask[at - 1] === "!";
  }
  return false;
}

/** The paths that a link may mean; undefined for one that leads out of the folder. */
function candidatesOfLink(link: string, from: string, rootName: string): Candidates | undefined {
  if (link === "" || /^[a-z][a-z\d+.-]*:|^\/\//i.test(link)) return undefined;
  const [, given = "", anchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link) ?? [];
  const path = decoded(given);
  return {
    files: filePathsOf(path, from, rootName),
    pages: candidatesOf(path, from, rootName),
    anchor: anchor === undefined || anchor === "" ? undefined : decoded(anchor),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is embedded as a picture, also where the server has no such images. */
const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?)$/i;
const ENDINGS = ["", ".md", ".mdx", ".markdown"];
const FRONT_PAGES = ["index", "README", "readme", "Index"].flatMap((name) =>
  ENDINGS.slice(1).map((ending) => `/${name}${ending}`),
);

function candidatesOf(target: string, from: string, rootName: string): string[] {
  if (target === "") return [from];
  return basesOf(target, from, rootName).flatMap((base) => {
    const plain = base.replace(/\.html?$/i, "");
    const files = [base, ...ENDINGS.map((ending) => plain + ending)];
    const fronts = FRONT_PAGES.map((front) => (plain === "." ? front.slice(1) : plain + front));
    return [...files.filter((file) => /\.\w+$/.test(file)), ...fronts, plain];
  });
}

/** The paths at which a file is looked for. */
function filePathsOf(target: string, from: string, rootName: string): string[] {
  if (target === "") return [];
  const bases = basesOf(target, from, rootName);
  return target.startsWith("/") ? bases.flatMap((base) => [base, `static/${base}`, `public/${base}`]) : bases;
}

function basesOf(target: string, from: string, rootName: string): string[] {
  const absolute = target.startsWith("/");
  const path = trimChars(posix.join(absolute ? "." : posix.dirname(from), target), "/") || ".";
  if (absolute && path === rootName) return [path, "."];
  return absolute && path.startsWith(`${rootName}/`) ? [path, path.slice(rootName.length + 1)] : [path];
}
