/**
 * The tree of a book: its chapters, folded but the present one, with their pages. A screen shows a window of it that stands at the
 * present entry: the entries around it, as many as fit into a number of bytes, so that the tree of a book of any size is as small as that of a book of
 * forty pages. Folded chapters and what is before and behind a window are links to the screens that show them; scripts (`tree.js`) put what
 * those links lead to into the tree in their place. Nothing here asks the store: the outline of the book has all entries that the reader sees.
 */
import {
  bookPath,
  type ContentKind,
  chapterPath,
  kindLabels,
  type OutlineEntry,
  outlineEntries,
  pagePath,
  type Ui,
  type Web,
} from "lectern/contracts";
import { type Html, html, type PluginContext } from "lectern/core";
import { PART_SIZE } from "../_contents/parts.ts";
import { windowAround } from "../_contents/windows.ts";
import type { Book } from "./api_types.ts";
import { DRAFTS_API, mayDo } from "./item_actions.ts";
import { searchWithin } from "./search_within.ts";

/** What trees are drawn with. */
export type TreeContext = Pick<PluginContext, "slot">;

/** The entry whose screen is shown. */
export type Present = Pick<OutlineEntry, "type" | "id">;

/** Bytes of the entries beside a screen: those of the present chapter, and in all. */
const [CHAPTER_BYTES, TREE_BYTES] = [3_400, 5_200];
/** Entries before the present one: few, so that it is in sight without scripts that scroll. */
const [BEFORE_PAGE, BEFORE_CHAPTER] = [8, 4];
const MAX_ENTRIES = 60;

/** Some entries of a list, from an index on. */
interface Slice {
  readonly list: readonly OutlineEntry[];
  readonly from: number;
  readonly to: number;
}

/** The path of an entry's screen; of a draft, that of its editor; undefined for entries of other plugins, which have a URL. */
export function entryPath(book: Pick<Book, "slug">, { type, id, slug, draft }: OutlineEntry): string | undefined {
  if (type === "chapter") return chapterPath(book, { slug });
  if (type !== "page") return undefined;
  return draft ? `${bookPath(book)}/draft/${id}` : pagePath(book, { slug });
}

/** Draws the tree of one book for a reader. */
export class Tree {
  readonly #kinds: readonly ContentKind[];
  readonly #book: Book;
  readonly #present: Present | undefined;
  readonly #ui: Ui;

  constructor({ slot }: TreeContext, book: Book, ui: Ui, present?: Present) {
    this.#kinds = slot("content");
    this.#book = book;
    this.#present = present;
    this.#ui = ui;
  }

  /** The window that stands at the present entry, beside its screen. */
  aside(): Html {
    const { url, t, icon } = this.#ui;
    const book = this.#book;
    return html`<nav class="tree-side" aria-label="${t("Book contents")}"><details class="fold"><summary>${t("Contents")}</summary>
<p><a class="aside-title" href="${url(bookPath(book))}">${icon("book")} <strong>${book.name}</strong></a></p>${searchWithin("book", book.id, this.#ui)}
${this.#area(html`<ul>${this.#window()}</ul>`)}${this.#newPage()}</details></nav>`;
  }

  /** A part of the book's own entries, or of a chapter's pages, as the content of a screen. `isOpen` shows chapters with their pages. */
  list(entries: readonly OutlineEntry[], isOpen = false): Html {
    return this.#area(html`<ul>${entries.map((entry) => this.#entry(entry, isOpen ? whole(entry) : undefined))}</ul>`);
  }

  /** Entries before or from an index on, of a chapter or of the book itself, with links to what is beyond them. */
  more(
    chapter: OutlineEntry | undefined,
    { before, from }: { readonly before: number | undefined; readonly from: number | undefined },
  ): Html {
    const list = chapter?.pages ?? (chapter ? [] : outlineEntries(this.#book));
    const to = Math.min(list.length, before ?? (from ?? 0) + PART_SIZE);
    const slice = {
      list,
      to,
      from: Math.min(to, Math.max(0, before === undefined ? (from ?? 0) : before - PART_SIZE)),
    };
    const [isUp, isDown] = [before !== undefined, before === undefined];
    return html`<ul>${isUp && this.#earlier(slice, chapter)}${this.#entries(slice)}${isDown && this.#later(slice, chapter)}</ul>`;
  }

  /** The link to a new page beside the present one, or in the present chapter. */
  #newPage(): Html | false {
    const ui = this.#ui;
    const chapter = outlineEntries(this.#book).find(
      (entry) => entry.pages && (this.#isPresent(entry) || entry.pages.some((page) => this.#isPresent(page))),
    );
    const path = `${chapter ? chapterPath(this.#book, chapter) : bookPath(this.#book)}/create-page`;
    const may = mayDo(ui, "page-create", this.#book) && ui.serves(path) && ui.serves(DRAFTS_API);
    return may && html`<p class="tree-new"><a href="${ui.url(path)}">${ui.icon("plus")} ${ui.t("New page")}</a></p>`;
  }

  #isPresent({ type, id }: OutlineEntry): boolean {
    return this.#present?.type === type && this.#present.id === id;
  }

  /** The element that scripts find the tree by. */
  #area(lists: Html): Html {
    const ui = this.#ui;
    const path = `${bookPath(this.#book)}/tree`;
    const mayMove = mayMoveIn(this.#book, ui);
    // For scripts: what they may do, and the texts that they say.
    const menu = (mayMove || mayActIn(ui)) && html` data-menu="${ui.t("Actions for “:name”", { name: ":name" })}"`;
    const moves = mayMove && html` data-moved="${ui.t("“:name” is moved.", { name: ":name" })}"`;
    return html`<div class="tree" data-tree="${ui.url(path)}"${menu}${moves}>${lists}</div>`;
  }

  #window(): Html {
    const top = outlineEntries(this.#book);
    const isPresent = (entry: OutlineEntry) => this.#isPresent(entry);
    const within = this.#present?.type === "chapter" ? -1 : top.findIndex(isPresent);
    const at = within < 0 ? top.findIndex((entry) => isPresent(entry) || entry.pages?.some(isPresent)) : within;
    const chapter = top[at]?.pages ? top[at] : undefined;
    const pages = chapter?.pages ?? [];
    const bytesOf = (entry: OutlineEntry) => Buffer.byteLength(this.#entry(entry).toString());
    const size = { before: BEFORE_PAGE, entries: MAX_ENTRIES, bytes: CHAPTER_BYTES, bytesOf };
    const inner = { list: pages, ...windowAround(pages, pages.findIndex(isPresent), size) };
    const outer = {
      list: top,
      ...windowAround(top, at, {
        ...size,
        before: chapter ? BEFORE_CHAPTER : BEFORE_PAGE,
        bytes: TREE_BYTES - inner.bytes,
      }),
    };
    return html`${this.#earlier(outer)}${top
      .slice(outer.from, outer.to)
      .map((entry) => this.#entry(entry, entry === chapter ? inner : undefined))}${this.#later(outer)}`;
  }

  #entries({ list, from, to }: Slice): readonly Html[] {
    return list.slice(from, to).map((entry) => this.#entry(entry));
  }

  /** An entry; a chapter with the pages that are shown of it, or folded. */
  #entry(entry: OutlineEntry, shown?: Slice): Html {
    const { type, id, name, draft, url, pages = [] } = entry;
    const ui = this.#ui;
    const path = entryPath(this.#book, entry);
    const icon = path === undefined && ui.icon(kindLabels(this.#kinds, type).icon ?? "page");
    const link = html`<a href="${path === undefined ? url : ui.url(path)}"${this.#isPresent(entry) && html` aria-current="page"`}>${icon}${name}${draft && html` <em>(${ui.t("Draft")})</em>`}</a>`;
    const own = html`<li data-entry="${type}:${id}">${link}`;
    if (type !== "chapter" || path === undefined || pages.length === 0) return html`${own}</li>`;
    const held = shown
      ? html`${this.#earlier(shown, entry)}${this.#entries(shown)}${this.#later(shown, entry)}`
      : html`<li><a class="more" href="${ui.url(path)}" data-more="chapter=${id}">${ui.t("Pages: :count", { count: pages.length })}</a></li>`;
    return html`${own}<details${shown && html` open`}><summary aria-label="${ui.t("Pages of “:name”", { name })}"></summary><ul>${held}</ul></details></li>`;
  }

  /** The link to what is before a slice. */
  #earlier({ from }: Slice, chapter?: OutlineEntry): Html | false {
    return (
      from > 0 &&
      this.#beyond(this.#ui.t("Earlier entries: :count", { count: from }), {
        chapter,
        at: from - 1,
        query: `before=${from}`,
      })
    );
  }

  /** The link to what is behind a slice. */
  #later({ list, to }: Slice, chapter?: OutlineEntry): Html | false {
    const count = list.length - to;
    return (
      count > 0 &&
      this.#beyond(this.#ui.t("Later entries: :count", { count }), { chapter, at: to, query: `from=${to}` })
    );
  }

  /** A link to the part with the entry `at`, on the screen of the book or chapter. */
  #beyond(
    text: string,
    { chapter, at, query }: { chapter: OutlineEntry | undefined; at: number; query: string },
  ): Html {
    const book = this.#book;
    const path = `${chapter ? chapterPath(book, chapter) : bookPath(book)}?page=${Math.floor(at / PART_SIZE) + 1}`;
    const wanted = chapter ? `chapter=${chapter.id}&${query}` : query;
    return html`<li><a class="more" href="${this.#ui.url(path)}" data-more="${wanted}">${text}</a></li>`;
  }
}

/** Whether the reader may move entries within the tree. */
export function mayMoveIn(book: Book, ui: Ui): boolean {
  const isServed = ui.serves(`${bookPath(book)}/tree`, "POST") && ui.serves("/api/books/0/order/entry", "PUT");
  return isServed && mayDo(ui, "book-update", book);
}

/** Whether the reader may do something with some entries, so that these have menus. */
function mayActIn(ui: Ui): boolean {
  const verbs = ["create", "update", "delete"].flatMap((verb) => [`page-${verb}`, `chapter-${verb}`]);
  return [...verbs, "restrictions-manage"].some((verb) => ui.may(`${verb}-all`) || ui.may(`${verb}-own`));
}

/** All pages of a chapter. */
function whole({ pages: list = [] }: OutlineEntry): Slice {
  return { list, from: 0, to: list.length };
}

/** Links from a part of a list to those before and behind it, which a screen at `path` shows. */
export function partLinks(
  { parts }: Pick<Web, "parts">,
  path: string,
  { page, total }: { readonly page: number; readonly total: number },
  ui: Ui,
): Html {
  return parts.pager(ui, { path, query: {}, total, page, size: PART_SIZE });
}
