/**
 * Screens of shelves, books and chapters: lists and contents. Lists are paged and sorted by name. The API leaves out what the
 * viewer may not see.
 */
import {
  bookPath,
  chapterPath,
  type OutlineEntry,
  outlineEntries,
  type ScreenItem,
  shelfPath,
  type Ui,
} from "lectern/contracts";
import { type Html, html } from "lectern/core";
import { flatPartOf, PART_SIZE } from "../_contents/parts.ts";
import type { Book, Chapter } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";
import { crumbsIn, holdersOf, shelvesOf } from "./crumbs.ts";
import {
  DRAFTS_API,
  emptyMessage,
  exportActions,
  itemToolbar,
  mayDo,
  NOTHING_ADDED,
  PERMISSIONS_API,
} from "./item_actions.ts";
import { description, history, tagList } from "./item_details.ts";
import { previewOf } from "./preview.ts";
import { searchWithin } from "./search_within.ts";
import { partLinks, Tree } from "./tree.ts";

/** A book or shelf in a list of tiles. */
export interface Tile extends ScreenItem {
  readonly cover?: { readonly url: string } | null;
}

/** Texts and actions of the lists. */
const LISTS = [
  {
    segment: "books",
    view: "reading/books",
    title: "Books",
    icon: "book",
    empty: "There are no books that you can view.",
    create: { path: "/create-book", text: "New book", permission: "book-create" },
    pathOf: bookPath,
  },
  {
    segment: "shelves",
    view: "reading/shelves",
    title: "Shelves",
    icon: "shelf",
    empty: "There are no shelves that you can view.",
    create: { path: "/create-shelf", text: "New shelf", permission: "bookshelf-create" },
    pathOf: shelfPath,
  },
] as const;

/** Books or shelves as tiles, with their covers. */
export function tiles(items: readonly Tile[], icon: string, pathOf: (item: { slug: string }) => string, ui: Ui): Html {
  return html`<ul class="tiles">${items.map(
    (item) =>
      html`<li><a href="${ui.url(pathOf(item))}"><span class="cover${!item.cover && ` hue-${hueOf(item.name)}`}">${
        item.cover ? html`<img src="${item.cover.url}" alt="" loading="lazy">` : ui.icon(icon)
      }</span><strong>${item.name}</strong>${item.description ? html`<small>${item.description}</small>` : ""}</a></li>`,
  )}</ul>`;
}

/** Colours of covers, each with a class of the style sheet. */
const HUES = 12n;

/** The colour of an item without a cover, by its name. */
function hueOf(name: string): string {
  return String(BigInt(Bun.hash(name)) % HUES);
}

/** Data of the lists of books and shelves. */
export interface TilesData {
  readonly items: readonly Tile[];
  readonly pager: Html;
}

/** Mounts the screens. */
export function mountContainers(context: ReadingContext): void {
  mountLists(context);
  mountShelf(context);
  mountBook(context);
  mountChapter(context);
}

function mountLists({ app, web }: ReadingContext): void {
  const { parts } = web;
  for (const { segment, view: name, title, icon, empty, create, pathOf } of LISTS) {
    const view = web.view(name, ({ items, pager }, ui) => {
      const may = ui.may(`${create.permission}-all`) || ui.may(`${create.permission}-own`);
      const action = { path: create.path, text: ui.t(create.text), icon: "plus", may };
      return html`<div class="head-line"><h1>${ui.t(title)}</h1>${items.length > 0 && parts.toolbar(ui, itemToolbar([action], [], NOTHING_ADDED, ui))}</div>
${items.length === 0 ? emptyMessage(ui.t(empty), [action], ui) : tiles(items, icon, pathOf, ui)}${pager}`;
    });
    web.screen(app.site, `/${segment}`, "reader", async (visit) => {
      const { page, size, query } = web.paged(visit.query);
      const { data, total } = await visit.get(`/api/${segment}?sort=name&${query}`);
      const pager = parts.pager(visit.ui, { path: `/${segment}`, query: visit.query, total, page, size });
      return { title: visit.ui.t(title), body: view({ items: data, pager }, visit.ui) };
    });
  }
}

function mountShelf({ app, baseUrl, web }: ReadingContext): void {
  const view = web.view("reading/shelf", ({ shelf, books, toolbar, added }, ui) => {
    const path = shelfPath(shelf);
    const mayFill = mayDo(ui, "bookshelf-update", shelf);
    const newBook = {
      path: `${path}/create-book`,
      text: ui.t("New book"),
      icon: "plus",
      may: mayFill && (ui.may("book-create-all") || ui.may("book-create-own")),
    };
    const actionList = [
      ...(books.length === 0 ? [] : [newBook]),
      { path: `${path}/edit`, text: ui.t("Edit"), icon: "edit", may: mayDo(ui, "bookshelf-update", shelf) },
      {
        path: `${path}/permissions`,
        text: ui.t("Permissions"),
        icon: "lock",
        may: mayDo(ui, "restrictions-manage", shelf),
        needs: PERMISSIONS_API,
      },
    ];
    const more = [
      {
        path: `${path}/delete`,
        text: ui.t("Delete"),
        icon: "delete",
        may: mayDo(ui, "bookshelf-delete", shelf),
        isDialog: true,
      },
    ];
    const addBooks = {
      path: `${path}/edit`,
      text: ui.t("Add books"),
      icon: "plus",
      may: mayFill,
    };
    return html`<div class="head-line"><h1>${shelf.name}</h1>${web.parts.toolbar(ui, itemToolbar(actionList, more, toolbar, ui))}</div>
${description(shelf, ui)}${tagList(shelf.tags, ui)}${books.length > 0 && searchWithin("shelf", shelf.id, ui)}
${books.length === 0 ? emptyMessage(ui.t("This shelf has no books that you can view."), [newBook, addBooks], ui) : tiles(books, "book", bookPath, ui)}
${added}${history(shelf, ui)}`;
  });
  web.screen(app.site, "/shelves/:shelf", "reader", async (visit) => {
    const shelf = await visit.item("bookshelf", { slug: visit.params.shelf ?? "" });
    const books = await visit.items("book", { ids: shelf.books.map(({ id }) => id) });
    const crumbs = [{ text: visit.ui.t("Shelves"), path: "/shelves" }, { text: shelf.name }];
    const toolbar = await web.toolbar("shelf/toolbar", shelf, visit);
    const added = html`${await web.addedParts("shelf/below", shelf, visit)}`;
    const preview = previewOf({ baseUrl }, { text: shelf.description, picture: shelf.cover?.url }, visit.ui);
    return {
      title: shelf.name,
      crumbs,
      preview,
      menu: "/shelves",
      body: view({ shelf, books, toolbar, added }, visit.ui),
    };
  });
}

function mountBook({ app, baseUrl, slot, treeScript, web }: ReadingContext): void {
  const view = web.view("reading/book", ({ book, part, toolbar, added }, ui) => {
    const path = bookPath(book);
    const mayWrite = (permission: string) => mayDo(ui, permission, book);
    const writing = [
      {
        path: `${path}/create-page`,
        text: ui.t("New page"),
        icon: "plus",
        may: mayWrite("page-create"),
        needs: DRAFTS_API,
      },
      { path: `${path}/create-chapter`, text: ui.t("New chapter"), icon: "plus", may: mayWrite("chapter-create") },
    ];
    const edit = { path: `${path}/edit`, text: ui.t("Edit"), icon: "edit", may: mayWrite("book-update") };
    const actionList = part.total === 0 ? [edit] : [...writing, edit];
    const more = [
      ...exportActions(path, ui),
      {
        path: `${path}/copy`,
        text: ui.t("Copy"),
        icon: "copy",
        may: ui.may("book-create-all") && ui.serves("/api/books/0/copy", "POST"),
      },
      {
        path: `${path}/convert-to-shelf`,
        text: ui.t("Convert to shelf"),
        icon: "shelf",
        may:
          mayWrite("book-update") &&
          mayWrite("book-delete") &&
          ui.may("bookshelf-create-all") &&
          ui.may("book-create-all") &&
          ui.serves("/api/books/0/convert-to-shelf", "POST"),
        isDialog: true,
      },
      {
        path: `${path}/sort`,
        text: ui.t("Sort"),
        icon: "move",
        may: mayWrite("book-update") && ui.serves("/api/books/0/order", "PUT"),
      },
      {
        path: `${path}/permissions`,
        text: ui.t("Permissions"),
        icon: "lock",
        may: mayWrite("restrictions-manage"),
        needs: PERMISSIONS_API,
      },
      { path: `${path}/delete`, text: ui.t("Delete"), icon: "delete", may: mayWrite("book-delete"), isDialog: true },
    ];
    return html`<div class="head-line"><h1>${book.name}</h1>${web.parts.toolbar(ui, itemToolbar(actionList, more, toolbar, ui))}</div>
${book.cover && html`<img class="book-cover" src="${book.cover.url}" alt="">`}${shelvesOf(book, ui)}${description(book, ui)}${tagList(book.tags, ui)}
<nav class="book-contents" aria-label="${ui.t("Contents")}"><div class="head-line"><h2>${ui.t("Contents")}</h2>${part.total > 0 && searchWithin("book", book.id, ui)}</div>${
      part.total === 0
        ? emptyMessage(ui.t("This book is empty."), writing, ui)
        : html`${new Tree({ slot }, book, ui).list(part.entries, isShort(book))}${partLinks(web, path, part, ui)}`
    }</nav>${added}${history(book, ui)}`;
  });
  web.screen(app.site, "/books/:book", "reader", {
    async read(visit) {
      const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
      // The part that is shown: screens are kept by it, and queries may name any.
      return { book, number: flatPartOf(outlineEntries(book), web.paged(visit.query).page).page };
    },
    async draw({ book, number }, visit) {
      const added = html`${await web.addedParts("book/below", book, visit)}`;
      const crumbs = [...holdersOf(book, visit.ui), { text: book.name }];
      const toolbar = await web.toolbar("book/toolbar", book, visit);
      const body = view({ book, part: flatPartOf(outlineEntries(book), number), toolbar, added }, visit.ui);
      const preview = previewOf({ baseUrl }, { text: book.description, picture: book.cover?.url }, visit.ui);
      return { title: book.name, crumbs, preview, menu: "/books", scripts: [treeScript], body };
    },
  });
}

function mountChapter({ app, baseUrl, slot, treeScript, web }: ReadingContext): void {
  const view = web.view("reading/chapter", ({ book, chapter, part, toolbar, added }, ui) => {
    const path = chapterPath(book, chapter);
    const mayWrite = (permission: string) => mayDo(ui, permission, chapter);
    const write = {
      path: `${path}/create-page`,
      text: ui.t("New page"),
      icon: "plus",
      may: mayWrite("page-create"),
      needs: DRAFTS_API,
    };
    const edit = { path: `${path}/edit`, text: ui.t("Edit"), icon: "edit", may: mayWrite("chapter-update") };
    const actionList = part.total === 0 ? [edit] : [write, edit];
    const more = [
      ...exportActions(path, ui),
      {
        path: `${path}/copy`,
        text: ui.t("Copy"),
        icon: "copy",
        may:
          (ui.may("chapter-create-all") || ui.may("chapter-create-own")) && ui.serves("/api/chapters/0/copy", "POST"),
      },
      { path: `${path}/move`, text: ui.t("Move"), icon: "move", may: mayWrite("chapter-update") },
      {
        path: `${path}/convert-to-book`,
        text: ui.t("Convert to book"),
        icon: "book",
        may:
          mayWrite("chapter-update") &&
          mayWrite("chapter-delete") &&
          ui.may("book-create-all") &&
          ui.serves("/api/chapters/0/convert-to-book", "POST"),
        isDialog: true,
      },
      {
        path: `${path}/permissions`,
        text: ui.t("Permissions"),
        icon: "lock",
        may: mayWrite("restrictions-manage"),
        needs: PERMISSIONS_API,
      },
      { path: `${path}/delete`, text: ui.t("Delete"), icon: "delete", may: mayWrite("chapter-delete"), isDialog: true },
    ];
    return html`<div class="head-line"><h1>${chapter.name}</h1>${web.parts.toolbar(ui, itemToolbar(actionList, more, toolbar, ui))}</div>
${description(chapter, ui)}${tagList(chapter.tags, ui)}
${
  part.total === 0
    ? emptyMessage(ui.t("This chapter is empty."), [write], ui)
    : html`${new Tree({ slot }, book, ui).list(part.entries)}${partLinks(web, path, part, ui)}`
}${added}${history(chapter, ui)}`;
  });
  web.screen(app.site, "/books/:book/chapter/:chapter", "reader", {
    async read(visit) {
      const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
      const chapter = await visit.item("chapter", { slug: visit.params.chapter ?? "", within: book.id });
      return { book, chapter, number: flatPartOf(pagesOf(book, chapter), web.paged(visit.query).page).page };
    },
    async draw({ book, chapter, number }, visit) {
      const crumbs = [...crumbsIn(book, visit.ui), { text: chapter.name }];
      const aside = new Tree({ slot }, book, visit.ui, { type: "chapter", id: chapter.id }).aside();
      const toolbar = await web.toolbar("chapter/toolbar", chapter, visit);
      const added = html`${await web.addedParts("chapter/below", chapter, visit)}`;
      const body = view({ book, chapter, part: flatPartOf(pagesOf(book, chapter), number), toolbar, added }, visit.ui);
      const preview = previewOf({ baseUrl }, { text: chapter.description }, visit.ui);
      return { title: chapter.name, crumbs, preview, menu: "/books", aside, scripts: [treeScript], body };
    },
  });
}

/** Whether all of a book is shown at once, chapters with their pages. */
function isShort(book: Book): boolean {
  const entries = outlineEntries(book);
  return entries.length + entries.reduce((sum, { pages = [] }) => sum + pages.length, 0) <= PART_SIZE;
}

/** The entries of a chapter in its book's outline. */
function pagesOf(book: Book, { id }: Pick<Chapter, "id">): readonly OutlineEntry[] {
  return outlineEntries(book).find((entry) => entry.type === "chapter" && entry.id === id)?.pages ?? [];
}
