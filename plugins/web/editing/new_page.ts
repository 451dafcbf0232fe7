/**
 * New pages: begun in a book or chapter, from its template where it has one. Several may be begun at once, in one place and
 * by one author; each has a draft of its own, and those that were never saved are offered again.
 */
import { bookPath, chapterPath, pagePath, type Visit } from "lectern/contracts";
import { type Drafts, type EditorData, EMPTY, type Source } from "./editor.ts";
import { keepTyped, previewOf, typedIn } from "./editor_input.ts";
import { picturesIn, uploadAll, withPictures } from "./image_uploads.ts";
import { type Book, bookOf, type Chapter, chapterOf, type Page } from "./items.ts";

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
    const { source, content } = sourceOf(draft);
    const { name, tags, updated_at, page_id } = draft;
    const preview = await previewOf(visit, source, content);
    return { ...data, name, source, content, tags, preview, draftOf: updated_at, keptAt: updated_at, pageId: page_id };
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
  const typed = await formOf(visit, place);
  if (typed.conflict || typed.sent) return { ...typed, preview: await previewOf(visit, typed.source, typed.content) };
  const form = await uploaded(visit, place, typed);
  if (form.sent || form.pictureErrors.length > 0 || visit.text("act") !== "save") return keptForm(visit, place, form);
  const { name, source, content, tags, pageId, slot } = form;
  const sent = await visit.send<Page>("POST", "/api/pages", {
    name,
    // A page may begin empty, which the API takes for no content at all.
    ...(content === "" ? { html: "<p></p>" } : { [source]: content }),
    tags: tags as never,
    [place.kind === "book" ? "book_id" : "chapter_id"]: place.id,
    ...(pageId === null ? {} : { draft_id: pageId }),
  });
  if (!sent.ok) return keptForm(visit, place, { ...form, sent });
  await visit.send("DELETE", `${draftsOf(place)}?slot=${slot}`);
  return visit.goTo(pagePath(place.book, sent.body), visit.ui.t("“:name” is created.", { name: sent.body.name }));
}

/**
 * A form as it was sent, beside the draft that is kept by now: where another window has changed it, that is a conflict. Where
 * one has published or discarded it, that is said before a second page is made.
 */
async function formOf(visit: Visit, place: Place): Promise<EditorData> {
  const typed = typedIn(visit);
  const slot = SLOT.test(visit.text("slot")) ? visit.text("slot") : crypto.randomUUID();
  const data: EditorData = { ...newPage(visit, place, slot), ...typed };
  const { draft } = await visit.get<Drafts>(`${draftsOf(place)}?slot=${slot}`);
  if (!draft) return visit.text("kept_at") === "" ? data : { ...data, sent: publishedOrGone(visit) };
  const known = { ...data, keptAt: draft.updated_at, pageId: draft.page_id };
  const { content } = sourceOf(draft);
  if (draft.updated_at === visit.text("kept_at") || content === typed.content) return known;
  return { ...known, conflict: { by: undefined, at: draft.updated_at, content } };
}

function publishedOrGone({ ui }: Visit): EditorData["sent"] {
  const message = ui.t(
    "This draft was saved as a page or discarded in another window. The text below is not saved. Save it again to create another page.",
  );
  return { ok: false, status: 409, message, errors: {} };
}

/** The form with the pictures that were chosen in it uploaded to its draft page, which is made for them. */
async function uploaded(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const pictures = picturesIn(visit);
  if (pictures.length === 0) return form;
  const kept = await keptDraft(visit, place, form);
  if (kept.sent || kept.pageId === null) return kept;
  const { text, errors } = await uploadAll(visit, kept.pageId, { pictures, source: form.source });
  return { ...kept, content: withPictures(form.content, text), pictureErrors: errors };
}

/** The form again, kept as a draft: whatever was wrong, what was typed stays on the server as well as in the form. */
async function keptForm(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const kept = await keptDraft(visit, place, form);
  return { ...kept, sent: form.sent ?? kept.sent, preview: await previewOf(visit, form.source, form.content) };
}

async function keptDraft(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const sent = await keepTyped(visit, draftsOf(place), form);
  if (!sent.ok) return { ...form, sent };
  const { updated_at, page_id } = sent.body.draft;
  return { ...form, keptAt: updated_at, pageId: page_id };
}

/** The address of the editor for a draft page; undefined for a page that is published or was not begun here. */
export async function editorOfDraft(visit: Visit, page: Page): Promise<string | undefined> {
  if (!page.draft) return undefined;
  const book = await visit.get<Book>(`/api/books/${page.book_id}`);
  const place = page.chapter_id === null ? inBook(book) : inChapter(book, await chapterBy(visit, page.chapter_id));
  const { draft } = await visit.get<Drafts>(`${draftsOf(place)}?page_id=${page.id}`);
  return draft ? `${place.path}/create-page?slot=${draft.slot}` : undefined;
}

function chapterBy(visit: Visit, id: number): Promise<Chapter> {
  return visit.get<Chapter>(`/api/chapters/${id}`);
}

function sourceOf(draft: NonNullable<Drafts["draft"]>): { source: Source; content: string } {
  return draft.html === "" ? { source: "markdown", content: draft.markdown } : { source: "html", content: draft.html };
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
  const chapter = await chapterBy(visit, Number(id));
  return inChapter(await visit.get<Book>(`/api/books/${chapter.book_id}`), chapter);
}

function inBook(book: Book): Place {
  return { kind: "book", id: book.id, path: bookPath(book), book, template: book.default_template_id };
}

function inChapter(book: Book, chapter: Chapter): Place {
  const template = chapter.default_template_id ?? book.default_template_id;
  return { kind: "chapter", id: chapter.id, path: chapterPath(book, chapter), book, template };
}
