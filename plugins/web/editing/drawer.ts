/**
 * What the drawer of the editor shows beside the text: the place of the page, its owner, and which other parts there are. Place and owner
 * are fields of the form, so they work without scripts and change when the page is saved; the API checks permissions.
 */
import { pagePath, type Visit } from "lectern/contracts";
import type { Book, Page } from "./items.ts";

/** Books, and chapters of the book, that are offered as places; the screen of moving offers all. */
const OFFERED = 100;
/** People that are offered as owners, as on the screen of permissions. */
const MAX_OWNERS = 500;

/** Choices of a select: values with their texts. */
type Choices = readonly (readonly [value: string | number, text: string])[];

/** Data of the drawer. */
export interface DrawerData {
  /** The names of the book and the chapter. */
  readonly place: readonly string[];
  /** Where the page can be moved to; empty where the writer may not move it. */
  readonly targets: Choices;
  readonly target: string;
  /** The place that the page had when the form was opened. */
  readonly placed: string;
  /** The path of the page; undefined for a new one. */
  readonly path: string | undefined;
  readonly owner: string | undefined;
  /** Possible owners; empty where the writer may not change the owner. */
  readonly owners: Choices;
  readonly ownerId: string;
  /** The owner when the form was opened. */
  readonly ownedBy: string;
}

/** The drawer of the editor of an item, such as "page/12", or "book/3" for a new page; undefined where it is gone. */
export async function drawerFor(visit: Visit, about: string): Promise<DrawerData | undefined> {
  const [, kind, id] = /^(page|chapter|book)\/(\d{1,10})$/.exec(about) ?? [];
  if (id === undefined) return undefined;
  if (kind === "page") {
    const page = await visit.findItem("page", { id: Number(id) });
    const book = page && (await visit.findItem("book_outline", { id: page.book_id }));
    return book && drawerOfPage(visit, book, page);
  }
  const chapter = kind === "chapter" ? await visit.findItem("chapter", { id: Number(id) }) : undefined;
  const book = await visit.findItem("book_outline", { id: chapter?.book_id ?? Number(id) });
  if (!book || (kind === "chapter" && !chapter)) return undefined;
  const place = chapter ? [book.name, chapter.name] : [book.name];
  return {
    place,
    targets: [],
    target: "",
    placed: "",
    path: undefined,
    owner: undefined,
    owners: [],
    ownerId: "",
    ownedBy: "",
  };
}

async function drawerOfPage(visit: Visit, book: Book, page: Page): Promise<DrawerData> {
  const chapter = page.chapter_id === null ? undefined : await visit.findItem("chapter", { id: page.chapter_id });
  const owner = page.owned_by;
  const chosen = visit.text("target");
  return {
    place: chapter ? [book.name, chapter.name] : [book.name],
    targets: mayMove(visit, page) ? await targetsFor(visit, book) : [],
    target: chosen === "" ? placeOf(page) : chosen,
    placed: visit.text("placed") || placeOf(page),
    path: pagePath(book, page),
    owner: owner?.name,
    owners: await ownersFor(visit, page),
    ownerId: visit.text("owner_id") || String(owner?.id ?? ""),
    ownedBy: visit.text("owned_by") || String(owner?.id ?? ""),
  };
}

function placeOf({ book_id, chapter_id }: Page): string {
  return chapter_id === null ? `book:${book_id}` : `chapter:${chapter_id}`;
}

/** Whether the writer may move the page: it is deleted in one place and created in another. */
function mayMove({ ui }: Visit, page: Page): boolean {
  const isOwn = ui.isViewer(page.owned_by?.id);
  const mayCreate = ui.may("page-create-all") || ui.may("page-create-own");
  return mayCreate && (ui.may("page-delete-all") || (isOwn && ui.may("page-delete-own")));
}

async function targetsFor(visit: Visit, book: Book): Promise<Choices> {
  const [chapters, books] = await Promise.all([
    visit.get(`/api/chapters?filter[book_id]=${book.id}&sort=priority&count=${OFFERED}`),
    visit.get(`/api/books?sort=name&count=${OFFERED}`),
  ]);
  const others = books.data.filter(({ id }) => id !== book.id);
  return [
    [`book:${book.id}`, book.name],
    ...chapters.data.map(({ id, name }) => [`chapter:${id}`, `${book.name} › ${name}`] as const),
    ...others.map(({ id, name }) => [`book:${id}`, name] as const),
  ];
}

/** Possible owners, as the screen of permissions offers them. */
async function ownersFor(visit: Visit, page: Page): Promise<Choices> {
  const { ui } = visit;
  const isOwn = ui.isViewer(page.owned_by?.id);
  const may = ui.may("restrictions-manage-all") || (isOwn && ui.may("restrictions-manage-own"));
  if (!may || !ui.serves("/api/content-permissions/page/0")) return [];
  const people = await visit.find(`/api/users?count=${MAX_OWNERS}&sort=name`);
  return people?.data.map(({ id, name }) => [id, name] as const) ?? [];
}

/**
 * Changes the owner of a saved page where the writer has chosen another one than the form was opened with, so that one whom others have
 * set meanwhile stays; returns the error of the API, if any.
 */
export async function changeOwner(visit: Visit, page: Page): Promise<string | undefined> {
  const owner = visit.text("owner_id");
  if (["", visit.text("owned_by"), String(page.owned_by?.id ?? "")].includes(owner)) return undefined;
  const sent = await visit.send("PUT", `/api/content-permissions/page/${page.id}`, { owner_id: owner });
  return sent.ok ? undefined : (Object.values(sent.errors).flat()[0] ?? sent.message);
}

/** The book of a page that may have been moved. */
export async function bookOfSaved(visit: Visit, former: Book, saved: { readonly book_id: number }): Promise<Book> {
  return saved.book_id === former.id ? former : visit.item("book_outline", { id: saved.book_id });
}
