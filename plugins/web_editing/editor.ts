/**
 * The editor of pages: Markdown or HTML source beside a preview, what is typed kept as a draft on the server. Who saves
 * over somebody else's change is told of it first, shown what differs, and keeps every word.
 */
import {
  type Html,
  html,
  type PluginContext,
  type Screen,
  type Sent,
  type View,
  type Visit,
  type Web,
} from "lectern/core";
import { drawEditor } from "./editor_view.ts";
import { type NamedTag, tagsIn } from "./fields.ts";
import {
  type Book,
  bookOf,
  bookPath,
  type Chapter,
  chapterOf,
  chapterPath,
  type Page,
  pageOf,
  pagePath,
} from "./find.ts";

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
  /** When the draft that is shown was kept; undefined where what is saved is shown. */
  readonly draftOf: string | undefined;
  readonly others: readonly { readonly user: { readonly name: string } | null; readonly updated_at: string }[];
  /** What somebody else saved meanwhile, to be compared with the content. */
  readonly conflict: { readonly by: string; readonly at: string; readonly content: string } | undefined;
}

interface Drafts {
  readonly draft: {
    readonly name: string;
    readonly html: string;
    readonly markdown: string;
    readonly base_revision: number | null;
    readonly updated_at: string;
  } | null;
  readonly others: EditorData["others"];
}

/** A new page's place. */
interface Place {
  readonly kind: "book" | "chapter";
  readonly id: number;
  readonly path: string;
  readonly book: Book;
  readonly template: number | null;
}

/** Mounts the editor. `scripts`: those of its screens. */
export function mountEditor({ site }: Pick<PluginContext, "site">, web: Web, scripts: readonly string[]): void {
  const view = web.view<EditorData>("editing/page", (data, ui) => drawEditor(web, data, ui));
  const screen = (visit: Visit, data: EditorData): Screen => shown(view, visit, data, scripts);
  const edit = "/books/:book/page/:page/edit";
  web.screen(site, edit, "user", async (visit) => screen(visit, await present(visit)));
  web.form(site, edit, "user", async (visit) => {
    const { book, page } = await pageOf(visit);
    const answer = await saveChange(visit, book, page);
    return answer instanceof Response ? answer : screen(visit, answer);
  });
  for (const [path, place] of [
    ["/books/:book/create-page", inBook],
    ["/books/:book/chapter/:chapter/create-page", inChapter],
  ] as const) {
    web.screen(site, path, "user", async (visit) => screen(visit, await blank(visit, await place(visit))));
    web.form(site, path, "user", async (visit) => {
      const answer = await saveNew(visit, await place(visit));
      return answer instanceof Response ? answer : screen(visit, answer);
    });
  }
}

function shown(view: View<EditorData>, visit: Visit, data: EditorData, scripts: readonly string[]): Screen {
  const { sent } = data;
  const body: Html = html`${view(data, visit.ui)}`;
  return { title: data.title, body, menu: "/books", scripts, status: sent && !sent.ok ? sent.status : 200 };
}

async function inBook(visit: Visit): Promise<Place> {
  const book = await bookOf(visit);
  return { kind: "book", id: book.id, path: bookPath(book), book, template: book.default_template_id };
}

async function inChapter(visit: Visit): Promise<Place> {
  const { book, chapter } = await chapterOf(visit);
  const { id, default_template_id } = chapter as Chapter;
  const template = default_template_id ?? book.default_template_id;
  return { kind: "chapter", id, path: chapterPath(book, chapter), book, template };
}

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
    base: page.revision_count,
    draftOf: draft.updated_at,
    others,
  };
  return base === page.revision_count ? kept : { ...kept, conflict: conflictWith(page, kept.source) };
}

async function ofPage(visit: Visit, book: Book, page: Page, source: Source): Promise<EditorData> {
  return {
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
    sent: undefined,
    draftOf: undefined,
    others: [],
    conflict: undefined,
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

interface Typed {
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  readonly tags: NamedTag[];
}

function typedIn(visit: Visit): Typed {
  const source = visit.text("source") === "html" ? "html" : "markdown";
  // Forms send lines as the mail of old did.
  return {
    name: visit.text("name"),
    source,
    content: visit.text("content").replaceAll("\r\n", "\n"),
    tags: tagsIn(visit.input),
  };
}

async function saveChange(visit: Visit, book: Book, page: Page): Promise<EditorData | Response> {
  const { name, source, content, tags } = typedIn(visit);
  const base = Number(visit.text("base_revision"));
  const data: EditorData = { ...(await ofPage(visit, book, page, source)), name, content, tags, base };
  const draft = { name, [source]: content, base_revision: base };
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

async function blank(visit: Visit, place: Place): Promise<EditorData> {
  const { draft } = await visit.get<Drafts>(`/api/drafts/${place.kind}/${place.id}`);
  const data = newPage(visit, place);
  if (draft) {
    const source: Source = draft.html === "" ? "markdown" : "html";
    return {
      ...data,
      name: draft.name,
      source,
      content: source === "html" ? draft.html : draft.markdown,
      draftOf: draft.updated_at,
    };
  }
  const template = place.template ? await visit.find<Page>(`/api/pages/${place.template}`) : undefined;
  if (!template) return { ...data, source: visit.query.source === "html" ? "html" : "markdown" };
  const source: Source = template.markdown === "" ? "html" : "markdown";
  return {
    ...data,
    source,
    content: source === "html" ? template.raw_html : template.markdown,
    preview: template.html,
  };
}

function newPage(visit: Visit, { kind, id, path }: Place): EditorData {
  return {
    title: visit.ui.t("New page"),
    about: `${kind}/${id}`,
    action: `${path}/create-page`,
    back: path,
    name: "",
    source: "markdown",
    content: "",
    tags: [],
    base: undefined,
    preview: undefined,
    sent: undefined,
    draftOf: undefined,
    others: [],
    conflict: undefined,
  };
}

async function saveNew(visit: Visit, place: Place): Promise<EditorData | Response> {
  const { name, source, content, tags } = typedIn(visit);
  const data = { ...newPage(visit, place), name, source, content, tags };
  const drafts = `/api/drafts/${place.kind}/${place.id}`;
  if (visit.text("act") === "preview") {
    await visit.send("PUT", drafts, { name, [source]: content });
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
    await visit.send("DELETE", drafts);
    return visit.goTo(pagePath(place.book, sent.body), visit.ui.t("“:name” is made.", { name: sent.body.name }));
  }
  await visit.send("PUT", drafts, { name, [source]: content });
  return { ...data, sent, preview: await previewOf(visit, source, content) };
}

/** What a source looks like; undefined where there is nothing to look at. */
export async function previewOf(visit: Visit, source: Source, content: string): Promise<string | undefined> {
  if (content === "") return undefined;
  const sent = await visit.send<{ html: string }>("POST", "/api/drafts/preview", { [source]: content });
  return sent.ok ? sent.body.html : undefined;
}
