/**
 * The audit log with its filters. Rows name items by kind and number; a link asks where the item is when it is followed, so
 * that a page of the log costs one request and not one for each row.
 */
import type { ContentKind, ScreenAccess, Ui, Visit, Web } from "lectern/contracts";
import { ApiError, type Html, html, type SiteApp } from "lectern/core";
import { pathOfItem } from "./item_paths.ts";
import { KINDS, type Listed, MOST_CHOICES } from "./pieces.ts";

/** A row of the log. */
export interface AuditRow {
  readonly id: number;
  readonly type: string;
  readonly detail: string;
  readonly user_id: number;
  readonly loggable_type: string | null;
  readonly loggable_id: number | null;
  readonly ip: string;
  readonly created_at: string;
  readonly user: { readonly id: number; readonly name: string } | null;
}

/** What the log is asked for. */
export interface AuditFilters {
  readonly type: string;
  readonly user: string;
  readonly from: string;
  readonly to: string;
  readonly ip: string;
}

/** What the log shows. */
export interface AuditData {
  readonly rows: readonly AuditRow[];
  readonly total: number;
  readonly filters: AuditFilters;
  readonly types: readonly string[];
  readonly users: readonly { readonly id: number; readonly name: string }[];
  readonly pager: Html;
}

const PATH = "/settings/audit";
const BIN = "/settings/recycle-bin";
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Mounts the log. */
export function mountAudit(site: SiteApp, web: Web, admits: ScreenAccess, kinds: () => readonly ContentKind[]): void {
  const view = web.view<AuditData>("settings/audit", (data, ui) => drawn(web, data, ui));
  web.screen(site, PATH, admits, async (visit) => {
    const filters = filtersIn(visit);
    const { page, size, query } = web.paged(visit.query, 50);
    const { data, total } = await visit.get<Listed<AuditRow>>(`/api/audit-log?${query}&sort=-id${asked(filters)}`);
    const types = await visit.get<Listed<string>>("/api/audit-log/types");
    const users = await visit.get<Listed<AuditData["users"][0]>>(`/api/users?count=${MOST_CHOICES}&sort=name`);
    const kept = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
    const pager = web.parts.pager(visit.ui, { path: PATH, query: kept, total, page, size });
    const shown = { rows: data, total, filters, types: types.data, users: users.data, pager };
    return { title: visit.ui.t("Audit log"), body: view(shown, visit.ui) };
  });
  web.screen(site, `${PATH}/item/:kind/:id`, admits, async (visit) => {
    const kind = kinds().find((each) => each.kind === visit.params.kind);
    const path = kind && (await pathOfItem(visit, kind.segment, encodeURIComponent(visit.params.id ?? "")));
    if (path !== undefined) return visit.goTo(path);
    const entry = kind && (await binEntryOf(visit, kind.kind));
    if (entry === undefined)
      throw new ApiError(404, visit.ui.t("This item is in the recycle bin or was permanently deleted."));
    // Rows of what is gone for good have no link, and the bin has no entry for what was deleted with its book or chapter.
    if (entry === null)
      return visit.goTo(
        BIN,
        visit.ui.t("This item has no entry of its own: it was deleted together with its book or chapter."),
      );
    return visit.goTo(`${BIN}?entry=${entry}`);
  });
}

/** The entry of an item in the bin; null where it has none, undefined where there is no such item or no looking into the bin. */
async function binEntryOf(visit: Visit, kind: string): Promise<number | null | undefined> {
  const id = Number(visit.params.id);
  if (!Number.isInteger(id)) return undefined;
  const query = `filter[deletable_type]=${encodeURIComponent(kind)}&filter[deletable_id]=${id}&sort=-id&count=1`;
  const found = await visit.find<Listed<{ id: number }>>(`/api/recycle-bin?${query}`);
  return found && (found.data[0]?.id ?? null);
}

function filtersIn({ query }: Visit): AuditFilters {
  const text = (name: string) => (typeof query[name] === "string" ? query[name].trim() : "");
  const day = (name: string) => (DAY.test(text(name)) && !Number.isNaN(Date.parse(text(name))) ? text(name) : "");
  return { type: text("type"), user: text("user"), from: day("from"), to: day("to"), ip: text("ip") };
}

function asked({ type, user, from, to, ip }: AuditFilters): string {
  const search = new URLSearchParams();
  if (type !== "") search.set("filter[type]", type);
  if (user !== "") search.set("filter[user_id]", user);
  if (from !== "") search.set("filter[created_at:gte]", from);
  if (to !== "") search.set("filter[created_at:lt]", new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10));
  if (ip !== "") search.set("filter[ip:like]", `${ip.replace(/[\\%_]/g, "\\$&")}%`);
  return search.size === 0 ? "" : `&${search}`;
}

function drawn({ parts }: Web, { rows, total, filters, types, users, pager }: AuditData, ui: Ui): Html {
  const { t } = ui;
  const head = [t("When"), t("Who"), t("What"), t("Details"), t("Address")];
  const cells = rows.map((row) => [
    ui.time(row.created_at),
    row.user
      ? html`<a class="any-words" href="${ui.url(`/settings/users/${row.user.id}`)}">${row.user.name}</a>`
      : whoIsGone(row, ui),
    html`<code>${row.type}</code>`,
    html`<span class="any-words">${detailOf(row, ui)}</span>`,
    row.ip === "" ? "–" : row.ip,
  ]);
  return html`<h1>${t("Audit log")}</h1>
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "type", label: t("What"), type: "select", value: filters.type, options: [["", t("Everything")], ...types.map((type) => [type, type] as const)] })}
${parts.field(ui, { name: "user", label: t("Who"), type: "select", value: filters.user, options: [["", t("Everyone")], ...users.map(({ id, name }) => [id, name] as const)] })}
${parts.field(ui, { name: "from", label: t("From"), type: "date", value: filters.from })}
${parts.field(ui, { name: "to", label: t("To"), type: "date", value: filters.to })}
${parts.field(ui, { name: "ip", label: t("Address"), placeholder: "192.0.2.", value: filters.ip })}
<button class="secondary">${t("Filter")}</button>
${Object.values(filters).some((value) => value !== "") && html`<a href="${ui.url(PATH)}">${t("Show all")}</a>`}</form>
<p class="quiet">${t(":total entries", { total })}</p>
${parts.table(ui, { caption: t("Audit log"), head, rows: cells, empty: t("No matching entries.") })}
${pager}`;
}

function whoIsGone({ user_id }: AuditRow, ui: Ui): string {
  return user_id === 0 ? ui.t("This instance") : ui.t("Deleted user :id", { id: user_id });
}

function detailOf({ detail, loggable_type, loggable_id }: AuditRow, ui: Ui): Html {
  if (loggable_type === null || loggable_id === null) return html`${detail}`;
  const kind = ui.t(KINDS[loggable_type] ?? loggable_type);
  return html`${kind}: <a href="${ui.url(`${PATH}/item/${loggable_type}/${loggable_id}`)}">${detail}</a>`;
}
