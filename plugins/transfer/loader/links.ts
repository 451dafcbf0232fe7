/**
 * Rewrites links between files as links between pages. Targets are resolved as common documentation systems do: relative to
 * the file or to the root, with or without extension, a folder as its index page, and below the folder's own name (`/docs/x`
 * in a folder `docs`); images also below `static` and `public`. Code is not changed.
 */
import { posix } from "node:path";
import { trimChars } from "lectern/core";
import { maskCode } from "./code_spans.ts";

/** Returns the address of a loaded file or folder by its path, with a fragment where an anchor is given. */
export type AddressOf = (path: string, anchor: string | undefined) => string | undefined;

/** The images of a folder. */
export interface Images {
  /** Whether a path is an image. */
  has(path: string): boolean;
  /** Its address on the server; undefined before it is uploaded. */
  addressOf(path: string): string | undefined;
}

/** A text with its links rewritten, and a record of its links. */
export interface Linked {
  readonly markdown: string;
  readonly rewritten: number;
  /** Links to Markdown files that are not loaded, as in the text. */
  readonly unresolved: readonly string[];
  /** Paths of the images that it shows or links to. */
  readonly images: readonly string[];
  /** Images that are missing or of an unsupported type, as in the text. */
  readonly skipped: readonly string[];
}

/** The position of a link's target in the text. */
interface LinkTarget {
  readonly start: number;
  readonly end: number;
  readonly isImage: boolean;
}

/** Rewrites the links of a page. `rootName` is the name of the folder that is loaded. */
export function rewriteLinks(
  markdown: string,
  path: string,
  rootName: string,
  { addressOf, images }: { addressOf: AddressOf; images: Images },
): Linked {
  const found = { rewritten: 0, unresolved: [] as string[], images: [] as string[], skipped: [] as string[] };
  let out = "";
  let at = 0;
  for (const { start, end, isImage } of findTargets(markdown)) {
    const link = markdown.slice(start, end);
    const target = targetOf(link.replace(/^<|>$/g, ""));
    if (target === undefined) continue;
    const imagePath = imagePathsOf(target.path, path, rootName).find((file) => images.has(file));
    if (imagePath !== undefined) found.images.push(imagePath);
    else if (isImage) found.skipped.push(link);
    const address =
      imagePath !== undefined
        ? images.addressOf(imagePath)
        : isImage
          ? undefined
          : candidatesOf(target.path, path, rootName)
              .map((file) => addressOf(file, target.anchor))
              .find((one) => one !== undefined);
    if (address === undefined && /\.(?:mdx?|markdown)$/i.test(target.path)) found.unresolved.push(link);
    if (address === undefined) continue;
    out += markdown.slice(at, start) + address;
    at = end;
    if (imagePath === undefined) found.rewritten += 1;
  }
  return { markdown: out + markdown.slice(at), ...found };
}

const INLINE =
  /\]\(\s*(<[^>\n\0]*>|[^\s()<>\0]+(?:\([^\s()\0]*\)[^\s()\0]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
const REFERENCE = /^ {0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*(<[^>\n\0]*>|[^\s\0]+)/gm;
const HTML = /<(a|img)\b[^>\0]*?\s(?:href|src)=(?:"([^"\0]*)"|'([^'\0]*)')/gi;

function findTargets(markdown: string): LinkTarget[] {
  const mask = maskCode(markdown);
  const targets: LinkTarget[] = [];
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

/** Path and anchor of a link inside the folder; undefined for one that leads elsewhere. */
function targetOf(link: string): { path: string; anchor: string | undefined } | undefined {
  if (link === "" || /^[a-z][a-z\d+.-]*:|^\/\//i.test(link)) return undefined;
  const [, path = "", anchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link) ?? [];
  return { path: decoded(path), anchor: anchor === undefined || anchor === "" ? undefined : decoded(anchor) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

/** The paths at which an image is looked for. */
function imagePathsOf(target: string, from: string, rootName: string): string[] {
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
