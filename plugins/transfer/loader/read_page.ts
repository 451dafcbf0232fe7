/**
 * Reads a Markdown file as a page: decodes it, converts components, determines its name, removes a leading title (the server
 * shows the name itself) and prepends the description. Links are rewritten later, in links.ts.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, posix, sep } from "node:path";
import { linesOf } from "./code_spans.ts";
import { type PageTag, readFrontMatter } from "./front_matter.ts";
import { plainMarkdown } from "./mdx.ts";
import { isIndex, MAX_FILE_BYTES, type SourceFile, type Tree } from "./tree.ts";

/** The API's limit of names in characters (content-api 2.4). */
export const MAX_NAME = 255;

/** A page as read from its file, with its original links. */
export interface PageSource {
  readonly file: SourceFile;
  readonly name: string;
  readonly markdown: string;
  readonly tags: readonly PageTag[];
  readonly order: number | undefined;
  /** Remarks for the report, such as a guessed encoding. */
  readonly notes: readonly string[];
}

/** Reads a file of a tree. Throws errors of the file system. */
export function readPage(tree: Tree, file: SourceFile): PageSource {
  const { text, encoding } = decode(readFileSync(join(tree.root, file.path)));
  const { front, body } = readFrontMatter(text);
  const mdx = /\.mdx$/i.test(file.path);
  const plain = plainMarkdown(body, { mdx, snippet: (path) => snippetOf(tree, file, path) });
  const heading = headingOf(plain);
  const title = front.title ?? heading?.title ?? fallbackTitle(tree, file);
  const name = cut([...file.below, title].join(" / "), MAX_NAME);
  const content = heading && heading.title === title ? heading.rest : plain;
  const notes = encoding === "utf-8" ? [] : [`"${file.path}" is not UTF-8: read as ${encoding}`];
  return {
    file,
    name,
    markdown: withDescription(front.description, content) || title,
    tags: front.tags,
    order: front.order,
    notes,
  };
}

/** Decodes bytes by their byte order mark, else as UTF-8, else as Windows-1252, which accepts any byte. Line ends become `\n`. */
export function decode(bytes: Uint8Array): { text: string; encoding: string } {
  const [first, second] = bytes;
  const byMark =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  const encoding = byMark ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
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

/** Turns a file or folder name into a title: `02-file_name` → `File name`. */
export function humanised(name: string): string {
  const words = name
    .replace(/\.(?:mdx?|markdown)$/i, "")
    .replace(/^\d{1,3}[-_. ]+(?=\D)/, "")
    .replace(/[-_\s]+/g, " ")
    .trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Truncates a text to `max` UTF-16 units without splitting a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text[max - 2] ?? "") ? max - 2 : max - 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

function fallbackTitle(tree: Tree, { path }: SourceFile): string {
  if (!isIndex(path)) return humanised(basename(path));
  const folder = dirname(path);
  return humanised(folder === "." ? tree.name : basename(folder));
}

/** The first `# heading` of a text; `rest` is the text without it if nothing precedes it. */
function headingOf(markdown: string): { title: string; rest: string } | undefined {
  const found = linesOf(markdown).find(({ text, fenced }) => !fenced && /^ {0,3}#[ \t]+\S/.test(text));
  if (found === undefined) return undefined;
  const title = found.text
    .trim()
    .replace(/^#\s+/, "")
    .replace(/\s+#+$/, "");
  const before = markdown.slice(0, found.start);
  const rest = before.trim() === "" ? markdown.slice(found.start + found.text.length).replace(/^\s*\n/, "") : markdown;
  return { title: plainText(title), rest };
}

/** The text of a heading without Markdown syntax, as names are plain text. */
function plainText(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`)(.+?)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();
}

/** Prepends the description, which pages of the API lack, unless the text begins with it. */
function withDescription(description: string | undefined, markdown: string): string {
  const text = markdown.trim();
  if (description === undefined || text.replace(/\s+/g, " ").startsWith(description)) return text;
  return text === "" ? description : `${description}\n\n${text}`;
}

/** The body of an imported Markdown file; undefined for files outside the tree. */
function snippetOf(tree: Tree, from: SourceFile, path: string): string | undefined {
  if (!/\.(?:mdx?|markdown)$/i.test(path)) return undefined;
  const inside = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(from.path), path);
  try {
    const target = realpathSync(join(tree.root, inside));
    if (!target.startsWith(tree.root + sep) || statSync(target).size > MAX_FILE_BYTES) return undefined;
    return readFrontMatter(decode(readFileSync(target)).text).body;
  } catch {
    // A missing snippet is omitted, as documentation systems do.
    return undefined;
  }
}
