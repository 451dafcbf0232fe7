/**
 * A Markdown file as a page: decoded, its title found, its components made plain, its leading title taken off (the
 * server shows the name itself), its description put in front. Links stay as they are: see links.ts.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, posix, sep } from "node:path";
import { linesOf } from "./code_spans.ts";
import { type PageTag, readFrontMatter } from "./front_matter.ts";
import { plainMarkdown } from "./mdx.ts";
import { isIndex, MAX_FILE_BYTES, type SourceFile, type Tree } from "./tree.ts";

/** The API's limit of names, in characters (content-api 2.4). */
export const MAX_NAME = 255;

/** A page as its file wishes it, links not yet rewritten. */
export interface PageText {
  readonly file: SourceFile;
  readonly name: string;
  readonly markdown: string;
  readonly tags: readonly PageTag[];
  readonly order: number | undefined;
  /** What the reader of the report should know, such as a guessed encoding. */
  readonly notes: readonly string[];
}

/** Reads a file of a tree. Throws what the file system throws. */
export function readPage(tree: Tree, file: SourceFile): PageText {
  const { text, encoding } = decode(readFileSync(join(tree.root, file.path)));
  const { front, body } = readFrontMatter(text);
  const mdx = /\.mdx$/i.test(file.path);
  const plain = plainMarkdown(body, { mdx, snippet: (path) => snippetOf(tree, file, path) });
  const heading = headingOf(plain);
  const title = front.title ?? heading?.title ?? fallbackTitle(tree, file);
  const name = cut([...file.below, title].join(" / "), MAX_NAME);
  const text2 = heading && heading.title === title ? heading.rest : plain;
  const notes = encoding === "utf-8" ? [] : [`"${file.path}" is not UTF-8: read as ${encoding}`];
  return {
    file,
    name,
    markdown: withLead(front.description, text2) || title,
    tags: front.tags,
    order: front.order,
    notes,
  };
}

/** Bytes as text: by byte order mark, else UTF-8, else Windows-1252, which takes any byte. Line ends become `\n`. */
export function decode(bytes: Uint8Array): { text: string; encoding: string } {
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  const encoding = marked ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
  const text = new TextDecoder(encoding).decode(bytes);
  return { text: text.replace(/\r\n?/g, "\n").replaceAll("\0", ""), encoding };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A file or folder name as a title: `02-file_name` → `File name`. */
export function humanised(name: string): string {
  const words = name
    .replace(/\.(?:mdx?|markdown)$/i, "")
    .replace(/^\d{1,3}[-_. ]+(?=\D)/, "")
    .replace(/[-_\s]+/g, " ")
    .trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Cuts a text to so many UTF-16 units without splitting a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\uD800-\uDBFF]/.test(text[most - 2] ?? "") ? most - 2 : most - 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

function fallbackTitle(tree: Tree, { path }: SourceFile): string {
  if (!isIndex(path)) return humanised(basename(path));
  const folder = dirname(path);
  return humanised(folder === "." ? tree.name : basename(folder));
}

/** The first `# heading` of a text, if one stands there before anything else; `rest` is the text without it. */
function headingOf(markdown: string): { title: string; rest: string } | undefined {
  const found = linesOf(markdown).find(({ text, fenced }) => !fenced && /^ {0,3}#[ \t]+\S/.test(text));
  if (found === undefined) return undefined;
  const title = found.text
    .trim()
    .replace(/^#\s+/, "")
    .replace(/\s+#+$/, "");
  const before = markdown.slice(0, found.start);
  const rest = before.trim() === "" ? markdown.slice(found.start + found.text.length).replace(/^\s*\n/, "") : markdown;
  return { title: bare(title), rest };
}

/** A heading's text without Markdown's marks: names are plain text. */
function bare(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`)(.+?)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();
}

/** The API knows no descriptions of pages, so it opens the text, unless the text opens with it already. */
function withLead(description: string | undefined, markdown: string): string {
  const text = markdown.trim();
  if (description === undefined || text.replace(/\s+/g, " ").startsWith(description)) return text;
  return text === "" ? description : `${description}\n\n${text}`;
}

/** The body of a Markdown file that another imports; only files of the tree are read. */
function snippetOf(tree: Tree, from: SourceFile, path: string): string | undefined {
  if (!/\.(?:mdx?|markdown)$/i.test(path)) return undefined;
  const inside = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(from.path), path);
  try {
    const target = realpathSync(join(tree.root, inside));
    if (!target.startsWith(tree.root + sep) || statSync(target).size > MAX_FILE_BYTES) return undefined;
    return readFrontMatter(decode(readFileSync(target)).text).body;
  } catch {
    // A missing snippet leaves a gap in the page, as it does where the author's own tool draws it.
    return undefined;
  }
}
