/**
 * Links by name, as Obsidian, Foam and MediaWiki have them: `[[Name]]`, `[[folder/Name]]`, `[[Name#Heading]]`, `[[#Heading]]`,
 * `[[Name|label]]` and `![[picture.png]]`. A name is that of a file, with or without its extension, else the title of a page,
 * whatever its case; of several files the nearest one is meant.
 */
import { posix } from "node:path";

/** A link by name in a text. */
export interface WikiLink {
  readonly start: number;
  readonly end: number;
  /** Whether its target is to be shown in its place. */
  readonly isEmbed: boolean;
  /** "" for a heading of the page itself. */
  readonly name: string;
  readonly anchor: string | undefined;
  /** Markdown; undefined where the name is the label. */
  readonly label: string | undefined;
}

// Not before "(" or "[", where the inner brackets are a label of their own: [[1]](https://example.com).
const WIKI_LINK = /(!?)\[\[([^[\]|#\n\0]*)(?:#([^[\]|\n\0]*))?(?:\|([^[\]\n\0]*))?\]\](?![([])/g;

/** The links by name in Markdown whose code is masked. */
export function wikiLinksIn(mask: string): WikiLink[] {
  return [...mask.matchAll(WIKI_LINK)].flatMap((found) => {
    const [whole, mark, name = "", anchor, label] = found;
    // In tables the bar before a label is escaped.
    const link = { name: plain(name), anchor: plain(anchor ?? "") || undefined, label: label?.trim() || undefined };
    if (link.name === "" && link.anchor === undefined) return [];
    return [{ start: found.index, end: found.index + whole.length, isEmbed: mark === "!", ...link }];
  });
}

function plain(text: string): string {
  return text.replace(/\\$/, "").trim();
}

/** The label of a link as Markdown: what the text has, else its name. */
export function labelOf({ name, anchor, label, isEmbed }: WikiLink): string {
  // The label of an embedded picture may be its width.
  if (label !== undefined && !(isEmbed && /^\d+(?:x\d+)?$/.test(label))) return label;
  const words = name === "" ? (anchor ?? "") : posix.basename(name).replace(/\.(?:mdx?|markdown)$/i, "");
  return words.replace(/[\\`*_<]/g, "\\$&");
}

/** Finds files by name. */
export class WikiNames {
  readonly #byName = new Map<string, string[]>();
  readonly #byTitle = new Map<string, string[]>();

  /** `pages`: the paths of pages with their names; `files`: the paths of all other files. */
  constructor(pages: readonly { readonly path: string; readonly name: string }[], files: Iterable<string>) {
    for (const { path, name } of pages) {
      this.#add(path);
      const title = folded(name.split(" / ").at(-1) ?? name);
      this.#byTitle.set(title, [...(this.#byTitle.get(title) ?? []), path]);
    }
    for (const path of files) this.#add(path);
  }

  /** The path that a name means in a file. */
  find(name: string, from: string): string | undefined {
    const wanted = keyOf(name.replace(/^(?:\.{1,2}\/)+|^\//, ""));
    const named = this.#byName.get(wanted.slice(wanted.lastIndexOf("/") + 1)) ?? [];
    const inFolder = named.filter((path) => `/${keyOf(path)}`.endsWith(`/${wanted}`));
    return nearest(inFolder, from) ?? nearest(this.#byTitle.get(folded(name)) ?? [], from);
  }

  #add(path: string): void {
    const key = keyOf(posix.basename(path));
    this.#byName.set(key, [...(this.#byName.get(key) ?? []), path]);
  }
}

/** A path in lower case, without the extension of Markdown. */
function keyOf(path: string): string {
  return path
    .normalize("NFC")
    .toLowerCase()
    .replace(/\.(?:mdx?|markdown)$/, "");
}

/** A title in lower case, with one space for all that separates words. */
function folded(title: string): string {
  return title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

/** The path in the folder of a file, else in the highest folder. */
function nearest(paths: readonly string[], from: string): string | undefined {
  const distance = (path: string) => (posix.dirname(path) === posix.dirname(from) ? 0 : path.split("/").length);
  return paths.toSorted((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1))[0];
}
