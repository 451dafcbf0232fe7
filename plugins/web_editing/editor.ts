/**
 * The editor of pages: Markdown or HTML source beside a preview, what is typed kept as a draft on the server. Who saves
 * over somebody else's change is told of it first, shown what differs, and keeps every word.
 */
import { ApiError, type PluginContext, pagePath, type Screen, type Sent, type Visit, type Web } from "lectern/core";
import { drawEditor } from "./editor_view.ts";
import type { NamedTag } from "./fields.ts";
import { type Book, type Page, pageOf } from "./find.ts";
import { blank, saveNew } from "./new_page.ts";
import { previewOf, typedIn } from "./typed.ts";

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
  readonly sent: Sent<unknown> | undefined;
  /** Tells a new page apart from others that are begun in the same place; "" for a change. */
  readonly slot: string;
  /** Other new pages that were begun in this place and not saved. */
  readonly begun: Drafts["drafts"];
  /** When the draft that is shown was kept; undefined where what is saved is shown. */
  readonly draftOf: string | undefined;
  readonly others: readonly { readonly user: { readonly name: string } | null; readonly updated_at: string }[];
  /** What somebody else saved meanwhile, to be compared with the content. */
  readonly conflict: { readonly by: string; readonly at: string; readonly content: string } | undefined;
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
    readonly updated_at: string;
  } | null;
  /** Everything of the reader's that is unsaved in one place. */
  readonly drafts: readonly { readonly slot: string; readonly name: string; readonly updated_at: string }[];
  readonly others: EditorData["others"];
}

/** Mounts the editor. `scripts`: those of its screens. */
export function mountEditor({ site }: Pick<PluginContext, "site">, web: Web, scripts: readonly string[]): void {
  const view = web.view<EditorData>("editing/page", (data, ui) => drawEditor(web, data, ui));
  const shown = (visit: Visit, data: EditorData): Screen => {
    const preview = data.preview === undefined ? undefined : web.dressed(visit.ui, data.preview);
    const body = view({ ...data, preview: preview?.html }, visit.ui);
    const status = data.sent && !data.sent.ok ? data.sent.status : 200;
    return { title: data.title, body, menu: "/books", scripts, status, style: preview?.style };
  };
  const screen = (path: string, read: (visit: Visit) => Promise<EditorData>, save: Saving): void => {
    web.screen(site, path, "user", async (visit) => shown(visit, await read(visit)));
    web.form(site, path, "user", async (visit) => {
      const answer = await save(visit).catch((error: unknown) => homeless(visit, error));
      return answer instanceof Response ? answer : shown(visit, answer);
    });
  };
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

type Saving = (visit: Visit) => Promise<EditorData | Response>;

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
    sent: { ok: false, status, message, faults: {} },
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
  others: [],
  conflict: undefined,
} as const;

/** The editor of a page as it is saved, or as the reader left it. */
async function present(visit: Visit): Promise<EditorData> {
  const { book, page } = await pageOf(visit);
  const { draft, others } = await visit.get<Drafts>(`/api/drafts/page/${page.id}`);
  const wished = visit.query.source;
  const own: Source = page.markdown === "" && page.editor !== "markdown" ? "html" : "markdown";
  const source = wished === "html" || wished === "markdown" ? wished : own;
  const data = await ofPage(visit, book, page, source);
  if (!draft || wished !== undefined) return { ...data, others };
  const isMarkdown = draft.markdown !== "" || (draft.html === "" && own === "markdown");
  const base = draft.base_revision ?? page.revision_count;
  const kept: EditorData = {
    ...data,
    name: draft.name,
    source: isMarkdown ? "markdown" : "html",
    content: isMarkdown ? draft.markdown : draft.html,
    tags: draft.tags,
    base: page.revision_count,
    draftOf: draft.updated_at,
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
  const { name, source, content, tags } = typedIn(visit);
  const base = Number(visit.text("base_revision"));
  const data: EditorData = { ...(await ofPage(visit, book, page, source)), name, content, tags, base };
  const draft = { name, [source]: content, tags: tags as never, base_revision: base };
  if (visit.text("act") === "preview") {
    await visit.send("PUT", `/api/drafts/page/${page.id}`, draft);
    return { ...data, preview: await previewOf(visit, source, content) };
  }
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
  // Whatever was wrong, what was typed stays on the server as well as in the form.
  await visit.send("PUT", `/api/drafts/page/${page.id}`, draft);
  const preview = await previewOf(visit, source, content);
  if (sent.status !== 409) return { ...data, sent, preview };
  return { ...data, sent, preview, base: page.revision_count, conflict: conflictWith(page, source) };
}
