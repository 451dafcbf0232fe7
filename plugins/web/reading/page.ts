/**
 * The screen of a page: content, table of contents, neighbours in its book, attachments, history. Comments have a view of their
 * own, so that a theme can replace them alone.
 */
import {
  type DecoratedContent,
  type DrawnFor,
  type Heading,
  type Item,
  outlineEntries,
  pagePath,
  type Screen,
  type Toolbar,
  type Ui,
  type Visit,
  type Web,
} from "lectern/contracts";
import { type Html, html, idOf, notFound } from "lectern/core";
import type { Book, Entry, Page } from "./api_types.ts";
import { drawComments } from "./comments.ts";
import type { ReadingContext } from "./contract.ts";
import { crumbsIn } from "./crumbs.ts";
import { DRAFTS_API, exportActions, itemToolbar, mayDo, PERMISSIONS_API } from "./item_actions.ts";
import { history, tagList } from "./item_details.ts";
import { previewOf } from "./preview.ts";
import { Tree } from "./tree.ts";

/** An attachment of the page. */
export type Attachment = Item<"attachment", "listed">;

/** Data of the screen. */
export interface PageData {
  readonly book: Book;
  readonly page: Page;
  readonly content: DecoratedContent;
  readonly attachments: readonly Attachment[];
  readonly previous: Entry | undefined;
  readonly next: Entry | undefined;
  readonly comments: Html;
  /** Parts that other plugins add below the page. */
  readonly added: Html;
  /** What other plugins add to the toolbar. */
  readonly toolbar: Toolbar;
}

/** What the screen is drawn from. */
type PageParts = Pick<PageData, "book" | "page" | "attachments">;

/** Headings from which on a table of contents is shown. */
const MIN_HEADINGS = 3;

/** Mounts the screen. */
export function mountPage({ app, baseUrl, commentAssets, pageScript, slot, treeScript, web }: ReadingContext): void {
  const view = web.view("reading/page", (data, ui) => draw(web, data, ui));
  const comments = web.view("reading/comments", (data, ui) => drawComments(web, data, ui));
  const drawPage = async ({ book, page, attachments }: PageParts, visit: DrawnFor): Promise<Screen> => {
    const { ui } = visit;
    const content = await web.decorate(ui, page.html, page.markdown);
    const entries = outlineEntries(book);
    const order = pagesInOrder(entries);
    const at = order.findIndex(({ id }) => id === page.id);
    const chapter = entries.find(({ type, id }) => type === "chapter" && id === page.chapter_id);
    const added = html`${await web.addedParts("page/below", page, visit)}`;
    const data: PageData = {
      book,
      page,
      content,
      attachments,
      previous: order[at - 1],
      next: at < 0 ? undefined : order[at + 1],
      comments: html`${hasComments(page) && html`<link rel="stylesheet" href="${commentAssets.style}">`}${comments({ book, page }, ui)}`,
      added,
      toolbar: await web.toolbar("page/toolbar", page, visit),
    };
    return {
      title: page.name,
      menu: "/books",
      style: content.style,
      preview: previewOf({ baseUrl }, { markup: page.html }, ui),
      crumbs: [...crumbsIn(book, ui, chapter), { text: page.name }],
      scripts: [treeScript, pageScript],
      aside: html`${new Tree({ slot }, book, ui, { type: "page", id: page.id }).aside()}${await web.addedParts("page/aside", page, visit)}`,
      body: view(data, ui),
    };
  };
  web.screen(app.site, "/books/:book/page/:page", "reader", { read: pageOf, draw: drawPage });
  web.screen(app.site, "/link/:id", "reader", async (visit) =>
    visit.goTo(await pathOfPage(visit, visit.params.id ?? "")),
  );
}

/**
 * The page of an address with its book and attachments. The book and the page are read at the same time, so the page is found by
 * the slug of the book. Throws the 404 of the book, then that of the page.
 */
async function pageOf(visit: Visit): Promise<PageParts> {
  const { book: bookSlug = "", page: pageSlug = "" } = visit.params;
  const reading = visit.findItem("page", { slug: pageSlug, within: bookSlug }).then(async (found) => ({
    found,
    attachments: found ? await visit.items("attachment", { within: found.id }) : [],
  }));
  // A rejection is handled where it is awaited.
  reading.catch(() => {});
  const book = await visit.item("book_outline", { slug: bookSlug });
  const { found, attachments } = await reading;
  if (found?.book_id !== book.id) throw notFound("Page");
  return { book, page: found, attachments };
}

function hasComments({ comments: { active, archived } }: Page): boolean {
  return active.length + archived.length > 0;
}

/** The path of a page's screen by the id of the page. Throws 404. */
export async function pathOfPage(visit: Visit, id: string): Promise<string> {
  const page = await visit.item("page", { id: idOf(id, "Page") });
  return pagePath(await visit.item("book_outline", { id: page.book_id }), page);
}

/** The pages of a book in reading order, without drafts. */
function pagesInOrder(contents: readonly Entry[]): Entry[] {
  const pages = contents.flatMap((entry) => (entry.type === "chapter" ? (entry.pages ?? []) : [entry]));
  return pages.filter(({ type, draft }) => type === "page" && !draft);
}

function draw({ parts }: Web, data: PageData, ui: Ui): Html {
  const { book, page, content, attachments, previous, next, comments, added, toolbar } = data;
  const { t } = ui;
  const path = pagePath(book, page);
  const mayWrite = (permission: string) => mayDo(ui, permission, page);
  const actionList = [
    { path: `${path}/edit`, text: t("Edit"), icon: "edit", may: mayWrite("page-update"), needs: DRAFTS_API },
    { path: `${path}/revisions`, text: t("Revisions"), icon: "history", may: ui.may("revision-view-all") },
  ];
  const more = [
    ...exportActions(path, ui),
    {
      path: `${path}/attachments`,
      text: t("Attachments"),
      icon: "attachment",
      may: mayWrite("page-update"),
      needs: "/api/attachments",
    },
    {
      path: `${path}/copy`,
      text: t("Copy"),
      icon: "copy",
      may: (ui.may("page-create-all") || ui.may("page-create-own")) && ui.serves("/api/pages/0/copy", "POST"),
    },
    {
      path: `${path}/template`,
      text: page.template ? t("No longer offer as a template") : t("Offer as a template"),
      icon: "template",
      may: mayWrite("page-update") && ui.may("templates-manage"),
    },
    { path: `${path}/move`, text: t("Move"), icon: "move", may: mayWrite("page-update") },
    {
      path: `${path}/permissions`,
      text: t("Permissions"),
      icon: "lock",
      may: mayWrite("restrictions-manage"),
      needs: PERMISSIONS_API,
    },
    { path: `${path}/delete`, text: t("Delete"), icon: "delete", may: mayWrite("page-delete"), isDialog: true },
  ];
  return html`<article class="page" data-copy-code="${t("Copy")}" data-done="${t("Copied")}"><div class="head-line"><h1${titleClass(page.name)}>${page.name}</h1>${parts.toolbar(ui, itemToolbar(actionList, more, toolbar, ui))}</div>
${page.template && html`<p class="quiet">${ui.icon("template")} ${t("This page is a template for others.")}</p>`}
${page.draft && html`<p class="notice note">${t("This is a draft. Only you can see it.")}</p>`}
${content.headings.length >= MIN_HEADINGS && tableOfContents(content.headings, ui)}
<div class="page-content" dir="auto">${ui.raw(content.html)}</div>
${tagList(page.tags, ui)}
${
  attachments.length > 0 &&
  html`<section class="attachments" aria-labelledby="attachments-title"><h2 id="attachments-title">${t("Attachments")}</h2><ul>${attachments.map(
    ({ id, name, external }) =>
      html`<li><a href="${ui.url(`/attachments/${id}`)}">${ui.icon(external ? "link" : "attachment")} ${name}</a></li>`,
  )}</ul></section>`
}
${history(page, ui)}</article>
<nav class="neighbours" aria-label="${t("Previous and next page")}">${previous ? neighbour(book, previous, "previous", t("Previous"), ui) : html`<span></span>`}${next ? neighbour(book, next, "next", t("Next"), ui) : html`<span></span>`}</nav>
${added}${comments}`;
}

/** From how many characters on a title is set smaller, so that the text begins near the top and all of the title can be read. */
const TITLE_SIZES = [
  [190, "longest"],
  [120, "longer"],
  [60, "long"],
] as const;

function titleClass(name: string): Html {
  const [, size] = TITLE_SIZES.find(([length]) => name.length > length) ?? [];
  return html`${size !== undefined && html` class="${size}"`}`;
}

function neighbour(book: Book, entry: Entry, rel: "previous" | "next", label: string, ui: Ui): Html {
  return html`<a rel="${rel === "next" ? "next" : "prev"}" class="${rel}" href="${ui.url(pagePath(book, entry))}"><small>${label}</small> <span>${entry.name}</span></a>`;
}

function tableOfContents(headings: readonly Heading[], ui: Ui): Html {
  const least = Math.min(...headings.map(({ level }) => level));
  return html`<nav class="toc" aria-labelledby="toc-title"><details><summary id="toc-title">${ui.t("On this page")}</summary><ul>${headings.map(
    ({ id, text, level }) => html`<li class="level-${level - least}"><a href="#${id}">${text}</a></li>`,
  )}</ul></details></nav>`;
}
