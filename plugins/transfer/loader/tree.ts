import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { LoadError } from "./errors.ts";

/** Larger Markdown files are reported and left out, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Larger pictures are reported and left out, in bytes; a server may take fewer. */
export const MAX_PICTURE_BYTES = 50 * 1000 * 1024;

/** A Markdown file and where it goes. Paths are relative to the folder, with `/`. */
export interface SourceFile {
  readonly path: string;
  /** Path of the book's folder; `.` for the folder itself. */
  readonly book: string;
  /** Path of the chapter's folder; undefined for a page directly in its book. */
  readonly chapter: string | undefined;
  /** Names of the folders below the chapter. */
  readonly below: readonly string[];
}

/** What a folder holds. */
export interface Tree {
  /** The folder's own path without symbolic links. */
  readonly root: string;
  /** The folder's own name. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** Paths of pictures that pages may show. */
  readonly pictures: ReadonlySet<string>;
  /** One line for each thing left out that its owner may miss. */
  readonly left: readonly string[];
}

/** A folder as it is read. */
interface Found {
  readonly paths: string[];
  readonly pictures: Set<string>;
  readonly left: string[];
}

const MARKDOWN = /\.(?:mdx?|markdown)$/i;
/** What a gallery takes (content-api 12). */
const PICTURE = /\.(?:jpe?g|png|gif|webp|avif)$/i;
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Reads which files a folder holds, in reading order. Throws LoadError where it is no readable folder. */
export async function readTree(folder: string): Promise<Tree> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory())
    throw new LoadError(`Cannot load "${folder}": there is no such folder`);
  const found: Found = { paths: [], pictures: new Set(), left: [] };
  await walk(root, "", found);
  const { paths, pictures, left } = found;
  return { root, name: basename(root) || "Documentation", files: paths.map(placeOf), pictures, left };
}

async function walk(root: string, under: string, found: Found): Promise<void> {
  const entries = await readdir(join(root, under), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareNames(a.name, b.name))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = under === "" ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, path, found);
    else if (entry.isSymbolicLink()) {
      if (await isFileInside(root, path)) await take(root, path, found);
      else found.left.push(`"${path}" is a symbolic link to a folder or out of the tree: not followed`);
    } else if (entry.isFile()) await take(root, path, found);
  }
}

async function take(root: string, path: string, { paths, pictures, left }: Found): Promise<void> {
  const isPicture = PICTURE.test(path);
  if (!isPicture && !MARKDOWN.test(path)) return;
  const { size } = await stat(join(root, path));
  const most = isPicture ? MAX_PICTURE_BYTES : MAX_FILE_BYTES;
  if (size > most) left.push(`"${path}" has ${size} bytes: files up to ${most} are loaded`);
  else if (isPicture) pictures.add(path);
  else paths.push(path);
}

async function isFileInside(root: string, path: string): Promise<boolean> {
  const target = await realpath(join(root, path)).catch(() => undefined);
  if (target?.startsWith(root + sep) !== true) return false;
  return (await stat(target)).isFile();
}

function placeOf(path: string): SourceFile {
  const folders = path.split("/").slice(0, -1);
  const [book, chapter, ...below] = folders;
  return { path, book: book ?? ".", chapter: chapter === undefined ? undefined : `${book}/${chapter}`, below };
}

/** Whether a file is the front page of its folder. */
export function isIndex(path: string): boolean {
  return /^(?:index|readme)\.[^.]+$/i.test(basename(path));
}

/** Orders names as people do: front pages first, numbers by value. */
export function compareNames(a: string, b: string): number {
  return Number(isIndex(b)) - Number(isIndex(a)) || COLLATOR.compare(a, b) || (a < b ? -1 : 1);
}
