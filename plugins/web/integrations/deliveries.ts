/**
 * The calls of a webhook: list, request and response of a call, resend. For users who look for a missing call: the list shows which
 * calls failed and why. The plugin `webhooks` decides what is stored, and for how long. The body of a response is shown as plain
 * text.
 */
import type { Ui, View, Visit, Web } from "lectern/contracts";
import { html, type InputObject } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Deliveries, Delivery, DeliveryDetail, Webhook } from "./api_types.ts";
import { type IntegrationsContext, PERMIT } from "./contract.ts";
import { WEBHOOKS } from "./webhook_list.ts";

const ALL = `${WEBHOOKS}/:id/deliveries`;
const ONE = `${ALL}/:delivery`;
const STATES = { waiting: "Waiting", delivered: "Delivered", failed: "Failed" } as const;

/** Mounts the screens. */
export function mountDeliveries({ app, web }: IntegrationsContext): void {
  const list = listView(web);
  const view = deliveryView(web);
  web.screen(app.site, ALL, PERMIT, async (visit) => {
    const { ui, query } = visit;
    const hook = await visit.get(hookPath(visit));
    const state = typeof query.state === "string" && query.state in STATES ? query.state : "";
    const { page, size, query: paging } = web.paged(query);
    const filter = state === "" ? "" : `filter[state]=${state}&`;
    const calls = await visit.get(`${hookPath(visit)}/deliveries?${filter}sort=-id&${paging}`);
    const title = ui.t("Calls of “:name”", { name: hook.name });
    const crumbs = [...crumbsTo(hook, ui), { text: ui.t("Calls") }];
    return { title, crumbs, body: list({ title, hook, calls, state, page, size, query }, ui) };
  });
  web.screen(app.site, ONE, PERMIT, async (visit) => {
    const { ui } = visit;
    const hook = await visit.get(hookPath(visit));
    const call = await visit.get(callPath(visit));
    const title = ui.t("Call :number", { number: call.id });
    const calls = { text: ui.t("Calls"), path: `${WEBHOOKS}/${hook.id}/deliveries` };
    return { title, crumbs: [...crumbsTo(hook, ui), calls, { text: title }], body: view({ title, hook, call }, ui) };
  });
  web.form(app.site, `${ONE}/resend`, PERMIT, async (visit) => {
    const { id } = await visit.get(callPath(visit));
    const sent = await visit.send("POST", `${callPath(visit)}/resend`);
    const notice = sent.ok ? visit.ui.t("The call is sent again.") : sent.message;
    return visit.goTo(`${WEBHOOKS}/${encodeURIComponent(visit.params.id ?? "")}/deliveries/${id}`, notice);
  });
}

/** Data of the calls of a webhook. */
export interface DeliveriesData {
  readonly title: string;
  readonly hook: Webhook;
  readonly calls: Deliveries;
  readonly state: string;
  readonly page: number;
  readonly size: number;
  readonly query: InputObject;
}

function listView(web: Web): View<DeliveriesData> {
  const { parts } = web;
  return web.view("integrations/deliveries", ({ title, hook, calls, state, page, size, query }, ui) => {
    const { t } = ui;
    const path = `${WEBHOOKS}/${hook.id}/deliveries`;
    const table = parts.table(ui, {
      caption: title,
      head: [t("Call"), t("Event"), t("State"), t("Response"), t("Attempts"), t("Occurred"), t("Last attempt")],
      rows: calls.data.map((call) => [
        html`<a href="${ui.url(`${path}/${call.id}`)}">${call.id}</a>`,
        html`<code>${call.type}</code>`,
        stateOf(web, call, ui),
        html`${call.status ?? "–"}${call.error !== "" && html`<br><span class="quiet">${call.error}</span>`}`,
        call.attempts,
        ui.time(call.created_at),
        ui.time(call.sent_at),
      ]),
      empty: t("No matching calls. Calls are kept for a few days."),
    });
    const states = [["", t("any")], ...Object.entries(STATES).map(([key, text]) => [key, t(text)] as const)] as const;
    return html`<h1>${title}</h1>
<form class="filters" method="get" action="${ui.url(path)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "state", label: t("State"), type: "select", value: state, options: states })}
<button class="secondary">${ui.icon("search")} ${t("Filter")}</button></form>
${table}${parts.pager(ui, { path, query, total: calls.total, page, size })}`;
  });
}

/** Data of a single call. */
export interface DeliveryData {
  readonly title: string;
  readonly hook: Webhook;
  readonly call: DeliveryDetail;
}

function deliveryView(web: Web): View<DeliveryData> {
  const { parts } = web;
  return web.view("integrations/delivery", ({ title, hook, call }, ui) => {
    const { t } = ui;
    const { request } = call;
    const headers = Object.entries(request.headers ?? {});
    return html`<div class="head-line"><h1>${title} ${stateOf(web, call, ui)}</h1>
<div class="actions">${parts.button(ui, { action: `${WEBHOOKS}/${hook.id}/deliveries/${call.id}/resend`, text: t("Resend"), icon: "restore" })}</div></div>
<dl class="facts"><dt>${t("Event")}</dt><dd><code>${call.type}</code></dd>
<dt>${t("Occurred")}</dt><dd>${ui.time(call.created_at)}</dd>
<dt>${t("Attempts")}</dt><dd>${call.attempts}</dd>
<dt>${t("Last attempt")}</dt><dd>${ui.time(call.sent_at)}</dd>
${call.state === "waiting" && html`<dt>${t("Next")}</dt><dd>${hook.active ? ui.time(call.next_at) : t("when the webhook is active again")}</dd>`}</dl>
<section><h2>${t("Request")}</h2>
<p><code class="breaks">POST ${request.address}</code></p>
${headers.length > 0 && block(t("Request headers"), headers.map(([name, value]) => `${name}: ${value}`).join("\n"), ui)}
${block(t("Request body"), JSON.stringify(request.body, null, 2), ui)}</section>
<section><h2>${t("Response")}</h2>
<dl class="facts"><dt>${t("Status")}</dt><dd>${call.status ?? "–"}</dd>
<dt>${t("Duration")}</dt><dd>${call.duration_ms === null ? "–" : t(":count ms", { count: call.duration_ms })}</dd></dl>
${call.error !== "" && parts.notice(ui, call.state === "failed" ? "bad" : "note", call.error)}
${call.answer === "" ? html`<p class="empty">${t("The response had no body.")}</p>` : block(t("Start of the response"), call.answer, ui)}</section>`;
  });
}

function block(label: string, text: string, { html: draw }: Ui) {
  return draw`<div class="scrolls" tabindex="0" role="region" aria-label="${label}"><pre>${text}</pre></div>`;
}

function stateOf({ parts }: Web, { state }: Delivery, ui: Ui) {
  const shades = { waiting: "note", delivered: "good", failed: "bad" } as const;
  return parts.badge(ui, shades[state], ui.t(STATES[state]));
}

function crumbsTo({ id, name }: Webhook, { t }: Ui) {
  return [
    { text: t("Webhooks"), path: WEBHOOKS },
    { text: name, path: `${WEBHOOKS}/${id}` },
  ];
}

function hookPath(visit: Visit) {
  return `/api/webhooks/${idOf(visit)}` as const;
}

function callPath(visit: Visit) {
  return `${hookPath(visit)}/deliveries/${idOf(visit, "delivery")}` as const;
}
