/**
 * Links between the files of a folder become links between the pages made of them. Targets are looked for as the usual
 * documentation systems do: relative to the file or to the root, with or without the ending, a folder for its front
 * page, and below the folder's own name (`/docs/x` in a folder `docs`); pictures also below `static` and `public`. Code
 * is left alone.
 */
import { posix } from "node:path";
import { maskCode } from "./code_spans.ts";

/** The address of a loaded file or folder by its path, with the id of a heading where one is asked for. */
export type AddressOf = (path: string, anchor: string | undefined) => string | undefined;

/** The pictures of a folder. */
export interface Pictures {
  /** Whether there is a picture at a path. */
  has(path: string): boolean;
  /** Its address on the server, once it is there. */
  addressOf(path: string): string | undefined;
}

/** A text with its links rewritten, and what was found in it. */
export interface Linked {
  readonly markdown: string;
  readonly rewritten: number;
  /** Links to Markdown files that are not loaded, as written. */
  readonly lost: readonly string[];
  /** Paths of the pictures it shows or links to. */
  readonly pictures: readonly string[];
  /** Pictures that are not among the files, or are none that a server takes, as written. */
  readonly left: readonly string[];
}

interface Spot {
  readonly start: number;
  readonly end: number;
  readonly picture: boolean;
}

/** Rewrites the links of a page. `rootName` is the name of the folder that is loaded. */
export function rewriteLinks(
  markdown: string,
  path: string,
  rootName: string,
  { addressOf, pictures }: { addressOf: AddressOf; pictures: Pictures },
): Linked {
  const found = { rewritten: 0, lost: [] as string[], pictures: [] as string[], left: [] as string[] };
  let out = "";
  let at = 0;
  for (const { start, end, picture } of spotsOf(markdown)) {
    const written = markdown.slice(start, end);
    const target = targetOf(written.replace(/^<|>$/g, ""));
    if (target === undefined) continue;
    const shown = placesOf(target.path, path, rootName).find((file) => pictures.has(file));
    if (shown !== undefined) found.pictures.push(shown);
    else if (picture) found.left.push(written);
    const address =
      shown !== undefined
        ? pictures.addressOf(shown)
        : picture
          ? undefined
          : candidatesOf(target.path, path, rootName)
              .map((file) => addressOf(file, target.anchor))
              .find((one) => one !== undefined);
    if (address === undefined && /\.(?:mdx?|markdown)$/i.test(target.path)) found.lost.push(written);
    if (address === undefined) continue;
    out += markdown.slice(at, start) + address;
    at = end;
    if (shown === undefined) found.rewritten += 1;
  }
  return { markdown: out + markdown.slice(at), ...found };
}

const INLINE =
  /\]\(\s*(<[^>\n\0]*>|[^\s()<>\0]+(?:\([^\s()\0]*\)[^\s()\0]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;
const REFERENCE = /^ {0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*(<[^>\n\0]*>|[^\s\0]+)/gm;
const HTML = /<(a|img)\b[^>\0]*?\s(?:href|src)=(?:"([^"\0]*)"|'([^'\0]*)')/gi;

function spotsOf(markdown: string): Spot[] {
  const mask = maskCode(markdown);
  const spots: Spot[] = [];
  for (const found of mask.matchAll(INLINE)) {
    const start = found.index + found[0].indexOf(found[1] ?? "", 2);
    spots.push({ start, end: start + (found[1] ?? "").length, picture: isPicture(mask, found.index) });
  }
  for (const found of mask.matchAll(REFERENCE)) {
    const end = found.index + found[0].length;
    spots.push({ start: end - (found[1] ?? "").length, end, picture: false });
  }
  for (const found of mask.matchAll(HTML)) {
    const end = found.index + found[0].length - 1;
    spots.push({ start: end - (found[2] ?? found[3] ?? "").length, end, picture: found[1]?.toLowerCase() === "img" });
  }
  return spots
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, index, all) => index === 0 || start >= (all[index - 1]?.end ?? 0));
}

const LONGEST_LABEL = 2000;

/** Whether the label that closes at an offset opens with `![`. */
function isPicture(mask: string, close: number): boolean {
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

/** Where a picture may lie. */
function placesOf(target: string, from: string, rootName: string): string[] {
  if (target === "") return [];
  const bases = basesOf(target, from, rootName);
  return target.startsWith("/") ? bases.flatMap((base) => [base, `static/${base}`, `public/${base}`]) : bases;
}

function basesOf(target: string, from: string, rootName: string): string[] {
  const absolute = target.startsWith("/");
  const path = posix.join(absolute ? "." : posix.dirname(from), target).replace(/^\/+|\/+$/g, "") || ".";
  if (absolute && path === rootName) return [path, "."];
  return absolute && path.startsWith(`${rootName}/`) ? [path, path.slice(rootName.length + 1)] : [path];
}
