/**
 * New pages: begun in a book or chapter, from its template where it has one. Several may be begun at once, in one place and
 * by one author; each has a draft of its own, and those that were never saved are offered again.
 */
import { bookPath, chapterPath, pagePath, type Visit } from "lectern/core";
import { type Drafts, type EditorData, EMPTY, type Source } from "./editor.ts";
import { type Book, bookOf, type Chapter, chapterOf, type Page } from "./find.ts";
import { previewOf, typedIn } from "./typed.ts";

type Kind = "book" | "chapter";

interface Place {
  readonly kind: Kind;
  readonly id: number;
  readonly path: string;
  readonly book: Book;
  readonly template: number | null;
}

const SLOT = /^[A-Za-z0-9_-]{1,40}$/;

/** An editor for a new page: what was begun under the slot that is asked for, else a fresh one. */
export async function blank(visit: Visit, kind: Kind): Promise<EditorData> {
  const place = await placeOf(visit, kind);
  const asked = visit.query.slot;
  const slot = typeof asked === "string" && SLOT.test(asked) ? asked : crypto.randomUUID();
  const { draft, drafts } = await visit.get<Drafts>(`${draftsOf(place)}?slot=${slot}`);
  const data = { ...newPage(visit, place, slot), begun: drafts.filter((one) => one.slot !== slot) };
  if (draft) {
    const source: Source = draft.html === "" ? "markdown" : "html";
    const content = source === "html" ? draft.html : draft.markdown;
    return { ...data, name: draft.name, source, content, tags: draft.tags, draftOf: draft.updated_at };
  }
  const template = place.template ? await visit.find<Page>(`/api/pages/${place.template}`) : undefined;
  if (!template) return { ...data, source: visit.query.source === "html" ? "html" : "markdown" };
  const source: Source = template.markdown === "" ? "html" : "markdown";
  const content = source === "html" ? template.raw_html : template.markdown;
  return { ...data, source, content, preview: template.html };
}

/** Makes the page of a form, or answers the editor with what is wrong. */
export async function saveNew(visit: Visit, kind: Kind): Promise<EditorData | Response> {
  const place = await placeIn(visit, kind);
  const { name, source, content, tags } = typedIn(visit);
  const slot = SLOT.test(visit.text("slot")) ? visit.text("slot") : crypto.randomUUID();
  const data = { ...newPage(visit, place, slot), name, source, content, tags };
  const draft = { name, [source]: content, tags: tags as never, slot };
  if (visit.text("act") === "preview") {
    await visit.send("PUT", draftsOf(place), draft);
    return { ...data, preview: await previewOf(visit, source, content) };
  }
  const sent = await visit.send<Page>("POST", "/api/pages", {
    name,
    // A page may begin empty, which the API takes for no content at all.
    ...(content === "" ? { html: "<p></p>" } : { [source]: content }),
    tags: tags as never,
    [place.kind === "book" ? "book_id" : "chapter_id"]: place.id,
  });
  if (sent.ok) {
    await visit.send("DELETE", `${draftsOf(place)}?slot=${slot}`);
    return visit.goTo(pagePath(place.book, sent.body), visit.ui.t("“:name” is made.", { name: sent.body.name }));
  }
  await visit.send("PUT", draftsOf(place), draft);
  return { ...data, sent, preview: await previewOf(visit, source, content) };
}

function draftsOf({ kind, id }: Place): string {
  return `/api/drafts/${kind}/${id}`;
}

function newPage(visit: Visit, { kind, id, path }: Place, slot: string): EditorData {
  return {
    ...EMPTY,
    title: visit.ui.t("New page"),
    about: `${kind}/${id}`,
    action: `${path}/create-page`,
    back: path,
    slot,
  };
}

async function placeOf(visit: Visit, kind: Kind): Promise<Place> {
  if (kind === "book") return inBook(await bookOf(visit));
  const { book, chapter } = await chapterOf(visit);
  return inChapter(book, chapter);
}

/** The place a form is about: by its number, as its address may have changed since. Throws 404. */
async function placeIn(visit: Visit, kind: Kind): Promise<Place> {
  const [, id] = new RegExp(`^${kind}/(\\d{1,10})$`).exec(visit.text("about")) ?? [];
  if (id === undefined) return placeOf(visit, kind);
  if (kind === "book") return inBook(await visit.get<Book>(`/api/books/${id}`));
  const chapter = await visit.get<Chapter>(`/api/chapters/${id}`);
  return inChapter(await visit.get<Book>(`/api/books/${chapter.book_id}`), chapter);
}

function inBook(book: Book): Place {
  return { kind: "book", id: book.id, path: bookPath(book), book, template: book.default_template_id };
}

function inChapter(book: Book, chapter: Chapter): Place {
  const template = chapter.default_template_id ?? book.default_template_id;
  return { kind: "chapter", id: chapter.id, path: chapterPath(book, chapter), book, template };
}
