/**
 * The index of tags: their names, and the values of a name, with how many items have them, as far as the reader sees these. A number leads
 * to the search for its items.
 */
import type { Answers, Ui } from "lectern/contracts";
import { type Html, html, type InputValue } from "lectern/core";
import type { ReadingContext } from "./contract.ts";
import { mayRenameTags, tagIndexPath, tagRenamePath, tagSearchPath } from "./tag_paths.ts";

/** A name or a value of a tag, with its uses. */
type Counted = Answers["/api/tags/names"]["data"][number] | Answers["/api/tags/values-for-name"]["data"][number];

/** Data of the screen. */
export interface TagsData {
  /** The name whose values are shown; undefined for the names. */
  readonly name: string | undefined;
  readonly tags: readonly Counted[];
  readonly total: number;
  readonly search: string;
  readonly pager: Html;
}

const PATH = "/tags";
const PAGE_SIZE = 100;
/** The counts of a tag by kind, with the icon and the label of each. */
const KINDS = [
  { field: "page_count", icon: "page", label: "Pages" },
  { field: "chapter_count", icon: "chapter", label: "Chapters" },
  { field: "book_count", icon: "book", label: "Books" },
  { field: "shelf_count", icon: "shelf", label: "Shelves" },
] as const;

/** Mounts the screen. */
export function mountTags({ app, web }: ReadingContext): void {
  const { parts } = web;
  const view = web.view("reading/tags", ({ name, tags, total, search, pager }, ui) => {
    const { t } = ui;
    const mayRename = mayRenameTags(ui);
    const title = name === undefined ? t("Tags") : t("Values of “:name”", { name });
    const rename = name !== undefined && mayRename && total > 0;
    return html`<div class="head-line"><h1>${title}</h1>${
      rename &&
      html`<a role="button" class="small secondary outline" href="${ui.url(tagRenamePath(name))}">${ui.icon("edit")} ${t("Rename")}</a>`
    }</div>
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${name === undefined ? t("Find tags") : t("Find values")}">
${name !== undefined && html`<input type="hidden" name="name" value="${name}">`}
${parts.field(ui, { name: "search", label: name === undefined ? t("Tag name") : t("Value"), type: "search", value: search })}
<button class="secondary">${t("Find")}</button></form>
<p class="quiet" role="status">${name === undefined ? t(":total tags", { total }) : t(":total values", { total })}</p>
${name === undefined ? namesTable(tags, mayRename, search, ui) : valuesTable(tags, name, mayRename, search, ui)}
${pager}`;
  });

  function namesTable(tags: readonly Counted[], mayRename: boolean, search: string, ui: Ui): Html {
    const { t } = ui;
    const rows = tags.map((tag) => [
      html`${ui.icon("tag")} <a class="any-words" href="${ui.url(tagIndexPath(tag.name))}">${tag.name}</a>`,
      "values" in tag ? tag.values : "",
      uses(tag, tagSearchPath(tag.name), ui),
      ...(mayRename ? [renameLink(t("Rename “:name”", { name: tag.name }), tagRenamePath(tag.name), ui)] : []),
    ]);
    const head = [
      t("Tag"),
      t("Values"),
      t("Used by"),
      ...(mayRename ? [html`<span class="unseen">${t("Actions")}</span>`] : []),
    ];
    return parts.table(ui, { caption: t("Tags"), head, rows, empty: emptyText(search, ui) });
  }

  function valuesTable(tags: readonly Counted[], name: string, mayRename: boolean, search: string, ui: Ui): Html {
    const { t } = ui;
    const rows = tags.map((tag) => {
      const value = "value" in tag ? tag.value : "";
      const shown = value === "" ? t("(no value)") : value;
      return [
        html`<span class="any-words${value === "" && " quiet"}">${shown}</span>`,
        uses(tag, tagSearchPath(name, value), ui),
        ...(mayRename ? [renameLink(t("Rename “:name”", { name: shown }), tagRenamePath(name, value), ui)] : []),
      ];
    });
    const head = [t("Value"), t("Used by"), ...(mayRename ? [html`<span class="unseen">${t("Actions")}</span>`] : [])];
    return parts.table(ui, { caption: t("Values of “:name”", { name }), head, rows, empty: emptyText(search, ui) });
  }

  web.screen(app.site, PATH, "reader", async (visit) => {
    const { ui } = visit;
    const { page, size, query } = web.paged(visit.query, PAGE_SIZE);
    const [name, search] = [textOf(visit.query.name), textOf(visit.query.search) ?? ""];
    const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
    const column = name === undefined ? "name" : "value";
    const listed = `${query}&sort=${column}${search === "" ? "" : `&filter[${column}:like]=${encodeURIComponent(pattern)}`}`;
    const { data, total } =
      name === undefined
        ? await visit.get(`/api/tags/names?${listed}`)
        : await visit.get(`/api/tags/values-for-name?name=${encodeURIComponent(name)}&${listed}`);
    const kept = { ...(name !== undefined && { name }), ...(search !== "" && { search }) };
    const pager = parts.pager(ui, { path: PATH, query: kept, total, page, size });
    const body = view({ name, tags: data, total, search, pager }, ui);
    if (name === undefined) return { title: ui.t("Tags"), menu: PATH, body };
    const crumbs = [{ text: ui.t("Tags"), path: PATH }, { text: name }];
    return { title: ui.t("Values of “:name”", { name }), menu: PATH, crumbs, body };
  });
}

/** A text of a query string that is not empty. */
function textOf(value: InputValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function emptyText(search: string, { t }: Ui): string {
  return search === "" ? t("Nothing that you can view has a tag yet.") : t("No tag contains “:search”.", { search });
}

/** The number of items, as a link to them, and how many there are of each kind. */
function uses(tag: Counted, path: string, ui: Ui): Html {
  const kinds = KINDS.filter(({ field }) => tag[field] > 0);
  const number = ui.serves("/api/search")
    ? html`<a href="${ui.url(path)}" aria-label="${ui.t("Items with this tag: :count", { count: tag.usages })}">${ui.number(tag.usages)}</a>`
    : ui.number(tag.usages);
  return html`<span class="uses">${number} <span class="quiet">${kinds.map(
    ({ field, icon, label }) => html`<span>${ui.icon(icon, ui.t(label))} ${ui.number(tag[field])}</span> `,
  )}</span></span>`;
}

function renameLink(label: string, path: string, ui: Ui): Html {
  return html`<a class="icon-link" href="${ui.url(path)}" aria-label="${label}" title="${label}">${ui.icon("edit")}</a>`;
}
