/**
 * What becomes of a folder: top folders are books, folders in them chapters, files pages, anything deeper part of its
 * chapter with the way there in the page's name. Made from the files alone, before anything is sent, so that it can be
 * shown (`--dry-run`) and compared with what an earlier run has done.
 */
import { basename } from "node:path";
import type { PageTag } from "./front_matter.ts";
import { cut, humanised, MAX_NAME, type PageText, readPage } from "./page_text.ts";
import { compareNames, isIndex, readTree, type Tree } from "./tree.ts";

/** A book or chapter to be. */
export interface PlannedPlace {
  /** Path of its folder. */
  readonly path: string;
  readonly name: string;
  /** The folder of its book; equal to `path` for a book. */
  readonly book: string;
  readonly priority: number;
}

/** A page to be; `markdown` still has the links of its file. */
export interface PlannedPage {
  readonly path: string;
  readonly book: string;
  readonly chapter: string | undefined;
  readonly name: string;
  readonly markdown: string;
  readonly tags: readonly PageTag[];
  readonly priority: number;
}

/** All a folder becomes, in reading order. */
export interface Plan {
  readonly root: string;
  readonly name: string;
  readonly books: readonly PlannedPlace[];
  readonly chapters: readonly PlannedPlace[];
  readonly pages: readonly PlannedPage[];
  /** Paths of pictures that pages may show. */
  readonly pictures: ReadonlySet<string>;
  /** What was left out or guessed, one line each. */
  readonly notes: readonly string[];
}

/** Plans the books, chapters and (the first `limit`) pages of a folder. Throws LoadError where there is none. */
export async function planFolder(folder: string, limit = Number.POSITIVE_INFINITY): Promise<Plan> {
  const tree = await readTree(folder);
  const notes = [...tree.left];
  const texts: PageText[] = [];
  for (const file of tree.files.slice(0, limit)) {
    try {
      const text = readPage(tree, file);
      texts.push(text);
      notes.push(...text.notes);
    } catch (cause) {
      notes.push(`"${file.path}" cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
  return { root: tree.root, name: tree.name, pictures: tree.pictures, ...arrange(tree, texts), notes };
}

function arrange(tree: Tree, texts: readonly PageText[]): Pick<Plan, "books" | "chapters" | "pages"> {
  const priorities = prioritiesOf(texts);
  const priorityOf = (path: string) => priorities.get(path) ?? 0;
  const books = [...new Set(texts.map(({ file }) => file.book))].map((path) => ({
    path,
    book: path,
    priority: 0,
    name: cut(humanised(path === "." ? tree.name : path), MAX_NAME),
  }));
  const chapters = [
    ...new Map(texts.flatMap(({ file }) => (file.chapter === undefined ? [] : [[file.chapter, file.book]]))),
  ].map(([path = "", book = ""]) => ({
    path,
    book,
    priority: priorityOf(path),
    name: cut(humanised(basename(path)), MAX_NAME),
  }));
  const pages = texts.map(({ file: { path, book, chapter }, name, markdown, tags }) => ({
    path,
    book,
    chapter,
    name,
    markdown,
    tags,
    priority: priorityOf(path),
  }));
  return { books, chapters, pages };
}

interface Sibling {
  readonly path: string;
  readonly order: number | undefined;
}

/**
 * Priorities of pages and chapters by path. A number in the front matter counts as it is; a front page without one is
 * 0; all others follow the highest number in the order of their names.
 */
function prioritiesOf(texts: readonly PageText[]): Map<string, number> {
  const groups = new Map<string, Map<string, Sibling>>();
  const put = (parent: string, sibling: Sibling) => {
    const group = groups.get(parent) ?? new Map<string, Sibling>();
    groups.set(parent, group.set(sibling.path, sibling));
  };
  for (const { file, order } of texts) {
    put(file.chapter ?? file.book, { path: file.path, order });
    if (file.chapter !== undefined) put(file.book, { path: file.chapter, order: undefined });
  }
  return new Map([...groups.values()].flatMap((group) => ranked([...group.values()])));
}

function ranked(siblings: readonly Sibling[]): [string, number][] {
  const highest = Math.max(0, ...siblings.map(({ order }) => order ?? 0));
  const unnumbered = siblings.filter(({ path, order }) => order === undefined && !isIndex(path));
  const sorted = unnumbered.sort((a, b) => compareNames(a.path, b.path));
  const ranks = new Map(sorted.map(({ path }, index) => [path, highest + index + 1]));
  return siblings.map(({ path, order }) => [path, order ?? ranks.get(path) ?? 0]);
}
