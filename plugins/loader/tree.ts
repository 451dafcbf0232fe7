import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { LoadError } from "./errors.ts";

/** Larger Markdown files are reported and left out, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

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
  /** One line for each thing left out that its owner may miss. */
  readonly left: readonly string[];
}

const MARKDOWN = /\.(?:mdx?|markdown)$/i;
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Reads which files a folder holds, in reading order. Throws LoadError where it is no readable folder. */
export async function readTree(folder: string): Promise<Tree> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory())
    throw new LoadError(`Cannot load "${folder}": there is no such folder`);
  const left: string[] = [];
  const paths: string[] = [];
  await walk(root, "", paths, left);
  return { root, name: basename(root) || "Documentation", files: paths.map(placeOf), left };
}

async function walk(root: string, under: string, paths: string[], left: string[]): Promise<void> {
  const entries = await readdir(join(root, under), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareNames(a.name, b.name))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = under === "" ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) await walk(root, path, paths, left);
    else if (entry.isSymbolicLink()) {
      if (await isFileInside(root, path)) await take(root, path, paths, left);
      else left.push(`"${path}" is a symbolic link to a folder or out of the tree: not followed`);
    } else if (entry.isFile()) await take(root, path, paths, left);
  }
}

async function take(root: string, path: string, paths: string[], left: string[]): Promise<void> {
  if (!MARKDOWN.test(path)) return;
  const { size } = await stat(join(root, path));
  if (size <= MAX_FILE_BYTES) paths.push(path);
  else left.push(`"${path}" has ${size} bytes: files up to ${MAX_FILE_BYTES} are loaded`);
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
