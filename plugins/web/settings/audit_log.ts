/**
 * The audit log with its filters. Rows name items by kind and id; the path of an item is looked up when its link is followed, so that
 * a page of the log needs no request for each row.
 */
import { type Answers, activityDescription, kindLabels, type Ui, type Visit, type Web } from "lectern/contracts";
import { ApiError, DAY_MS, type Html, html, localeTag, type Permit } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { pathOfItem } from "./item_paths.ts";
import { MAX_OPTIONS } from "./listings.ts";

/** A row of the log. */
export type AuditRow = Answers["/api/audit-log"]["data"][number];

/** The filters of the log. */
export interface AuditFilters {
  readonly type: string;
  readonly user: string;
  readonly from: string;
  readonly to: string;
  readonly ip: string;
}

/** Data of the screen. */
export interface AuditData {
  readonly rows: readonly AuditRow[];
  readonly total: number;
  readonly filters: AuditFilters;
  readonly types: readonly string[];
  readonly users: readonly { readonly id: number; readonly name: string }[];
  readonly pager: Html;
  /** Whether a plugin of a kind is installed; rows about items of other kinds have no link. */
  readonly isInstalled: (kind: string) => boolean;
  /** What the user did, in English, and the type in a list of types, as the form of a webhook names it; by type. */
  wordsOf(type: string): { readonly phrase: string; readonly label: string };
  /** The name of a kind of item, in English. */
  kindName(kind: string): string;
}

const PATH = "/settings/audit";
const BIN = "/settings/recycle-bin";
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The permissions that the log needs. */
export const AUDIT_LOG_PERMIT: Permit = { all: ["settings-manage", "users-manage"] };

/** Mounts the log. */
export function mountAuditLog({ app, slot, web }: SettingsContext): void {
  const view = web.view("settings/audit", (data, ui) => drawLog(web, data, ui));
  const wordsOf = (type: string) => {
    const described = activityDescription({ activity: slot("activity"), content: slot("content") }, type);
    const { phrase, label = phrase } = described ?? { phrase: type.replaceAll("_", " ") };
    return { phrase, label };
  };
  web.screen(app.site, PATH, AUDIT_LOG_PERMIT, async (visit) => {
    const filters = filtersIn(visit);
    const { page, size, query } = web.paged(visit.query, 50);
    const { data, total } = await visit.get(`/api/audit-log?${query}&sort=-id${queryOf(filters)}`);
    const types = await visit.get("/api/audit-log/types");
    const users = await visit.get(`/api/users?count=${MAX_OPTIONS}&sort=name`);
    const active = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
    const pager = web.parts.pager(visit.ui, { path: PATH, query: active, total, page, size });
    const isInstalled = (name: string) => slot("content").some(({ kind }) => kind === name);
    const shown = {
      ...{ rows: data, total, filters, types: types.data, users: users.data, pager, isInstalled },
      wordsOf,
      kindName: (kind: string) => kindLabels(slot("content"), kind).one,
    };
    return { title: visit.ui.t("Audit log"), body: view(shown, visit.ui) };
  });
  web.screen(app.site, `${PATH}/item/:kind/:id`, AUDIT_LOG_PERMIT, async (visit) => {
    const kind = slot("content").find((each) => each.kind === visit.params.kind);
    const path = kind && (await pathOfItem(visit, kind.segment, encodeURIComponent(visit.params.id ?? "")));
    if (path !== undefined) return visit.goTo(path);
    const entry = kind && (await binEntryOf(visit, kind.kind));
    if (entry === undefined)
      throw new ApiError(
        404,
        visit.ui.serves("/api/recycle-bin")
          ? visit.ui.t("This item is in the recycle bin or was permanently deleted.")
          : visit.ui.t("This item was deleted."),
      );
    // Rows of permanently deleted items have no link, and the bin has no entry for items deleted with their book or chapter.
    if (entry === null)
      return visit.goTo(
        BIN,
        visit.ui.t("This item has no entry of its own: it was deleted together with its book or chapter."),
      );
    return visit.goTo(`${BIN}?entry=${entry}`);
  });
}

/** The id of the entry of an item in the recycle bin; null where it has none, undefined where the viewer may not read the bin. */
async function binEntryOf(visit: Visit, kind: string): Promise<number | null | undefined> {
  const id = Number(visit.params.id);
  if (!Number.isInteger(id)) return undefined;
  const query = `filter[deletable_type]=${encodeURIComponent(kind)}&filter[deletable_id]=${id}&sort=-id&count=1`;
  const found = await visit.find(`/api/recycle-bin?${query}`);
  return found && (found.data[0]?.id ?? null);
}

function filtersIn({ query }: Visit): AuditFilters {
  const text = (name: string) => (typeof query[name] === "string" ? query[name].trim() : "");
  const day = (name: string) => (DAY.test(text(name)) && !Number.isNaN(Date.parse(text(name))) ? text(name) : "");
  return { type: text("type"), user: text("user"), from: day("from"), to: day("to"), ip: text("ip") };
}

function queryOf({ type, user, from, to, ip }: AuditFilters): string {
  const search = new URLSearchParams();
  if (type !== "") search.set("filter[type]", type);
  if (user !== "") search.set("filter[user_id]", user);
  if (from !== "") search.set("filter[created_at:gte]", from);
  if (to !== "") search.set("filter[created_at:lt]", new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10));
  if (ip !== "") search.set("filter[ip:like]", `${ip.replace(/[\\%_]/g, "\\$&")}%`);
  return search.size === 0 ? "" : `&${search}`;
}

function drawLog({ parts }: Web, data: AuditData, ui: Ui): Html {
  const { rows, total, filters, types, users, pager, wordsOf } = data;
  const { t } = ui;
  const options = types
    .map((type) => [type, t(wordsOf(type).label)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, localeTag(ui.language)));
  const head = [t("When"), t("Who"), t("What"), t("Details"), t("Address")];
  const cells = rows.map((row) => [
    ui.time(row.created_at),
    row.user
      ? html`<a class="any-words" href="${ui.url(`/settings/users/${row.user.id}`)}">${row.user.name}</a>`
      : deletedUser(row, ui),
    html`<span title="${row.type}">${t(wordsOf(row.type).phrase)}</span>`,
    html`<span class="any-words">${detailOf(row, data, ui)}</span>`,
    row.ip === "" ? "–" : row.ip,
  ]);
  return html`<h1>${t("Audit log")}</h1>
<form class="filters" method="get" action="${ui.url(PATH)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "type", label: t("What"), type: "select", value: filters.type, options: [["", t("Everything")], ...options] })}
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

function deletedUser({ user_id }: AuditRow, ui: Ui): string {
  return user_id ? ui.t("Deleted user :id", { id: user_id }) : ui.t("This instance");
}

function detailOf(
  { detail, loggable_type, loggable_id }: AuditRow,
  { isInstalled, kindName }: AuditData,
  ui: Ui,
): Html {
  if (loggable_type === null || loggable_id === null) return html`${detail}`;
  const kind = ui.t(kindName(loggable_type));
  if (!isInstalled(loggable_type)) return html`${kind}: ${detail}`;
  return html`${kind}: <a href="${ui.url(`${PATH}/item/${loggable_type}/${loggable_id}`)}">${detail}</a>`;
}
