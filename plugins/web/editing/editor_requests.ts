/**
 * Requests of the editor's scripts: save and discard drafts, render previews, convert content, upload images and other files, find pages,
 * remember the chosen editor. They pass on what the API answers to the writer; the page itself is saved by the form of `editor.ts`.
 */
import type { Visit } from "lectern/contracts";
import { ApiError, isUpload, ownPath } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import { discardPath } from "./bar_view.ts";
import type { EditingContext } from "./contract.ts";
import { mountChanges, mountNews, newsOf } from "./draft_news.ts";
import { markdownOf, previewOf, saveDraft, typedInput } from "./editor_input.ts";
import { fileIn } from "./fields.ts";

/** Pages that are offered for a link, and pictures. */
const MAX_PAGES = 8;
const MAX_PICTURES = 8;
/** Characters of the name of an attachment. */
const MAX_NAME = 255;

/** Mounts the requests. */
export function mountEditorRequests(context: EditingContext): void {
  const { app, web, baseUrl } = context;
  mountFileUpload(context);
  web.form(app.site, "/editor/draft/:kind/:id", "user", async (visit) => {
    const sent = await saveDraft(visit, draftPath(visit));
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    const { slot = "", updated_at = "", page_id = null } = sent.body.draft ?? {};
    const news = newsOf(visit, sent.body);
    if (slot === "" || !isEmpty(visit)) return Response.json({ kept_at: updated_at, page_id, ...news });
    // The draft of a new page that is empty again is deleted; further input creates another one.
    await visit.send("DELETE", `${draftPath(visit)}?slot=${encodeURIComponent(slot)}`);
    return Response.json({ kept_at: "", page_id: null, ...news });
  });
  web.screen(app.site, "/editor/discard/:kind/:id", "user", (visit) => {
    const { ui } = visit;
    const slot = typeof visit.query.slot === "string" ? visit.query.slot : "";
    const back = ownPath(visit.query.back);
    const about = `${encodeURIComponent(visit.params.kind ?? "")}/${idOf(visit)}`;
    const title = ui.t("Discard your draft?");
    const body = web.parts.confirm(ui, {
      question: title,
      detail: ui.t("What you wrote since you last saved is lost. This cannot be undone."),
      action: discardPath({ about, slot: encodeURIComponent(slot), back }),
      submit: ui.t("Discard"),
      back,
    });
    return { title, body, menu: "/books" };
  });
  mountNews(app, web);
  mountChanges(app, web);
  web.form(app.site, "/editor/discard/:kind/:id", "user", async (visit) => {
    const slot = typeof visit.query.slot === "string" ? visit.query.slot : "";
    await visit.send("DELETE", `${draftPath(visit)}?slot=${encodeURIComponent(slot)}`);
    return visit.goTo(String(visit.query.back ?? "/"), visit.ui.t("Your draft is discarded."));
  });
  web.form(app.site, "/editor/preview", "user", async (visit) => {
    const { source, content } = typedInput(visit);
    const html = await previewOf(visit, source, content);
    const markdown = source === "markdown" ? content : "";
    return new Response(html === undefined ? "" : (await web.decorate(visit.ui, html, markdown)).html, {
      // A part of a screen: where a browser opens it as a document, it runs no scripts.
      headers: { "content-type": "text/html; charset=UTF-8", "content-security-policy": "default-src 'none'; sandbox" },
    });
  });
  web.form(app.site, "/editor/convert", "user", async (visit) => {
    const { content } = typedInput(visit);
    if (visit.text("to") === "markdown") {
      const markdown = await markdownOf(visit, content);
      return Response.json({ markdown, html: await rendered(visit, markdown) });
    }
    const html = await rendered(visit, content);
    return Response.json({ html, markdown: await markdownOf(visit, html) });
  });
  web.form(app.site, "/editor/choice", "editor-change", async (visit) => {
    const sent = await visit.send("PUT", "/api/users/me", { editor: visit.text("editor") });
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return Response.json({ editor: sent.body.editor });
  });
  web.screen(app.site, "/editor/pages", "user", async (visit) => {
    const query = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    return Response.json({ data: await pagesFor(visit, query, baseUrl) });
  });
  web.screen(app.site, "/editor/people/:kind/:id", "user", async (visit) => {
    const query = typeof visit.query.query === "string" ? visit.query.query : "";
    const about = `${encodeURIComponent(visit.params.kind ?? "")}/${idOf(visit)}`;
    const { data } = await visit.get(`/api/mentions/${about as "page/1"}?query=${encodeURIComponent(query)}`);
    return Response.json({ data: data.map(({ name, slug }) => ({ name, place: slug, link: `@${slug}` })) });
  });
  web.screen(app.site, "/editor/pictures", "user", async (visit) => {
    const query = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    return Response.json({ data: await picturesFor(visit, query) });
  });
  web.form(app.site, "/editor/picture/:id", "user", async (visit) => {
    const image = fileIn(visit, "image");
    const sent = await visit.send("POST", "/api/image-gallery", {
      type: "gallery",
      uploaded_to: visit.params.id ?? "",
      ...(image === undefined ? {} : { image }),
    });
    if (sent.ok) return Response.json({ url: sent.body.url, name: sent.body.name });
    throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
  });
}

/** Adds a file to the attachments of a page. */
function mountFileUpload({ app, web, baseUrl }: EditingContext): void {
  web.form(app.site, "/editor/file/:id", "user", async (visit) => {
    const file = fileIn(visit, "file");
    const sent = await visit.send("POST", "/api/attachments", {
      name: isUpload(file) ? [...file.name].slice(0, MAX_NAME).join("") : "",
      uploaded_to: visit.params.id ?? "",
      ...(file === undefined ? {} : { file }),
    });
    if (sent.ok) return Response.json({ url: `${baseUrl}/attachments/${sent.body.id}`, name: sent.body.name });
    throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
  });
}

/** Pages that the user sees, by words of a search; those that changed last without any. Links have permanent addresses. */
async function pagesFor(visit: Visit, query: string, baseUrl: string) {
  const link = (id: number) => `${baseUrl}/link/${id}`;
  if (query === "") {
    const { data } = await visit.get(`/api/pages?sort=-updated_at&count=${MAX_PAGES}`);
    return data.map(({ id, name }) => ({ id, name, place: "", link: link(id) }));
  }
  const words = encodeURIComponent(`${query} {type:page}`);
  const { data } = await visit.get(`/api/search?count=${MAX_PAGES}&query=${words}`);
  return data.map(({ id, name, book }) => ({ id, name, place: book?.name ?? "", link: link(id) }));
}

/** Pictures that the user sees, by a part of their name; the newest without one. */
async function picturesFor(visit: Visit, query: string) {
  const named = query === "" ? "" : `&filter[name:like]=${encodeURIComponent(`%${query}%`)}`;
  const { data } = await visit.get(`/api/image-gallery?filter[type]=gallery&sort=-id&count=${MAX_PICTURES}${named}`);
  return data.map(({ name, url }) => ({ name, url }));
}

/** Markdown as HTML. Throws ApiError where it is refused. */
async function rendered(visit: Visit, markdown: string): Promise<string> {
  if (markdown === "") return "";
  const sent = await visit.send("POST", "/api/drafts/preview", { markdown });
  if (sent.ok) return sent.body.html;
  throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
}

function isEmpty(visit: Visit): boolean {
  const { name, content, tags } = typedInput(visit);
  return name.trim() === "" && content.trim() === "" && tags.length === 0;
}

function draftPath(visit: Visit) {
  return `/api/drafts/${encodeURIComponent(visit.params.kind ?? "")}/${idOf(visit)}` as const;
}
