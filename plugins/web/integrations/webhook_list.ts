/** The list of webhooks, their states, and the screen of a new webhook with its secret. */
import type { Ui, View, Web } from "lectern/contracts";
import { type Html, html, type InputObject } from "lectern/core";
import type { Webhook, Webhooks } from "./api_types.ts";

/** The path of the webhooks. */
export const WEBHOOKS = "/settings/webhooks";

/** Data of the list. */
export interface HookListData {
  readonly hooks: Webhooks;
  readonly page: number;
  readonly size: number;
  readonly query: InputObject;
}

/** The start of `last_error` where the plugin `webhooks` disabled a webhook after failures. */
const DISABLED_ERROR = "Switched off after";

/** Names the list's view. */
export function hookListView(web: Web): View<HookListData> {
  const { parts } = web;
  return web.view("integrations/webhooks", ({ hooks, page, size, query }, ui) => {
    const { t } = ui;
    const table = parts.table(ui, {
      caption: t("Webhooks"),
      head: [t("Webhook"), t("Events"), t("State"), t("Last called"), t("Calls")],
      rows: hooks.data.map((hook) => [
        html`<a href="${ui.url(`${WEBHOOKS}/${hook.id}`)}">${hook.name}</a><br><code class="breaks">${hook.endpoint}</code>`,
        hook.events.includes("all") ? t("all events") : t("event types: :count", { count: hook.events.length }),
        html`${stateBadge(web, hook, ui)}${hook.last_error !== "" && (!hook.active || hook.failing_since !== null) && html`<br><span class="quiet">${hook.last_error}</span>`}`,
        ui.time(hook.last_called_at),
        html`<a href="${ui.url(`${WEBHOOKS}/${hook.id}/deliveries`)}">${t("Calls")}<span class="unseen"> ${hook.name}</span></a>`,
      ]),
      empty: t("There are no webhooks yet. A webhook notifies an address of yours when something happens here."),
    });
    return html`<div class="head-line"><h1>${t("Webhooks")}</h1>
<a role="button" class="small" href="${ui.url(`${WEBHOOKS}/create`)}">${ui.icon("plus")} ${t("New webhook")}</a></div>
${table}${parts.pager(ui, { path: WEBHOOKS, query, total: hooks.total, page, size })}`;
  });
}

/** The state of a webhook. */
export function stateBadge({ parts }: Web, hook: Webhook, ui: Ui): Html {
  const { t } = ui;
  if (hook.active && hook.failing_since !== null) return parts.badge(ui, "bad", t("Failing"));
  if (hook.active) return parts.badge(ui, "good", t("Active"));
  return wasDisabled(hook)
    ? parts.badge(ui, "bad", t("Disabled after failures"))
    : parts.badge(ui, "note", t("Disabled"));
}

/** Whether it was disabled after failures, not by a user. */
export function wasDisabled({ active, last_error }: Webhook): boolean {
  return !active && last_error.startsWith(DISABLED_ERROR);
}

/** Names the view of a new webhook. */
export function hookCreatedView(web: Web): View<{ title: string; hook: Webhook & { secret: string } }> {
  const { parts } = web;
  return web.view("integrations/webhook_created", ({ title, hook }, ui) => {
    const { t } = ui;
    return html`<h1>${title}</h1>
${parts.notice(ui, "note", t("Copy the secret now. It is shown only once."))}
<h2>${hook.name}</h2>
${parts.copyable(ui, { label: t("Address"), value: hook.endpoint })}
${parts.copyable(ui, { label: t("Secret"), value: hook.secret, secret: true })}
<p>${t("Calls are signed with it as Standard Webhooks describes, so that the receiver can tell them from others.")}</p>
<p><a role="button" href="${ui.url(WEBHOOKS)}">${ui.icon("check")} ${t("I have saved the secret")}</a></p>`;
  });
}
