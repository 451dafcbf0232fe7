/**
 * The revisions of a page: list, single revision with its changes, comparison of any two, restore and delete. Restoring
 * creates a new revision, so nothing is lost; both ask before.
 */
import { type Answers, bookPath, type Parts, pagePath, type Ui, type Visit } from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Page } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";
import { mayDo } from "./item_actions.ts";

type Revision = Answers[`/api/pages/${number}/revisions`]["data"][number];

type RevisionDetail = Answers[`/api/pages/${number}/revisions/${number}`];

type Comparison = Answers[`/api/pages/${number}/revisions/${number}/compare`];

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
  /** The changes since the previous revision; undefined for the oldest one kept. */
  readonly changes: Comparison | undefined;
  readonly content: string;
}

/** Data of the screen that compares two revisions. */
export interface RevisionComparisonData {
  readonly page: Page;
  readonly comparison: Comparison;
  /** The content with its changes, decorated for the screen; undefined where it is too long. */
  readonly shown: string | undefined;
}

const PERMIT = ["revision-view-all"];
const AT = "/books/:book/page/:page/revisions";

/** Mounts the screens. */
export function mountRevisions(context: ReadingContext): void {
  mountList(context);
  mountOne(context);
  mountComparison(context);
  mountChanges(context);
}

function mountList({ app, web }: ReadingContext): void {
  const { parts } = web;
  const view = web.view("reading/revisions", ({ page, path, revisions, pager }, ui) => {
    const { t } = ui;
    const [newest, before = newest] = revisions;
    const hasSeveral = revisions.length > 1;
    const choice = (name: "from" | "to", { id, number }: Revision, chosen: Revision | undefined) =>
      html`<input type="radio" name="${name}" value="${id}"${id === chosen?.id && html` checked`} aria-label="${
        name === "from"
          ? t("Compare from revision #:number", { number })
          : t("Compare to revision #:number", { number })
      }">`;
    const rows = revisions.map((each) => [
      html`<a href="${ui.url(`${path}/revisions/${each.id}`)}">#${each.number}</a>`,
      ...(hasSeveral ? [html`${choice("from", each, before)} ${choice("to", each, newest)}`] : []),
      each.name,
      each.created_by?.name ?? "–",
      ui.time(each.created_at),
      each.summary,
    ]);
    const head = [t("Number"), ...(hasSeveral ? [t("From and to")] : []), t("Name"), t("By"), t("When"), t("Note")];
    const table = parts.table(ui, { caption: t("Revisions"), head, rows, empty: t("This page has no revisions.") });
    return html`<h1>${t("Revisions of “:name”", { name: page.name })}</h1>
${
  hasSeveral
    ? html`<form method="get" action="${ui.url(`${path}/compare-revisions`)}">${table}<div class="ends"><button class="secondary">${ui.icon("history")} ${t("Compare the selected revisions")}</button></div></form>`
    : table
}${pager}`;
  });
  web.screen(app.site, AT, PERMIT, async (visit) => {
    const { page, path, crumbs } = await place(visit);
    const { page: number, size, query } = web.paged(visit.query);
    const found = await visit.get(`/api/pages/${page.id}/revisions?sort=-number&${query}`);
    const listed = { path: `${path}/revisions`, query: visit.query, total: found.total, page: number, size };
    const pager = parts.pager(visit.ui, listed);
    return {
      title: visit.ui.t("Revisions of “:name”", { name: page.name }),
      crumbs: [...crumbs, { text: visit.ui.t("Revisions") }],
      menu: "/books",
      body: view({ page, path, revisions: found.data, pager }, visit.ui),
    };
  });
}

function mountOne({ app, web }: ReadingContext): void {
  const { parts } = web;
  const view = web.view("reading/revision", ({ page, path, revision, changes, content }, ui) => {
    const { t } = ui;
    const isCurrent = revision.number === page.revision_count;
    const at = `${path}/revisions/${revision.id}`;
    return html`<div class="head-line"><h1>${t("Revision #:number", { number: revision.number })}</h1><div class="actions">${
      !isCurrent &&
      html`<a role="button" class="secondary outline" href="${ui.url(`${path}/compare-revisions?from=${revision.id}`)}">${t("Compare with the newest")}</a>`
    }${
      mayDo(ui, "page-update", page) &&
      !isCurrent &&
      parts.dialogLink(ui, { path: `${at}/restore`, text: t("Restore this revision"), icon: "restore" })
    }${
      mayDo(ui, "page-delete", page) &&
      !isCurrent &&
      parts.dialogLink(ui, { path: `${at}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })
    }</div></div>
<p class="quiet">${revision.name} · ${revision.created_by?.name ?? t("Unknown user")} · ${ui.time(revision.created_at)}${isCurrent && html` · ${t("This is the current version.")}`}</p>
${
  changes
    ? html`<div class="head-line"><h2>${t("Changes since revision #:number", { number: changes.from.number })}</h2><div class="actions"><a href="${ui.url(comparisonPath(path, changes))}">${t("Show them in the page")}</a></div></div>
${changedName(parts, changes, ui)}${sourceChanges(parts, changes, ui)}`
    : html`<p>${t("This is the oldest revision kept.")}</p>`
}
<h2>${t("Page at this revision")}</h2><div class="page-content framed" dir="auto">${ui.raw(content)}</div>`;
  });
  web.screen(app.site, `${AT}/:revision`, PERMIT, async (visit) => {
    const { ui } = visit;
    const { page, path, crumbs } = await place(visit);
    const revision = await visit.get(revisionPath(page, visit));
    const { data } = await visit.get(
      `/api/pages/${page.id}/revisions?count=1&sort=-number&filter[number:lt]=${revision.number}`,
    );
    const changes = data[0] && (await compared(visit, { page, from: data[0].id, to: revision.id }));
    const { html: content, style } = await web.decorate(ui, revision.html, revision.markdown);
    const trail = [...crumbs, { text: ui.t("Revisions"), path: `${path}/revisions` }, { text: `#${revision.number}` }];
    return {
      title: ui.t("Revision #:number", { number: revision.number }),
      crumbs: trail,
      menu: "/books",
      style,
      body: view({ page, path, revision, changes, content }, ui),
    };
  });
}

function mountComparison({ app, web }: ReadingContext): void {
  const view = web.view("reading/revision_comparison", ({ page, comparison, shown }, ui) => {
    const { t } = ui;
    const { from, to } = comparison;
    const facts = ({ number, created_by, created_at }: Revision) =>
      html`#${number} · ${created_by?.name ?? ui.t("Unknown user")} · ${ui.time(created_at)}`;
    return html`<h1>${t("Changes of “:name”", { name: page.name })}</h1>
<p class="quiet">${facts(from)} → ${facts(to)}</p>${changedName(web.parts, comparison, ui)}
<div class="comparison"><section><h2>${t("Page")}</h2>${
      shown === undefined
        ? html`<p>${t("The texts are too long to compare.")}</p>`
        : html`<div class="page-content framed shown-changes" dir="auto">${ui.raw(shown)}</div>`
    }</section><section><h2>${t("Source")}</h2>${sourceChanges(web.parts, comparison, ui)}</section></div>`;
  });
  web.screen(app.site, "/books/:book/page/:page/compare-revisions", PERMIT, async (visit) => {
    const { ui } = visit;
    const { page, path, crumbs } = await place(visit);
    const [from, to] = [chosenId(visit, "from"), chosenId(visit, "to")];
    if (from === undefined) return visit.goTo(`${path}/revisions`);
    const comparison = await compared(visit, { page, from, to });
    const shown = comparison.html === null ? undefined : await web.decorate(ui, comparison.html);
    return {
      title: ui.t("Changes of “:name”", { name: page.name }),
      crumbs: [...crumbs, { text: ui.t("Revisions"), path: `${path}/revisions` }, { text: ui.t("Compare") }],
      menu: "/books",
      style: shown?.style,
      body: view({ page, comparison, shown: shown?.html }, ui),
    };
  });
}

function mountChanges({ app, web }: ReadingContext): void {
  const confirmed = (kind: "restore" | "delete", spec: (number: number, ui: Ui) => ConfirmTexts) =>
    web.screen(app.site, `${AT}/:revision/${kind}`, PERMIT, async (visit) => {
      const { page, path } = await place(visit);
      const { id, number } = await visit.get(revisionPath(page, visit));
      const at = `${path}/revisions/${id}`;
      const texts = spec(number, visit.ui);
      const body = web.parts.confirm(visit.ui, { ...texts, action: `${at}/${kind}`, back: at });
      return { title: texts.question, body, menu: "/books" };
    });
  confirmed("restore", (number, { t }) => ({
    question: t("Restore revision #:number?", { number }),
    detail: t("The page gets the name and content of this revision. Its present state stays as a revision."),
    submit: t("Restore this revision"),
  }));
  confirmed("delete", (number, { t }) => ({
    question: t("Delete revision #:number?", { number }),
    detail: t("The page stays as it is. A deleted revision cannot be restored."),
    submit: t("Delete"),
  }));
  web.form(app.site, `${AT}/:revision/restore`, PERMIT, async (visit) => {
    const { page, path } = await place(visit);
    const { number } = await visit.get(revisionPath(page, visit));
    const sent = await visit.send("POST", `${revisionPath(page, visit)}/restore`);
    if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
    return visit.goTo(path, visit.ui.t("Revision #:number is restored.", { number }));
  });
  web.form(app.site, `${AT}/:revision/delete`, PERMIT, async (visit) => {
    const { page, path } = await place(visit);
    const { number } = await visit.get(revisionPath(page, visit));
    const sent = await visit.send("DELETE", revisionPath(page, visit));
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(`${path}/revisions`, visit.ui.t("Revision #:number is deleted.", { number }));
  });
}

interface ConfirmTexts {
  readonly question: string;
  readonly detail: string;
  readonly submit: string;
}

function changedName(parts: Parts, { from, to, name }: Comparison, ui: Ui): Html {
  if (from.name === to.name) return html``;
  return html`<p>${ui.t("Name")}</p>${parts.difference(ui, from.name, to.name, name)}`;
}

function sourceChanges(parts: Parts, { source }: Comparison, ui: Ui): Html {
  const isSame = source?.every(({ added, removed }) => !added && !removed) ?? false;
  if (isSame) return html`<p>${ui.t("The text is the same.")}</p>`;
  return parts.difference(ui, "", "", source ?? "long");
}

/** Compares two revisions; without `to`, with the newest. */
function compared(visit: Visit, { page, from, to }: { page: Page; from: number; to?: number | undefined }) {
  const path = `/api/pages/${page.id}/revisions/${from}/compare` as const;
  return to === undefined ? visit.get(path) : visit.get(`${path}?to=${to}`);
}

function comparisonPath(path: string, { from, to }: Comparison): string {
  return `${path}/compare-revisions?from=${from.id}&to=${to.id}`;
}

function chosenId({ query }: Visit, name: string): number | undefined {
  const chosen = String(query[name] ?? "");
  return /^\d{1,10}$/.test(chosen) ? Number(chosen) : undefined;
}

function revisionPath(page: Page, visit: Visit) {
  return `/api/pages/${page.id}/revisions/${idOf(visit, "revision")}` as const;
}

async function place(visit: Visit) {
  const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
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
