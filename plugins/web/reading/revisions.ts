/**
 * The revisions of a page: list, comparison with the previous revision, restore. Restoring creates a new revision, so nothing
 * is lost.
 */
import { type Answers, bookPath, type Comparison, pagePath, type Visit } from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Page } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";
import { mayDo } from "./item_actions.ts";

type Revision = Answers[`/api/pages/${number}/revisions`]["data"][number];

type RevisionDetail = Answers[`/api/pages/${number}/revisions/${number}`];

/** Data of the list. */
export interface RevisionsData {
  readonly page: Page;
  readonly path: string;
  readonly revisions: readonly Revision[];
  readonly pager: Html;
}

/** Data of the screen of a revision. */
export interface RevisionData {
  readonly page: Page;
  readonly path: string;
  readonly revision: RevisionDetail;
  /** The previous revision; undefined for the oldest one kept. */
  readonly before: RevisionDetail | undefined;
  /** The comparison of both texts. */
  readonly comparison: Comparison | undefined;
  readonly content: string;
}

const PERMIT = ["revision-view-all"];

/** Mounts the screens. */
export function mountRevisions({ app, web }: ReadingContext): void {
  const { parts } = web;
  const list = web.view("reading/revisions", ({ page, path, revisions, pager }, ui) => {
    const { t } = ui;
    const rows = revisions.map((each) => [
      html`<a href="${ui.url(`${path}/revisions/${each.id}`)}">#${each.number}</a>`,
      each.name,
      each.created_by?.name ?? "–",
      ui.time(each.created_at),
      each.summary,
    ]);
    const head = [t("Number"), t("Name"), t("By"), t("When"), t("Note")];
    return html`<h1>${t("Revisions of “:name”", { name: page.name })}</h1>
${parts.table(ui, { caption: t("Revisions"), head, rows, empty: t("This page has no revisions.") })}${pager}`;
  });
  const one = web.view("reading/revision", ({ page, path, revision, before, comparison, content }, ui) => {
    const { t } = ui;
    const isCurrent = revision.number === page.revision_count;
    return html`<div class="head-line"><h1>${t("Revision #:number", { number: revision.number })}</h1><div class="actions">${
      mayDo(ui, "page-update", page) &&
      !isCurrent &&
      parts.button(ui, {
        action: `${path}/revisions/${revision.id}/restore`,
        text: t("Restore this revision"),
        icon: "restore",
      })
    }</div></div>
<p class="quiet">${revision.name} · ${revision.created_by?.name ?? t("Unknown user")} · ${ui.time(revision.created_at)}${isCurrent && html` · ${t("This is the current version.")}`}</p>
${
  before
    ? html`<h2>${t("Changes since revision #:number", { number: before.number })}</h2>${
        before.name !== revision.name && html`<p>${t("Name")}</p>${parts.difference(ui, before.name, revision.name)}`
      }${
        sourceOf(before) === sourceOf(revision)
          ? html`<p>${before.raw_html === revision.raw_html ? t("The text is the same.") : t("Only the formatting was changed.")}</p>`
          : parts.difference(ui, sourceOf(before), sourceOf(revision), comparison)
      }`
    : html`<p>${t("This is the oldest revision kept.")}</p>`
}
<h2>${t("Page at this revision")}</h2><div class="page-content framed" dir="auto">${ui.raw(content)}</div>`;
  });

  const at = "/books/:book/page/:page/revisions";
  web.screen(app.site, at, PERMIT, async (visit) => {
    const { page, path, crumbs } = await place(visit);
    const { page: number, size, query } = web.paged(visit.query);
    const found = await visit.get(`/api/pages/${page.id}/revisions?sort=-number&${query}`);
    const pager = parts.pager(visit.ui, {
      path: `${path}/revisions`,
      query: visit.query,
      total: found.total,
      page: number,
      size,
    });
    const title = visit.ui.t("Revisions of “:name”", { name: page.name });
    return {
      title,
      crumbs: [...crumbs, { text: visit.ui.t("Revisions") }],
      menu: "/books",
      body: list({ page, path, revisions: found.data, pager }, visit.ui),
    };
  });
  web.screen(app.site, `${at}/:revision`, PERMIT, async (visit) => {
    const { ui } = visit;
    const { page, path, crumbs } = await place(visit);
    const revision = await visit.get(revisionPath(page, visit));
    const { data } = await visit.get(
      `/api/pages/${page.id}/revisions?count=1&sort=-number&filter[number:lt]=${revision.number}`,
    );
    const before = data[0] && (await visit.get(`/api/pages/${page.id}/revisions/${data[0].id}`));
    const { html: content, style } = await web.decorate(ui, revision.html);
    const comparison = before && (await web.compare(ui, sourceOf(before), sourceOf(revision)));
    const title = ui.t("Revision #:number", { number: revision.number });
    const trail = [...crumbs, { text: ui.t("Revisions"), path: `${path}/revisions` }, { text: `#${revision.number}` }];
    return {
      title,
      crumbs: trail,
      menu: "/books",
      style,
      body: one({ page, path, revision, before, comparison, content }, ui),
    };
  });
  web.form(app.site, `${at}/:revision/restore`, PERMIT, async (visit) => {
    const { page, path } = await place(visit);
    const { number } = await visit.get(revisionPath(page, visit));
    const sent = await visit.send("POST", `${revisionPath(page, visit)}/restore`);
    if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
    return visit.goTo(path, visit.ui.t("Revision #:number is restored.", { number }));
  });
}

function sourceOf({ markdown, text }: RevisionDetail): string {
  return markdown === "" ? text : markdown;
}

function revisionPath(page: Page, visit: Visit) {
  return `/api/pages/${page.id}/revisions/${idOf(visit, "revision")}` as const;
}

async function place(visit: Visit) {
  const book = await visit.item("book", { slug: visit.params.book ?? "" });
  const page = await visit.item("page", { slug: visit.params.page ?? "", within: book.id });
  const path = pagePath(book, page);
  return {
    page,
    path,
    crumbs: [
      { text: book.name, path: bookPath(book) },
      { text: page.name, path },
    ],
  };
}
