/**
 * Plans a load: top folders become books, folders in them chapters, files pages; deeper files belong to their chapter, with
 * the names of the folders in the page's name. The plan depends only on the files, so that it can be shown before anything
 * is sent (`--dry-run`).
 */
import { basename } from "node:path";
import type { PageTag } from "./front_matter.ts";
import { cut, humanised, MAX_NAME, type PageSource, readPage } from "./read_page.ts";
import { compareNames, isIndex, readTree, type Tree } from "./tree.ts";

/** A planned book or chapter. */
export interface PlannedContainer {
  /** Path of its folder. */
  readonly path: string;
  readonly name: string;
  /** The folder of its book; equal to `path` for a book. */
  readonly book: string;
  readonly priority: number;
}

/** A planned page; `markdown` has the links of its file. */
export interface PlannedPage {
  readonly path: string;
  readonly book: string;
  readonly chapter: string | undefined;
  readonly name: string;
  readonly markdown: string;
  readonly tags: readonly PageTag[];
  readonly priority: number;
}

/** The items of a folder, in reading order. */
export interface Plan {
  readonly root: string;
  readonly name: string;
  readonly books: readonly PlannedContainer[];
  readonly chapters: readonly PlannedContainer[];
  readonly pages: readonly PlannedPage[];
  /** Paths of images that pages may show. */
  readonly images: ReadonlySet<string>;
  /** Paths of other files, which pages may link to. */
  readonly others: ReadonlySet<string>;
  /** Lines about what was skipped or guessed. */
  readonly notes: readonly string[];
}

/** Plans the books, chapters and (the first `limit`) pages of a folder. Throws LoadError where it does not exist. */
export async function planFolder(folder: string, limit = Number.POSITIVE_INFINITY): Promise<Plan> {
  const tree = await readTree(folder);
  const notes = [...tree.skipped];
  const texts: PageSource[] = [];
  for (const file of tree.files.slice(0, limit)) {
    try {
      const text = readPage(tree, file);
      texts.push(text);
      notes.push(...text.notes);
    } catch (cause) {
      notes.push(`"${file.path}" cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
  return {
    root: tree.root,
    name: tree.name,
    images: tree.images,
    others: tree.others,
    ...planItems(tree, texts),
    notes,
  };
}

function planItems(tree: Tree, texts: readonly PageSource[]): Pick<Plan, "books" | "chapters" | "pages"> {
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
 * Priorities of pages and chapters by path. A number in the front matter is used unchanged; index pages without one get 0;
 * all others follow the highest number in order of name.
 */
function prioritiesOf(texts: readonly PageSource[]): Map<string, number> {
  const groups = new Map<string, Map<string, Sibling>>();
  const put = (parent: string, sibling: Sibling) => {
    const group = groups.get(parent) ?? new Map<string, Sibling>();
    groups.set(parent, group.set(sibling.path, sibling));
  };
  for (const { file, order } of texts) {
    put(file.chapter ?? file.book, { path: file.path, order });
    if (file.chapter !== undefined) put(file.book, { path: file.chapter, order: undefined });
  }
  return new Map([...groups.values()].flatMap((group) => priorityEntries([...group.values()])));
}

function priorityEntries(siblings: readonly Sibling[]): [string, number][] {
  const highest = Math.max(0, ...siblings.map(({ order }) => order ?? 0));
  const unnumbered = siblings.filter(({ path, order }) => order === undefined && !isIndex(path));
  const sorted = unnumbered.sort((a, b) => compareNames(a.path, b.path));
  const ranks = new Map(sorted.map(({ path }, index) => [path, highest + index + 1]));
  return siblings.map(({ path, order }) => [path, order ?? ranks.get(path) ?? 0]);
}
