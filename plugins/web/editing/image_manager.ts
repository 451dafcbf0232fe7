/**
 * The image manager: the images that the user sees, in a grid with a search by name, book and page, and the screen of one image with
 * the pages that show it. There it is renamed, replaced under the same address, and deleted, with what would break. The dialog of the editor
 * (`browser/image_manager.ts`) gets the same grid as JSON. The API decides who sees and changes what.
 */
import type { Answers, Screen, SubmitResult, Ui, Visit, Web } from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";
import { errorsIn, fileIn, IMAGE_TYPES } from "./fields.ts";

type Listed = Answers["/api/image-gallery"]["data"][number];
type Image = Answers[`/api/image-gallery/${number}`];
type Uses = Answers[`/api/image-gallery/${number}/uses`];

/** Data of the grid. */
export interface ImagesData {
  readonly images: readonly Listed[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly query: Visit["query"];
  readonly search: Search;
  readonly books: readonly { readonly id: number; readonly name: string }[];
  /** The page whose images are shown; undefined for those of all. */
  readonly of: { readonly id: number; readonly name: string; readonly book_id: number } | undefined;
}

/** Data of the screen of one image. */
export interface ImageData {
  readonly image: Image;
  readonly uses: Uses;
  readonly name: string;
  readonly sent: SubmitResult<unknown> | undefined;
}

/** What is searched for. */
interface Search {
  readonly name: string;
  readonly book: number | undefined;
  readonly of: number | undefined;
}

const PAGE_SIZE = 24;

/** Mounts the screens and the listing for the dialog. */
export function mountImageManager({ app, web, contribute }: EditingContext): void {
  const grid = web.view("editing/images", (data, ui) => drawGrid(web, data, ui));
  const one = web.view("editing/image", (data, ui) => drawImage(web, data, ui));
  web.screen(app.site, "/images", "user", async (visit) => {
    const search = searchIn(visit);
    const { page, size, query } = web.paged(visit.query, PAGE_SIZE);
    const { data: images, total } = await visit.get(`/api/image-gallery?${query}&${filtersOf(search)}`);
    const { data: books } = await visit.get("/api/books?count=500&sort=name");
    const of = search.of === undefined ? undefined : await visit.findItem("page", { id: search.of });
    const body = grid({ images, total, page, size, query: visit.query, search, books, of }, visit.ui);
    return { title: visit.ui.t("Images"), body, menu: "/books" };
  });
  web.screen(app.site, "/editor/images", "user", async (visit) => {
    const { query } = web.paged(visit.query, PAGE_SIZE);
    const { data, total } = await visit.get(`/api/image-gallery?${query}&${filtersOf(await scopeIn(visit))}`);
    return Response.json({ total, data: data.map(({ name, url }) => ({ name, url, thumb: squareOf(url) })) });
  });

  const shown = async (visit: Visit, sent?: SubmitResult<unknown>): Promise<Screen> => {
    const { image, uses } = await read(visit);
    const name = sent ? visit.text("name") : image.name;
    const body = one({ image, uses, name, sent }, visit.ui);
    const crumbs = [{ text: visit.ui.t("Images"), path: "/images" }, { text: image.name }];
    return { title: image.name, body, crumbs, menu: "/books", status: sent && !sent.ok ? sent.status : 200 };
  };
  web.screen(app.site, "/images/:image", "user", (visit) => shown(visit));
  web.form(app.site, "/images/:image", "user", async (visit) => {
    const id = idOf(visit, "image");
    const file = fileIn(visit, "image");
    const change = { name: visit.text("name"), ...(file === undefined ? {} : { image: file }) };
    const sent = await visit.send("PUT", `/api/image-gallery/${id}`, change);
    return sent.ok ? visit.goTo(`/images/${id}`, visit.ui.t("The image is saved.")) : shown(visit, sent);
  });
  web.screen(app.site, "/images/:image/delete", "user", async (visit) => {
    const { image, uses } = await read(visit);
    const { t } = visit.ui;
    const title = t("Delete “:name”?", { name: image.name });
    const path = `/images/${image.id}`;
    const body = web.parts.confirm(visit.ui, {
      question: title,
      detail: t("It is deleted immediately. This cannot be undone."),
      ...(uses.total > 0 && {
        fields: html`<p><strong>${t("These pages show it and would have a gap in its place:")}</strong></p>${useList(uses, visit.ui)}`,
      }),
      action: `${path}/delete`,
      submit: t("Delete"),
      back: path,
    });
    return { title, body, menu: "/books" };
  });
  web.form(app.site, "/images/:image/delete", "user", async (visit) => {
    const sent = await visit.send("DELETE", `/api/image-gallery/${idOf(visit, "image")}`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo("/images", visit.ui.t("The image is deleted."));
  });
  const at = (ui: Ui, query: string) => (ui.serves("/api/image-gallery") ? `/images?${query}` : undefined);
  // For those who put images into pages; readers see them there.
  const entry = {
    ...{ text: "Images", icon: "image", isInMenu: true, dependsOn: [] },
    permit: ["image-create-all", "image-create-own"],
  } as const;
  contribute("screen_part", { at: "page/toolbar", ...entry, path: ({ id }, ui) => at(ui, `of=${id}`) });
  contribute("screen_part", { at: "book/toolbar", ...entry, path: ({ id }, ui) => at(ui, `book=${id}`) });
}

async function read(visit: Visit): Promise<{ image: Image; uses: Uses }> {
  const id = idOf(visit, "image");
  return { image: await visit.get(`/api/image-gallery/${id}`), uses: await visit.get(`/api/image-gallery/${id}/uses`) };
}

function numberIn(visit: Visit, field: string): number | undefined {
  const given = visit.query[field];
  return typeof given === "string" && /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
}

function searchIn(visit: Visit): Search {
  const { name } = visit.query;
  return {
    name: typeof name === "string" ? name.trim() : "",
    book: numberIn(visit, "book"),
    of: numberIn(visit, "of"),
  };
}

/** What the dialog of the editor searches: the images of the page, of its book, or all. */
async function scopeIn(visit: Visit): Promise<Search> {
  const search = { ...searchIn(visit), book: undefined };
  const { about, scope } = visit.query;
  if (scope === "page" && search.of !== undefined) return search;
  const [, kind, id] = /^(page|book|chapter)\/(\d{1,9})$/.exec(String(about)) ?? [];
  if (scope !== "book" || kind === undefined) return { ...search, of: undefined };
  if (kind === "book") return { ...search, of: undefined, book: Number(id) };
  const { book_id } = await visit.item(kind as "page" | "chapter", { id: Number(id) });
  return { ...search, of: undefined, book: book_id };
}

function filtersOf({ name, book, of }: Search): string {
  const filters = new URLSearchParams({ sort: "-id" });
  if (name !== "") filters.set("filter[name:like]", `%${name}%`);
  if (book !== undefined) filters.set("filter[book_id]", String(book));
  if (of !== undefined) filters.set("filter[uploaded_to]", String(of));
  return filters.toString();
}

/** The address of the square form of an image. */
function squareOf(url: string): string {
  return url.replace(/\/([^/]+)$/, "/thumbs-150-150/$1");
}

function drawGrid({ parts }: Web, { images, total, page, size, query, search, books, of }: ImagesData, ui: Ui): Html {
  const { t } = ui;
  const all = [["", t("All books")] as const, ...books.map(({ id, name }) => [id, name] as const)];
  return html`<h1>${t("Images")}</h1>
<form class="filters" method="get" action="${ui.url("/images")}">
${parts.field(ui, { name: "name", label: t("Name"), value: search.name })}
${parts.field(ui, { name: "book", label: t("Book"), type: "select", options: all, value: String(search.book ?? "") })}
${search.of !== undefined && html`<input type="hidden" name="of" value="${search.of}">`}
<button>${ui.icon("search")} ${t("Search")}</button></form>
${
  of &&
  html`<p>${t("Images of the page “:name”", { name: of.name })} · <a href="${ui.url(`/images?book=${of.book_id}`)}">${t("All images of its book")}</a> · <a href="${ui.url("/images")}">${t("All images")}</a></p>`
}
<p class="quiet" role="status">${t("Images: :count", { count: total })}</p>
${
  images.length > 0 &&
  html`<ul class="picture-grid">${images.map(
    ({ id, name, url }) =>
      html`<li><a href="${ui.url(`/images/${id}`)}"><img src="${squareOf(url)}" alt="" width="150" height="150" loading="lazy"><span>${name}</span></a></li>`,
  )}</ul>`
}
${parts.pager(ui, { path: "/images", query, total, page, size })}`;
}

function drawImage({ parts }: Web, { image, uses, name, sent }: ImageData, ui: Ui): Html {
  const { t } = ui;
  const { errors, error } = errorsIn(sent);
  const may = (action: "update" | "delete") =>
    ui.may(`image-${action}-all`) || (ui.may(`image-${action}-own`) && ui.isViewer(image.created_by?.id));
  const path = `/images/${image.id}`;
  return html`<div class="head-line"><h1>${image.name}</h1>${may("delete") && html`<div class="actions">${parts.dialogLink(ui, { path: `${path}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div>`}</div>
<div class="picture-columns"><div><figure class="picture-shown"><a href="${image.url}" data-enlarge="${t("Close")}" data-original="${t("Open the original")}" title="${t("Enlarge")}"><img src="${image.thumbs.display ?? image.url}" alt="${image.name}"></a></figure>
<p class="quiet">${ui.time(image.created_at)} · ${image.created_by?.name ?? t("Unknown user")}</p>
${parts.copyable(ui, { label: t("Address"), value: image.url })}</div>
<div>${
    may("update") &&
    parts.form(ui, {
      action: path,
      files: true,
      error,
      submit: t("Save"),
      label: t("Change this image"),
      fields: html`${parts.field(ui, { name: "name", label: t("Name"), value: name, required: true, maxlength: 180, errors: errors.name })}
${parts.field(ui, { name: "image", label: t("Replace the file"), type: "file", accept: IMAGE_TYPES, errors: errors.image, help: t("The address stays: every page that shows the image shows the new one.") })}`,
    })
  }
<h2>${t("Pages that show it")}</h2>
${uses.total === 0 ? html`<p>${t("No page that you can see shows it.")}</p>` : useList(uses, ui)}</div></div>`;
}

function useList({ data, total }: Uses, ui: Ui): Html {
  const more = total - data.length;
  return html`<ul>${data.map(({ id, name }) => html`<li><a href="${ui.url(`/link/${id}`)}">${name}</a></li>`)}${more > 0 && html`<li>${ui.t("Further pages: :count", { count: more })}</li>`}</ul>`;
}
