/** The screen of a host: status, outdated packages, repositories. */
import type { Ui, View, Web } from "lectern/contracts";
import { type HtmlPart, html } from "lectern/core";
import type { Host, HostDetail } from "./api_types.ts";
import { statusBadge, systemOf } from "./host_list.ts";

/** Data of the screen. */
export interface HostData {
  readonly path: string;
  readonly host: HostDetail;
}

/** Whether a host is excluded from all numbers. */
export function isExcluded({ status }: Host): boolean {
  return status !== "active";
}

/** Names the view. */
export function hostView(web: Web): View<HostData> {
  const { parts } = web;
  return web.view("integrations/host", ({ path, host }, ui) => {
    const { t } = ui;
    const outdated = parts.table(ui, {
      caption: t("Outdated packages"),
      head: [t("Package"), t("Installed"), t("Available"), t("Type")],
      rows: [...host.outdated]
        .sort((a, b) => Number(b.security) - Number(a.security))
        .map((one) => [
          one.name,
          html`<code>${one.current_version}</code>`,
          html`<code>${one.available_version}</code>`,
          one.security ? parts.badge(ui, "bad", t("Security")) : t("Update"),
        ]),
      empty: host.last_report_at === null ? t("Nothing was reported yet.") : t("Everything is up to date."),
    });
    const repositories = parts.table(ui, {
      caption: t("Repositories"),
      head: [t("Address"), t("Distribution"), t("Components"), t("Type"), t("In use")],
      rows: host.repositories.map((one) => [
        one.url,
        one.distribution,
        one.components,
        one.type,
        one.enabled ? t("yes") : t("no"),
      ]),
      empty: t("No repository was reported."),
    });
    return html`<div class="head-line"><h1>${host.friendly_name} ${statusBadge(web, host, ui)}</h1>
<div class="actions"><a role="button" class="small secondary outline" href="${ui.url(`${path}/edit`)}">${ui.icon("edit")} ${t("Rename")}</a>
${
  host.status === "inactive"
    ? parts.button(ui, { action: `${path}/take-in`, text: t("Include in statistics"), icon: "check" })
    : parts.button(ui, { action: `${path}/take-out`, text: t("Exclude from statistics"), icon: "lock" })
}
${parts.dialogLink(ui, { path: `${path}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div></div>
${host.status === "pending" && parts.notice(ui, "note", t("This host has not reported yet. It is not included in the statistics until it does."))}
${host.needs_reboot && parts.notice(ui, "note", host.reboot_reason ? t("A restart is required: :reason", { reason: host.reboot_reason }) : t("A restart is required."))}
<dl class="facts">${facts(host, ui).map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>
<h2>${t("Outdated packages")}</h2>${outdated}
<h2>${t("Repositories")}</h2>${repositories}`;
  });
}

function facts(host: Host, ui: Ui): (readonly [string, HtmlPart])[] {
  const { t } = ui;
  const known: (readonly [string, string | null])[] = [
    [t("Hostname"), host.hostname],
    [t("Address"), host.ip],
    [t("Architecture"), host.architecture],
    [t("Kernel"), host.kernel_version],
    [t("Agent"), host.agent_version],
  ];
  return [
    [t("System"), systemOf(host, ui)],
    ...known.filter(([, value]) => value !== null && value !== ""),
    [t("Packages"), host.packages],
    [t("Outdated packages"), host.outdated_packages],
    [t("Security updates"), host.security_updates],
    [t("Last report"), ui.time(host.last_report_at)],
    [t("Last seen"), ui.time(host.last_seen_at)],
    [t("Created"), ui.time(host.created_at)],
    [t("API id"), html`<code>${host.api_id}</code>`],
  ];
}
