/**
 * The page editor: Markdown or HTML source beside a preview, with drafts on the server. A page that others have saved since is merged
 * by `conflict.ts`.
 */
import {
  type Answers,
  type Comparison,
  pagePath,
  type Screen,
  type SubmitResult,
  type Toolbar,
  type Visit,
} from "lectern/contracts";
import { ApiError, type Html, html, idOf } from "lectern/core";
import { EDITOR_STYLE } from "./bar_view.ts";
import { type Conflicts, conflictsOf, dropDraft } from "./conflict.ts";
import type { EditingContext } from "./contract.ts";
import { type NewerPage, newsOf } from "./draft_news.ts";
import { bookOfSaved, changeOwner, type DrawerData, drawerFor } from "./drawer.ts";
import { baseIn, editorInput, previewOf, saveDraft, typedInput } from "./editor_input.ts";
import { drawEditor } from "./editor_view.ts";
import type { NamedTag } from "./fields.ts";
import { chooseImage, imagesIn, PICTURE_STYLE, uploadAll, withImages } from "./image_uploads.ts";
import { type Book, type Page, pageOf } from "./items.ts";
import { blankEditor, editorOfDraft, saveNew } from "./new_page.ts";
import { placeIn } from "./places.ts";
import { type EditorChoice, editorFor, RICH_STYLE } from "./rich_view.ts";
import { isByScript, isSaving, refusal, savedAnswer } from "./save_answer.ts";
import { SOURCE_STYLE } from "./source_view.ts";

/** The source format of a page. */
export type Source = "markdown" | "html";

/** Data of the editor. */
export interface EditorData {
  readonly title: string;
  /** What the draft belongs to, by kind and id: "page/12", or "book/3" for a new page. */
  readonly about: string;
  readonly action: string;
  readonly back: string;
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  /** What the rich editor wrote in a draft in Markdown, of which `content` may have lost something; "" where it did not. */
  readonly written: string;
  readonly tags: readonly NamedTag[];
  /** The note of the change, which its revision keeps. */
  readonly summary: string;
  /** The revision that the text was made from, whatever others have saved since; undefined for a new page. */
  readonly base: number | undefined;
  /** The tags that the page had then; undefined where they are not known. */
  readonly baseTags: readonly NamedTag[] | undefined;
  readonly preview: string | undefined;
  readonly sent: SubmitResult<unknown> | undefined;
  /** Distinguishes the drafts of new pages in the same place; "" for an existing page. */
  readonly slot: string;
  /** Other unsaved drafts of new pages in this place. */
  readonly begun: readonly Drafts["drafts"][number][];
  /** When the shown draft was saved; undefined where the saved page is shown. */
  readonly draftOf: string | undefined;
  /** The updated_at of the draft that the form replaces; "" where there is none yet. */
  readonly keptAt: string;
  /** The page that images are uploaded to: the edited page, or the draft page of a new one once it was saved. */
  readonly pageId: number | null;
  /** Errors of images that were not accepted. */
  readonly pictureErrors: readonly string[];
  readonly others: readonly Drafts["others"][number][];
  /** The page as it was saved since the base. */
  readonly newer: NewerPage | undefined;
  /** The draft of a new page that the user has changed in another window. */
  readonly conflict: { readonly at: string; readonly content: string } | undefined;
  /** The comparison of that draft with the content. */
  readonly comparison?: Comparison | undefined;
}

/** The editor with what other plugins add to it. */
export interface EditorScreenData extends EditorData {
  readonly toolbar: Toolbar;
  /** Further buttons of the formatting toolbar. */
  readonly formatting: Html;
  /** Further choices of the menu of the rich editor. */
  readonly insertions: Html;
  /** The editor that opens. */
  readonly editor: EditorChoice;
  /** Undefined where the page, or the place of a new one, is gone. */
  readonly drawer: DrawerData | undefined;
}

/** The answer of the API about drafts. */
export type Drafts = Answers[`/api/drafts/${string}/${number}`];

/** Mounts the editor. */
export function mountEditor(context: EditingContext): void {
  const { app, markup, web, scripts, limitMb } = context;
  const view = web.view("editing/page", (data, ui) => drawEditor(web, { ...data, limitMb, scripts }, ui));
  web.places("editor/formatting", "editor/insert", "editor/toolbar");
  const conflicts = conflictsOf(context);
  const shown = async (visit: Visit, data: EditorData): Promise<Screen> => {
    const { conflict, content } = data;
    const markdown = data.source === "markdown" ? content : "";
    const preview = data.preview === undefined ? undefined : await web.decorate(visit.ui, data.preview, markdown);
    const comparison = conflict && (await markup.compare(conflict.content, content, { viewer: visit.viewer }));
    const toolbar = await web.toolbar("editor/toolbar", data, visit);
    const formatting = html`${await web.addedParts("editor/formatting", data, visit)}`;
    const insertions = html`${chooseImage(visit.ui)}${await web.addedParts("editor/insert", data, visit)}`;
    const editor = await editorFor(visit, data.source);
    const drawer = await drawerFor(visit, data.about);
    const drawn = { ...data, preview: preview?.html, comparison, toolbar, formatting, insertions, editor, drawer };
    const loaded = [
      ...[scripts.htmx, scripts.editor, scripts.save, scripts.drawer, scripts.tags, scripts.images, scripts.conflict],
      ...(editor.mode === "rich" || editor.canSwitch ? [scripts.rich] : []),
      // Where the rich editor opens, it loads this one when the writer changes to it.
      ...(editor.mode === "source" ? [scripts.source] : []),
    ];
    return {
      title: data.title,
      body: view(drawn, visit.ui),
      menu: "/books",
      scripts: loaded,
      status: data.sent && !data.sent.ok ? data.sent.status : 200,
      style: `${preview?.style ?? ""}${EDITOR_STYLE}${RICH_STYLE}${PICTURE_STYLE}${SOURCE_STYLE}`,
    };
  };
  const screen = (path: string, read: Load, save: Load): void => {
    const respond = (visit: Visit, answer: Awaited<ReturnType<Load>>) =>
      answer instanceof Response || "body" in answer ? answer : shown(visit, answer);
    web.screen(app.site, path, "user", async (visit) => respond(visit, await read(visit)));
    web.form(
      app.site,
      path,
      "user",
      async (visit) => respond(visit, await save(visit).catch((error: unknown) => withoutPlace(visit, error))),
      WRITTEN_FIELDS,
    );
  };
  web.screen(app.site, "/books/:book/draft/:id", "user", openDraft);
  screen("/books/:book/page/:page/edit", editPage, (visit) => saveChange(visit, conflicts));
  screen(
    "/books/:book/create-page",
    (visit) => blankEditor(visit, "book"),
    (visit) => saveNew(visit, "book"),
  );
  screen(
    "/books/:book/chapter/:chapter/create-page",
    (visit) => blankEditor(visit, "chapter"),
    (visit) => saveNew(visit, "chapter"),
  );
}

type Load = (visit: Visit) => Promise<EditorData | Response | Screen>;

/** The fields that a user writes in, with their labels; see `Web.form`. */
const WRITTEN_FIELDS = { name: "Name", content: "Content", tags: "Tags", summary: "What did you change?" } as const;

/** The URL of a draft page in the API leads to its editor. */
async function openDraft(visit: Visit): Promise<Response> {
  const page = await visit.item("page", { id: idOf(visit.params.id ?? "", "Page") });
  const book = await visit.item("book_outline", { id: page.book_id });
  return visit.goTo((await editorOfDraft(visit, page)) ?? pagePath(book, page));
}

/** The form of a page or place that was deleted or hidden: the error, with the submitted text to copy. */
function withoutPlace(visit: Visit, error: unknown): EditorData {
  if (!(error instanceof ApiError) || isByScript(visit)) throw error;
  const { status, message } = error;
  const typed = typedInput(visit);
  return {
    ...EMPTY,
    ...typed,
    summary: visit.text("summary"),
    title: visit.ui.t("Your text is still here"),
    about: "none/0",
    action: new URL(visit.request.url).pathname,
    back: "/books",
    sent: { ok: false, status, message, errors: {} },
  };
}

/** An empty editor. */
export const EMPTY = {
  name: "",
  source: "markdown",
  content: "",
  written: "",
  tags: [],
  summary: "",
  base: undefined,
  baseTags: undefined,
  preview: undefined,
  sent: undefined,
  slot: "",
  begun: [],
  draftOf: undefined,
  keptAt: "",
  pageId: null,
  pictureErrors: [],
  others: [],
  newer: undefined,
  conflict: undefined,
} as const;

/** The editor with the saved page, or with the draft of the user. */
async function editPage(visit: Visit): Promise<EditorData | Response> {
  const { book, page } = await pageOf(visit);
  const editor = await editorOfDraft(visit, page);
  if (editor !== undefined) return visit.goTo(editor);
  const drafts = await visit.get(`/api/drafts/page/${page.id}`);
  const { draft, others } = drafts;
  const requested = visit.query.source;
  const own: Source = page.markdown === "" && page.editor !== "markdown" ? "html" : "markdown";
  const source = requested === "html" || requested === "markdown" ? requested : own;
  const data = await ofPage(visit, book, page, source);
  // Switching the source discards the draft, as the link says.
  if (!draft || requested !== undefined) return { ...data, keptAt: draft?.updated_at ?? "", others };
  const isMarkdown = draft.markdown !== "" || (draft.html === "" && own === "markdown");
  const typed = isMarkdown
    ? ({ source: "markdown", content: draft.markdown } as const)
    : ({ source: "html", content: draft.html } as const);
  return {
    ...data,
    ...typed,
    written: isMarkdown ? draft.html : "",
    name: draft.name,
    tags: draft.tags,
    base: draft.base_revision ?? page.revision_count,
    baseTags: draft.base_tags ?? undefined,
    newer: newsOf(visit, drafts).newer ?? undefined,
    preview: await previewOf(visit, typed.source, typed.content),
    draftOf: draft.updated_at,
    keptAt: draft.updated_at,
    others,
  };
}

async function ofPage(visit: Visit, book: Book, page: Page, source: Source): Promise<EditorData> {
  return {
    ...EMPTY,
    title: visit.ui.t("Edit “:name”", { name: page.name }),
    about: `page/${page.id}`,
    action: `${pagePath(book, page)}/edit`,
    back: pagePath(book, page),
    name: page.name,
    source,
    content: await contentOf(visit, page, source),
    tags: page.tags ?? [],
    base: page.revision_count,
    baseTags: page.tags ?? [],
    preview: page.html,
    pageId: page.id,
  };
}

/** The content in a source format. HTML becomes Markdown by an export. */
async function contentOf(visit: Visit, page: Page, source: Source): Promise<string> {
  if (source === "html") return page.raw_html;
  if (page.markdown !== "" || page.raw_html === "") return page.markdown;
  const response = await visit.call("GET", `/api/pages/${page.id}/export/markdown`);
  const text = response.ok ? await response.text() : page.raw_html;
  // The export starts with the name of the page.
  return text.replace(/^# .*\n+/, "");
}

/** The page of a form: by its id, as its URL may have changed. Throws 404. */
async function pageIn(visit: Visit): Promise<{ book: Book; page: Page }> {
  const [, id] = /^page\/(\d{1,10})$/.exec(visit.text("about")) ?? [];
  if (id === undefined) return pageOf(visit);
  const page = await visit.item("page", { id: Number(id) });
  return { page, book: await visit.item("book_outline", { id: page.book_id }) };
}

async function saveChange(visit: Visit, conflicts: Conflicts): Promise<EditorData | Response | Screen> {
  const place = await pageIn(visit);
  const { book, page } = place;
  const typed = await editorInput(visit);
  const { name, source, tags } = typed;
  const added = await uploadAll(visit, page.id, { images: imagesIn(visit), source });
  const content = withImages(typed.content, added.text);
  const submitted = { ...{ name, source, content, tags }, keptAt: visit.text("kept_at"), ...baseIn(visit) };
  const data: EditorData = {
    ...(await ofPage(visit, book, page, source)),
    ...submitted,
    summary: visit.text("summary"),
    pictureErrors: added.errors,
  };
  // The input stays in the form, and on the server as a draft.
  const showAgain = async (sent?: EditorData["sent"]): Promise<EditorData> => {
    const saved = await saveDraft(visit, `/api/drafts/page/${page.id}`, data);
    const preview = await previewOf(visit, source, content);
    const form = { ...data, sent: sent ?? (saved.ok ? undefined : saved), preview };
    if (!saved.ok) return form;
    const { newer } = newsOf(visit, saved.body);
    return { ...form, keptAt: saved.body.draft?.updated_at ?? "", newer: newer ?? undefined };
  };
  const act = visit.text("act");
  if (act === "resolve") return conflicts.resolve(visit, place, submitted);
  if (act === "settle") {
    const merged = await conflicts.settle(visit, place, submitted);
    if ("body" in merged) return merged;
    return { ...data, ...merged, preview: await previewOf(visit, merged.source, merged.content) };
  }
  if (!isSaving(visit) || added.errors.length > 0) return showAgain();
  const sent = await visit.send("PUT", `/api/pages/${page.id}`, {
    name,
    [source]: content,
    tags,
    ...placeIn(visit),
    ...(data.summary === "" ? {} : { summary: data.summary }),
    ...(submitted.base === undefined ? {} : { base_revision: submitted.base }),
  });
  if (sent.ok) {
    await dropDraft(visit, page.id, submitted);
    const notice = (await changeOwner(visit, page)) ?? visit.ui.t("The page is saved.");
    return savedAnswer(visit, { book: await bookOfSaved(visit, book, sent.body), page: sent.body, notice });
  }
  const answer = sent.status === 409 ? await conflicts.save(visit, place, submitted) : undefined;
  if (answer) return answer;
  refusal(visit, sent);
  return showAgain(sent);
}
