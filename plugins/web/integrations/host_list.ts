/**
 * The list of hosts with its filters: which machines need updates or a restart, and which do not report. Filters are in the URL, so
 * that a filtered list can be bookmarked; unknown filters are ignored.
 */
import type { Ui, View, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { Host, Hosts } from "./api_types.ts";
import { integrationsHead } from "./tabs.ts";

/** The filters of the list. */
export interface HostFilters {
  readonly name: string;
  readonly status: string;
  readonly wanting: string;
}

/** Data of the list. */
export interface HostListData {
  readonly path: string;
  readonly hosts: Hosts;
  readonly filters: HostFilters;
  readonly page: number;
  readonly size: number;
  readonly query: InputObject;
}

const STATUSES = { active: "Active", pending: "Pending", inactive: "Inactive" } as const;
const NEEDS: Readonly<Record<string, { text: string; filter: string }>> = {
  updates: { text: "Outdated packages", filter: "outdated_packages:gt" },
  security: { text: "Security updates", filter: "security_updates:gt" },
  reboot: { text: "Restart", filter: "needs_reboot" },
};

/** The filters of a query; unknown values are dropped. */
export function filtersOf({ name, status, wanting }: InputObject): HostFilters {
  return {
    name: typeof name === "string" ? name : "",
    status: typeof status === "string" && status in STATUSES ? status : "",
    wanting: typeof wanting === "string" && wanting in NEEDS ? wanting : "",
  };
}

/** The filters as a query of the API. */
export function searchOf({ name, status, wanting }: HostFilters): string {
  const search = new URLSearchParams({ sort: "+friendly_name" });
  if (name !== "") search.set("filter[friendly_name:like]", `%${name}%`);
  if (status !== "") search.set("filter[status]", status);
  const need = NEEDS[wanting];
  if (need) search.set(`filter[${need.filter}]`, wanting === "reboot" ? "1" : "0");
  return search.toString();
}

/** Names the list's view. */
export function hostListView(web: Web): View<HostListData> {
  const { parts } = web;
  return web.view("integrations/hosts", ({ path, hosts, filters, page, size, query }, ui) => {
    const { t } = ui;
    const isFiltered = Object.values(filters).some((value) => value !== "");
    const rows = hosts.data.map((host) => [
      html`<a href="${ui.url(`${path}/${host.id}`)}">${host.friendly_name}</a>${host.hostname !== null && host.hostname !== host.friendly_name && html`<br><span class="quiet">${host.hostname}</span>`}`,
      html`${statusBadge(web, host, ui)}${host.needs_reboot && html`<br>${parts.badge(ui, "note", t("Restart required"))}`}`,
      systemOf(host, ui),
      host.outdated_packages,
      html`${host.security_updates > 0 ? html`<strong>${ui.icon("warning")} ${host.security_updates}</strong>` : "0"}`,
      ui.time(host.last_report_at),
    ]);
    const table = parts.table(ui, {
      caption: t("Hosts"),
      head: [t("Name"), t("Status"), t("System"), t("Outdated"), t("Security"), t("Last report")],
      rows,
      empty: isFiltered
        ? t("No host matches these filters.")
        : t("There are no hosts yet. Create one, or enrol hosts by script with an enrolment key."),
    });
    return html`${integrationsHead(parts, ui, "hosts")}
<div class="head-line"><p>${t("Machines that report their packages, through an agent or the reporter script.")}</p>
<a role="button" class="small" href="${ui.url(`${path}/new`)}">${ui.icon("plus")} ${t("New host")}</a></div>
${filterForm(web, path, filters, ui)}
${hosts.total > 0 && html`<p class="quiet">${t("Hosts found: :total", { total: hosts.total })}</p>`}
${table}${parts.pager(ui, { path, query, total: hosts.total, page, size })}`;
  });
}

function filterForm({ parts }: Web, path: string, { name, status, wanting }: HostFilters, ui: Ui): Html {
  const { t } = ui;
  const any = ["", t("any")] as const;
  return html`<form class="filters" method="get" action="${ui.url(path)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "name", label: t("Name contains"), value: name, autocomplete: "off" })}
${parts.field(ui, { name: "status", label: t("Status"), type: "select", value: status, options: [any, ...Object.entries(STATUSES).map(([key, text]) => [key, t(text)] as const)] })}
${parts.field(ui, { name: "wanting", label: t("Needs"), type: "select", value: wanting, options: [["", t("any")], ...Object.entries(NEEDS).map(([key, { text }]) => [key, t(text)] as const)] })}
<button class="secondary">${ui.icon("search")} ${t("Filter")}</button></form>`;
}

/** The status of a host, with the reason where it is inactive. */
export function statusBadge({ parts }: Web, { status, inactive_reason }: Host, ui: Ui): Html {
  const { t } = ui;
  if (status === "active") return parts.badge(ui, "good", t("Active"));
  if (status === "pending") return parts.badge(ui, "note", t("Pending"));
  return inactive_reason === "stale"
    ? parts.badge(ui, "bad", t("Inactive: not reporting"))
    : parts.badge(ui, "note", t("Inactive: excluded"));
}

/** The system of a host with its version; a dash before its first report. */
export function systemOf({ os_name, os_version, last_report_at }: Host, _ui: Ui): string {
  return last_report_at === null ? "–" : `${os_name} ${os_version}`.trim();
}
