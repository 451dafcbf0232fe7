/**
 * New pages in a book or chapter, from its default template where it has one. A user can start several in the same place; each
 * has its own draft, and unsaved drafts are listed in the editor.
 */
import { bookPath, chapterPath, type Visit } from "lectern/contracts";
import { type Drafts, type EditorData, EMPTY, type Source } from "./editor.ts";
import { editorInput, previewOf, saveDraft } from "./editor_input.ts";
import { imagesIn, uploadAll, withImages } from "./image_uploads.ts";
import { type Book, bookOf, type Chapter, chapterOf, type Page } from "./items.ts";
import { chosenEditor } from "./rich_view.ts";
import { isSaving, refusal, savedAnswer } from "./save_answer.ts";

type Kind = "book" | "chapter";

interface Place {
  readonly kind: Kind;
  readonly id: number;
  readonly path: string;
  readonly book: Book;
  readonly template: number | null;
}

const SLOT = /^[A-Za-z0-9_-]{1,40}$/;

/** The editor of a new page: the draft of the requested slot, else the template or an empty page. */
export async function blankEditor(visit: Visit, kind: Kind): Promise<EditorData> {
  const place = await placeOf(visit, kind);
  const requested = visit.query.slot;
  const slot = typeof requested === "string" && SLOT.test(requested) ? requested : crypto.randomUUID();
  const { draft, drafts } = await visit.get(`${draftsOf(place)}?slot=${slot}`);
  const data = { ...newPage(visit, place, slot), begun: drafts.filter((one) => one.slot !== slot) };
  if (draft) {
    const typed = sourceOf(draft);
    const { name, tags, updated_at, page_id } = draft;
    const preview = await previewOf(visit, typed.source, typed.content);
    return { ...data, ...typed, name, tags, preview, draftOf: updated_at, keptAt: updated_at, pageId: page_id };
  }
  const template = place.template ? await visit.findItem("page", { id: place.template }) : undefined;
  if (!template) return { ...data, source: await newSource(visit) };
  const source: Source = template.markdown === "" ? "html" : "markdown";
  const content = source === "html" ? template.raw_html : template.markdown;
  return { ...data, source, content, preview: template.html };
}

/** The format of a new page: the requested one, else the one that fits the editor that the user has chosen. */
async function newSource(visit: Visit): Promise<Source> {
  const { source } = visit.query;
  if (source === "html" || source === "markdown") return source;
  return (await chosenEditor(visit)) === "rich" ? "html" : "markdown";
}

/** Creates the page of a form, or returns the editor with the errors. */
export async function saveNew(visit: Visit, kind: Kind): Promise<EditorData | Response> {
  const place = await placeIn(visit, kind);
  const submitted = await formOf(visit, place);
  refusal(visit, submitted.sent ?? (submitted.conflict && publishedOrGone(visit)));
  if (submitted.conflict || submitted.sent)
    return { ...submitted, preview: await previewOf(visit, submitted.source, submitted.content) };
  const form = await withUploads(visit, place, submitted);
  if (form.sent || form.pictureErrors.length > 0 || !isSaving(visit)) return formWithDraft(visit, place, form);
  const { name, source, content, tags, summary, pageId, slot } = form;
  const sent = await visit.send("POST", "/api/pages", {
    name,
    // The API rejects empty content, so an empty page gets an empty paragraph.
    ...(content === "" ? { html: "<p></p>" } : { [source]: content }),
    tags,
    ...(summary === "" ? {} : { summary }),
    [place.kind === "book" ? "book_id" : "chapter_id"]: place.id,
    ...(pageId === null ? {} : { draft_id: pageId }),
  });
  refusal(visit, sent);
  if (!sent.ok) return formWithDraft(visit, place, { ...form, sent });
  await visit.send("DELETE", `${draftsOf(place)}?slot=${slot}`);
  const notice = visit.ui.t("“:name” is created.", { name: sent.body.name });
  return savedAnswer(visit, { book: place.book, page: sent.body, notice });
}

/**
 * The submitted form, compared with its draft on the server. Where another window has changed the draft, the form has a conflict;
 * where one has saved it as a page or discarded it, an error, so that no second page is created by accident.
 */
async function formOf(visit: Visit, place: Place): Promise<EditorData> {
  const typed = await editorInput(visit);
  const slot = SLOT.test(visit.text("slot")) ? visit.text("slot") : crypto.randomUUID();
  const data: EditorData = { ...newPage(visit, place, slot), ...typed, summary: visit.text("summary") };
  const { draft } = await visit.get(`${draftsOf(place)}?slot=${slot}`);
  if (!draft) return visit.text("kept_at") === "" ? data : { ...data, sent: publishedOrGone(visit) };
  const known = { ...data, keptAt: draft.updated_at, pageId: draft.page_id };
  const { content } = sourceOf(draft);
  if (draft.updated_at === visit.text("kept_at") || content === typed.content) return known;
  return { ...known, conflict: { at: draft.updated_at, content } };
}

function publishedOrGone({ ui }: Visit): EditorData["sent"] {
  const message = ui.t(
    "This draft was saved as a page or discarded in another window. The text below is not saved. Save it again to create another page.",
  );
  return { ok: false, status: 409, message, errors: {} };
}

/** Uploads the images of the form to its draft page, which is created for them. */
async function withUploads(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const images = imagesIn(visit);
  if (images.length === 0) return form;
  const kept = await withDraft(visit, place, form);
  if (kept.sent || kept.pageId === null) return kept;
  const { text, errors } = await uploadAll(visit, kept.pageId, { images, source: form.source });
  return { ...kept, content: withImages(form.content, text), pictureErrors: errors };
}

/** The form again, with its input saved as a draft. */
async function formWithDraft(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const kept = await withDraft(visit, place, form);
  return { ...kept, sent: form.sent ?? kept.sent, preview: await previewOf(visit, form.source, form.content) };
}

async function withDraft(visit: Visit, place: Place, form: EditorData): Promise<EditorData> {
  const sent = await saveDraft(visit, draftsOf(place), form);
  if (!sent.ok) return { ...form, sent };
  const { updated_at = "", page_id = null } = sent.body.draft ?? {};
  return { ...form, keptAt: updated_at, pageId: page_id };
}

/** The path of the editor of a draft page; undefined for a published page, and for a draft that has no entry in the drafts API. */
export async function editorOfDraft(visit: Visit, page: Page): Promise<string | undefined> {
  if (!page.draft) return undefined;
  const book = await visit.item("book_outline", { id: page.book_id });
  const place = page.chapter_id === null ? inBook(book) : inChapter(book, await chapterBy(visit, page.chapter_id));
  const { draft } = await visit.get(`${draftsOf(place)}?page_id=${page.id}`);
  return draft ? `${place.path}/create-page?slot=${draft.slot}` : undefined;
}

function chapterBy(visit: Visit, id: number): Promise<Chapter> {
  return visit.item("chapter", { id });
}

function sourceOf({
  html,
  markdown,
}: NonNullable<Drafts["draft"]>): Pick<EditorData, "source" | "content" | "written"> {
  const isMarkdown = markdown !== "" || html === "";
  return isMarkdown
    ? { source: "markdown", content: markdown, written: html }
    : { source: "html", content: html, written: "" };
}

function draftsOf({ kind, id }: Place) {
  return `/api/drafts/${kind}/${id}` as const;
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

/** The place of a form: by its id, as its URL may have changed. Throws 404. */
async function placeIn(visit: Visit, kind: Kind): Promise<Place> {
  const [, id] = new RegExp(`^${kind}/(\\d{1,10})$`).exec(visit.text("about")) ?? [];
  if (id === undefined) return placeOf(visit, kind);
  if (kind === "book") return inBook(await visit.item("book_outline", { id: Number(id) }));
  const chapter = await chapterBy(visit, Number(id));
  return inChapter(await visit.item("book_outline", { id: chapter.book_id }), chapter);
}

function inBook(book: Book): Place {
  return { kind: "book", id: book.id, path: bookPath(book), book, template: book.default_template_id };
}

function inChapter(book: Book, chapter: Chapter): Place {
  const template = chapter.default_template_id ?? book.default_template_id;
  return { kind: "chapter", id: chapter.id, path: chapterPath(book, chapter), book, template };
}
