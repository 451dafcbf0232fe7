/**
 * Reads a folder: which files become pages of which book and chapter, which images pages can show, and which other files they
 * can link to. Names of folders decide, never the content of files, so that a plan is made before any file is read. Hidden
 * files, installed packages and symbolic links that lead out of the folder are not followed.
 */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { LoadError } from "./errors.ts";

/** Larger Markdown files are reported and skipped; in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Larger images are reported and skipped, and other files not sent; in bytes. A server may accept less. */
export const MAX_UPLOAD_BYTES = 50 * 1000 * 1024;

/** A Markdown file and its book and chapter. Paths are relative to the folder, with `/`. */
export interface SourceFile {
  readonly path: string;
  /** Path of the book's folder; `.` for the folder itself. */
  readonly book: string;
  /** Path of the chapter's folder; undefined for a page directly in its book. */
  readonly chapter: string | undefined;
  /** Names of the folders below the chapter. */
  readonly below: readonly string[];
}

/** The content of a folder. */
export interface Tree {
  /** Real path of the folder. */
  readonly root: string;
  /** Name of the folder. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** Paths of images that pages may show. */
  readonly images: ReadonlySet<string>;
  /** Paths of the other files, which pages may link to. */
  readonly others: ReadonlySet<string>;
  /** Lines about files that were skipped. */
  readonly skipped: readonly string[];
}

/** What reading a folder collects. */
interface FoundFiles {
  readonly paths: string[];
  readonly images: Set<string>;
  readonly others: Set<string>;
  readonly skipped: string[];
}

const MARKDOWN = /\.(?:mdx?|markdown)$/i;
/** Image types of the gallery (content-api 12). */
const IMAGE = /\.(?:jpe?g|png|gif|webp|avif)$/i;
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Lists the files of a folder, in reading order. Throws LoadError where it is not a readable folder. */
export async function readTree(folder: string): Promise<Tree> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory())
    throw new LoadError(`Cannot load "${folder}": there is no such folder`);
  const found: FoundFiles = { paths: [], images: new Set(), others: new Set(), skipped: [] };
  await walk(root, "", found);
  const { paths, ...rest } = found;
  return { root, name: basename(root) || "Documentation", files: paths.map(sourceFileOf), ...rest };
}

async function walk(root: string, folder: string, found: FoundFiles): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareNames(a.name, b.name))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, path, found);
    else if (entry.isSymbolicLink()) {
      if (await isFileInside(root, path)) await addFile(root, path, found);
      else found.skipped.push(`"${path}" is a symbolic link to a folder or out of the tree: not followed`);
    } else if (entry.isFile()) await addFile(root, path, found);
  }
}

async function addFile(root: string, path: string, { paths, images, others, skipped }: FoundFiles): Promise<void> {
  const isImage = IMAGE.test(path);
  const isText = MARKDOWN.test(path);
  const { size } = await stat(join(root, path));
  const max = isText ? MAX_FILE_BYTES : MAX_UPLOAD_BYTES;
  if (!isImage && !isText) {
    // Most are not linked: only a link to a large one is worth a line.
    if (size <= max) others.add(path);
  } else if (size > max) skipped.push(`"${path}" has ${size} bytes: files up to ${max} are loaded`);
  else if (isImage) images.add(path);
  else paths.push(path);
}

async function isFileInside(root: string, path: string): Promise<boolean> {
  const target = await realpath(join(root, path)).catch(() => undefined);
  if (target?.startsWith(root + sep) !== true) return false;
  return (await stat(target)).isFile();
}

function sourceFileOf(path: string): SourceFile {
  const folders = path.split("/").slice(0, -1);
  const [book, chapter, ...below] = folders;
  return { path, book: book ?? ".", chapter: chapter === undefined ? undefined : `${book}/${chapter}`, below };
}

/** Whether a file is the index page of its folder. */
export function isIndex(path: string): boolean {
  return /^(?:index|readme)\.[^.]+$/i.test(basename(path));
}

/** Compares names: index pages first, numbers by value. */
export function compareNames(a: string, b: string): number {
  return Number(isIndex(b)) - Number(isIndex(a)) || COLLATOR.compare(a, b) || (a < b ? -1 : 1);
}
