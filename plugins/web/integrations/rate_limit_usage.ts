/** The rate limit of dashboards: what each address has used, and which setups stay within it (dashboard-stats 4). */
import type { Ui, View, Web } from "lectern/contracts";
import { html } from "lectern/core";
import type { Usage } from "./api_types.ts";

/** Setups of dashboards: seconds between requests, widgets, open tabs. */
const SETUPS = [
  { seconds: 60, widgets: 1, tabs: 1 },
  { seconds: 10, widgets: 1, tabs: 1 },
  { seconds: 10, widgets: 2, tabs: 1 },
  { seconds: 60, widgets: 4, tabs: 1 },
  { seconds: 60, widgets: 1, tabs: 6 },
] as const;

/** A setup that uses more than this share of the limit barely fits. */
const COMFORT = 0.9;

/** Names the view. */
export function usageView(web: Web): View<Usage> {
  const { parts } = web;
  return web.view("integrations/budget", ({ limit, window_seconds, addresses }, ui) => {
    const { t } = ui;
    const minutes = Math.round(window_seconds / 60);
    const used = parts.table(ui, {
      caption: t("Requests per address"),
      head: [t("Address"), t("Keys"), t("Used"), t("Resets at")],
      rows: addresses.map((one) => [
        one.address,
        one.keys.join(", "),
        html`<meter min="0" max="${limit}" high="${Math.round(limit * COMFORT)}" value="${one.used}" aria-label="${t("Requests from :address", { address: one.address })}"></meter> ${t(":used of :limit", { used: one.used, limit })}`,
        ui.time(one.resets_at),
      ]),
      empty: t("No dashboard has sent requests yet."),
    });
    const fits = parts.table(ui, {
      caption: t("Dashboard setups within the limit"),
      head: [t("Dashboard"), t("Requests in :minutes minutes", { minutes }), t("Fits")],
      rows: SETUPS.map(({ seconds, widgets, tabs }) => {
        const requests = Math.round((window_seconds / seconds) * widgets * tabs);
        return [
          t("Polls every :seconds s, widgets: :widgets, open tabs: :tabs", { seconds, widgets, tabs }),
          requests,
          fitBadge(requests, limit, ui, web),
        ];
      }),
      empty: "",
    });
    return html`<section><h2>${t("Rate limit")}</h2>
<p>${t("Each address may send :limit requests in :minutes minutes. All widgets of one dashboard server count together. The snippets poll every 60 seconds.", { limit, minutes })}</p>
${used}
<details><summary>${t("Dashboard setups within the limit")}</summary>${fits}</details></section>`;
  });
}

function fitBadge(requests: number, limit: number, ui: Ui, { parts }: Web) {
  if (requests > limit) return parts.badge(ui, "bad", ui.t("No"));
  return requests > limit * COMFORT - 1
    ? parts.badge(ui, "note", ui.t("Barely"))
    : parts.badge(ui, "good", ui.t("Yes"));
}
