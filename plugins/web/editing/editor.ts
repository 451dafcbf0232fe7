/**
 * The editor of pages: Markdown or HTML source beside a preview, what is typed kept as a draft on the server. Who saves
 * over somebody else's change is told of it first, shown what differs, and keeps every word.
 */
import { type Comparison, pagePath, type Screen, type SubmitResult, type Visit, type Web } from "lectern/contracts";
import { ApiError, type PluginContext } from "lectern/core";
import { keepTyped, previewOf, typedIn } from "./editor_input.ts";
import { drawEditor } from "./editor_view.ts";
import type { NamedTag } from "./fields.ts";
import { picturesIn, uploadAll, withPictures } from "./image_uploads.ts";
import { type Book, type Page, pageOf } from "./items.ts";
import { blank, editorOfDraft, saveNew } from "./new_page.ts";

/** Source in which a page is written. */
export type Source = "markdown" | "html";

/** What the editor shows. */
export interface EditorData {
  readonly title: string;
  /** The kind and number of what the draft is about: "page/12", or "book/3" for a new page. */
  readonly about: string;
  readonly action: string;
  readonly back: string;
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  readonly tags: readonly NamedTag[];
  /** The revision that is changed; undefined for a new page. */
  readonly base: number | undefined;
  readonly preview: string | undefined;
  readonly sent: SubmitResult<unknown> | undefined;
  /** Tells a new page apart from others that are begun in the same place; "" for a change. */
  readonly slot: string;
  /** Other new pages that were begun in this place and not saved. */
  readonly begun: Drafts["drafts"];
  /** When the draft that is shown was kept; undefined where what is saved is shown. */
  readonly draftOf: string | undefined;
  /** The updated_at of the draft that the form replaces; "" where there is none yet. */
  readonly keptAt: string;
  /** The page that pictures are uploaded to: the one that is changed, or the draft page of a new one once it was kept. */
  readonly pageId: number | null;
  /** Pictures that were not taken, and why. */
  readonly pictureErrors: readonly string[];
  readonly others: readonly { readonly user: { readonly name: string } | null; readonly updated_at: string }[];
  /** What somebody saved meanwhile, to be compared with the content; `by` is undefined for another window of the reader's. */
  readonly conflict: { readonly by: string | undefined; readonly at: string; readonly content: string } | undefined;
  /** That content compared with what is typed. */
  readonly comparison?: Comparison | undefined;
}

/** What the API tells of drafts. */
export interface Drafts {
  readonly draft: {
    readonly slot: string;
    readonly tags: readonly NamedTag[];
    readonly name: string;
    readonly html: string;
    readonly markdown: string;
    readonly base_revision: number | null;
    readonly page_id: number | null;
    readonly updated_at: string;
  } | null;
  /** Everything of the reader's that is unsaved in one place. */
  readonly drafts: readonly { readonly slot: string; readonly name: string; readonly updated_at: string }[];
  readonly others: EditorData["others"];
}

/** Mounts the editor. `scripts`: those of its screens; `limitMb`: the largest picture. */
export function mountEditor(
  { site }: Pick<PluginContext, "site">,
  web: Web,
  { scripts, limitMb }: { readonly scripts: readonly string[]; readonly limitMb: number },
): void {
  const view = web.view<EditorData>("editing/page", (data, ui) => drawEditor(web, { ...data, limitMb }, ui));
  const shown = async (visit: Visit, data: EditorData): Promise<Screen> => {
    const { conflict, content } = data;
    const preview = data.preview === undefined ? undefined : await web.decorate(visit.ui, data.preview);
    const comparison = conflict && (await web.compare(visit.ui, conflict.content, content));
    const body = view({ ...data, preview: preview?.html, comparison }, visit.ui);
    const status = data.sent && !data.sent.ok ? data.sent.status : 200;
    return { title: data.title, body, menu: "/books", scripts, status, style: preview?.style };
  };
  const screen = (path: string, read: Reading, save: Reading): void => {
    const drawn = (visit: Visit, answer: EditorData | Response) =>
      answer instanceof Response ? answer : shown(visit, answer);
    web.screen(site, path, "user", async (visit) => drawn(visit, await read(visit)));
    web.form(
      site,
      path,
      "user",
      async (visit) => drawn(visit, await save(visit).catch((error: unknown) => homeless(visit, error))),
      WRITTEN,
    );
  };
  web.screen(site, "/books/:book/draft/:id", "user", openDraft);
  screen("/books/:book/page/:page/edit", present, saveChange);
  screen(
    "/books/:book/create-page",
    (visit) => blank(visit, "book"),
    (visit) => saveNew(visit, "book"),
  );
  screen(
    "/books/:book/chapter/:chapter/create-page",
    (visit) => blank(visit, "chapter"),
    (visit) => saveNew(visit, "chapter"),
  );
}

type Reading = (visit: Visit) => Promise<EditorData | Response>;

/** What a person writes in the form, with its labels. */
const WRITTEN = { name: "Name", content: "Content", tags: "Tags" } as const;

/** The address that the API tells of a draft page leads to where it is written. */
async function openDraft(visit: Visit): Promise<Response> {
  const page = await visit.get<Page>(`/api/pages/${encodeURIComponent(visit.params.id ?? "")}`);
  const book = await visit.get<Book>(`/api/books/${page.book_id}`);
  return visit.goTo((await editorOfDraft(visit, page)) ?? pagePath(book, page));
}

/** What was typed for a page or place that is gone or hidden by now: said so, with every word still there to be taken. */
function homeless(visit: Visit, error: unknown): EditorData {
  if (!(error instanceof ApiError)) throw error;
  const { status, message } = error;
  const typed = typedIn(visit);
  return {
    ...EMPTY,
    ...typed,
    title: visit.ui.t("Your text is still here"),
    about: "none/0",
    action: new URL(visit.request.url).pathname,
    back: "/books",
    sent: { ok: false, status, message, errors: {} },
  };
}

/** An editor in which nothing was typed. */
export const EMPTY = {
  name: "",
  source: "markdown",
  content: "",
  tags: [],
  base: undefined,
  preview: undefined,
  sent: undefined,
  slot: "",
  begun: [],
  draftOf: undefined,
  keptAt: "",
  pageId: null,
  pictureErrors: [],
  others: [],
  conflict: undefined,
} as const;

/** The editor of a page as it is saved, or as the reader left it. */
async function present(visit: Visit): Promise<EditorData | Response> {
  const { book, page } = await pageOf(visit);
  const editor = await editorOfDraft(visit, page);
  if (editor !== undefined) return visit.goTo(editor);
  const { draft, others } = await visit.get<Drafts>(`/api/drafts/page/${page.id}`);
  const wished = visit.query.source;
  const own: Source = page.markdown === "" && page.editor !== "markdown" ? "html" : "markdown";
  const source = wished === "html" || wished === "markdown" ? wished : own;
  const data = await ofPage(visit, book, page, source);
  // Who wishes for the other source leaves the draft behind, and knows so.
  if (!draft || wished !== undefined) return { ...data, keptAt: draft?.updated_at ?? "", others };
  const isMarkdown = draft.markdown !== "" || (draft.html === "" && own === "markdown");
  const base = draft.base_revision ?? page.revision_count;
  const typed = isMarkdown
    ? ({ source: "markdown", content: draft.markdown } as const)
    : ({ source: "html", content: draft.html } as const);
  const kept: EditorData = {
    ...data,
    ...typed,
    name: draft.name,
    tags: draft.tags,
    base: page.revision_count,
    preview: await previewOf(visit, typed.source, typed.content),
    draftOf: draft.updated_at,
    keptAt: draft.updated_at,
    others,
  };
  return base === page.revision_count ? kept : { ...kept, conflict: conflictWith(page, kept.source) };
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
    preview: page.html,
    pageId: page.id,
  };
}

/** The content in a source; a page of the other source is turned into Markdown as an export would. */
async function contentOf(visit: Visit, page: Page, source: Source): Promise<string> {
  if (source === "html") return page.raw_html;
  if (page.markdown !== "" || page.raw_html === "") return page.markdown;
  const response = await visit.ask("GET", `/api/pages/${page.id}/export/markdown`);
  const text = response.ok ? await response.text() : page.raw_html;
  // The export begins with the name of the page.
  return text.replace(/^# .*\n+/, "");
}

function conflictWith(page: Page, source: Source): EditorData["conflict"] {
  const content = source === "markdown" && page.markdown !== "" ? page.markdown : page.raw_html;
  return { by: page.updated_by?.name ?? "", at: page.updated_at, content };
}

/** The page a form is about: by its number, as its address may have changed since. Throws 404. */
async function pageIn(visit: Visit): Promise<{ book: Book; page: Page }> {
  const [, id] = /^page\/(\d{1,10})$/.exec(visit.text("about")) ?? [];
  if (id === undefined) return pageOf(visit);
  const page = await visit.get<Page>(`/api/pages/${id}`);
  return { page, book: await visit.get<Book>(`/api/books/${page.book_id}`) };
}

async function saveChange(visit: Visit): Promise<EditorData | Response> {
  const { book, page } = await pageIn(visit);
  const typed = typedIn(visit);
  const { name, source, tags } = typed;
  const added = await uploadAll(visit, page.id, { pictures: picturesIn(visit), source });
  const content = withPictures(typed.content, added.text);
  const base = Number(visit.text("base_revision"));
  const data: EditorData = {
    ...(await ofPage(visit, book, page, source)),
    ...{ name, content, tags, base },
    keptAt: visit.text("kept_at"),
    pictureErrors: added.errors,
  };
  // Whatever was wrong, what was typed stays on the server as well as in the form.
  const again = async (sent?: EditorData["sent"]): Promise<EditorData> => {
    const kept = await keepTyped(visit, `/api/drafts/page/${page.id}`, data);
    const preview = await previewOf(visit, source, content);
    const now = { ...data, sent: sent ?? (kept.ok ? undefined : kept), preview };
    return kept.ok ? { ...now, keptAt: kept.body.draft.updated_at } : now;
  };
  if (visit.text("act") !== "save" || added.errors.length > 0) return again();
  const sent = await visit.send<Page>("PUT", `/api/pages/${page.id}`, {
    name,
    [source]: content,
    tags: tags as never,
    ...(Number.isInteger(base) && base > 0 ? { base_revision: base } : {}),
  });
  if (sent.ok) {
    await visit.send("DELETE", `/api/drafts/page/${page.id}`);
    return visit.goTo(pagePath(book, sent.body), visit.ui.t("The page is saved."));
  }
  const kept = await again(sent);
  return sent.status === 409 ? { ...kept, base: page.revision_count, conflict: conflictWith(page, source) } : kept;
}
