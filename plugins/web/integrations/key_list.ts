/** The list of keys, with their last use and last rejection, for finding out why a widget shows nothing. */
import type { Ui, View, Web } from "lectern/contracts";
import { type Html, type HtmlPart, html, type InputObject } from "lectern/core";
import type { Key, Keys } from "./api_types.ts";
import type { KeyKind } from "./key_kinds.ts";
import { integrationsHead } from "./tabs.ts";

/** Data of the list. */
export interface KeyListData {
  readonly kind: KeyKind;
  readonly keys: Keys;
  readonly page: number;
  readonly size: number;
  readonly query: InputObject;
  /** The rendered usage of the rate limit; only for keys of dashboards. */
  readonly budget: Html | undefined;
}

const STATUS = {
  active: ["good", "Active"],
  inactive: ["note", "Inactive"],
  expired: ["bad", "Expired"],
} as const;

const REASONS: Readonly<Record<string, string>> = {
  secret: "Wrong secret",
  inactive: "The key was disabled",
  expired: "The key had expired",
  type: "The key has a different type",
};

/** Names the list's view. */
export function keyListView(web: Web): View<KeyListData> {
  const { parts } = web;
  const card = web.view("integrations/key", ({ key, kind }, ui) => {
    const { t } = ui;
    const [shade, label] = STATUS[key.status];
    const path = `${kind.path}/${key.id}`;
    return html`<li class="card"><div class="card-head"><h2>${key.token_name}</h2> ${parts.badge(ui, shade, t(label))}</div>
${parts.copyable(ui, { label: t("Key"), value: key.token_key })}
<dl class="facts-grid">${facts(key, ui).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
<div class="actions">
${kind.type === "dashboard" && html`<a role="button" class="small secondary outline" href="${ui.url(`${path}/setup`)}">${ui.icon("copy")} ${t("Set up")}</a>`}
<a role="button" class="small secondary outline" href="${ui.url(`${path}/edit`)}">${ui.icon("edit")} ${t("Edit")}</a>
${
  key.is_active
    ? parts.button(ui, { action: `${path}/disable`, text: t("Disable"), icon: "lock" })
    : parts.button(ui, { action: `${path}/enable`, text: t("Enable"), icon: "check" })
}
${parts.dialogLink(ui, { path: `${path}/delete`, text: t("Delete"), icon: "delete", kind: "danger" })}</div></li>`;
  });
  return web.view("integrations/keys", ({ kind, keys, page, size, query, budget }, ui) => {
    const { t } = ui;
    return html`${integrationsHead(parts, ui, kind.type)}
<div class="head-line"><p>${t(kind.intro)}</p>
<a role="button" class="small" href="${ui.url(`${kind.path}/new`)}">${ui.icon("plus")} ${t(kind.create)}</a></div>
${keys.data.length === 0 ? html`<p class="empty">${t(kind.empty)}</p>` : html`<ul class="cards">${keys.data.map((key) => card({ key, kind }, ui))}</ul>`}
${parts.pager(ui, { path: kind.path, query, total: keys.total, page, size })}
${budget}`;
  });
}

function facts(key: Key, ui: Ui): (readonly [string, HtmlPart])[] {
  const { t } = ui;
  const isExpired = key.status === "expired";
  return [
    [t("Created"), ui.time(key.created_at)],
    [
      t("Last used"),
      key.last_used_at === null
        ? t("never")
        : html`${ui.time(key.last_used_at)}${key.last_used_ip !== null && html`<br>${t("from :address", { address: key.last_used_ip })}`}`,
    ],
    [
      t("Expires"),
      key.expires_at === null
        ? t("never")
        : html`${ui.time(key.expires_at)}${isExpired && html` <span class="fault">${t("(expired)")}</span>`}`,
    ],
    [
      t("Allowed addresses"),
      key.allowed_ip_ranges.length === 0
        ? t("any")
        : key.allowed_ip_ranges.map((range) => html`<code>${range}</code> `),
    ],
    [
      t("Last rejection"),
      key.last_refused_at === null
        ? t("none")
        : html`${ui.time(key.last_refused_at)}<br>${reasonOf(key.last_refused_reason ?? "", ui)}`,
    ],
    ...(key.integration_type === "enrolment" ? [[t("Hosts per day"), key.max_hosts_per_day] as const] : []),
  ];
}

function reasonOf(reason: string, { t }: Ui): string {
  if (reason.startsWith("address "))
    return t("The address :address is not allowed", { address: reason.slice("address ".length) });
  return t(REASONS[reason] ?? reason);
}
