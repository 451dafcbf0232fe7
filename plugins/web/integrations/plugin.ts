/**
 * Screens of the integrations: keys of dashboards and of enrolment, monitored hosts, webhooks, statistics. They use the API like any
 * client. Only the answer to the form that creates something shows its secret.
 */
import { definePlugin } from "lectern/core";
import { INTEGRATIONS, PERMIT } from "./contract.ts";
import { mountHosts } from "./hosts.ts";
import { mountKeys } from "./keys.ts";
import { mountStatistics } from "./statistics.ts";
import { mountWebhooks } from "./webhooks.ts";

export default definePlugin({
  name: "web_integrations",
  requires: ["web"],
  setup(context) {
    const { contracts, contribute, app } = context;
    const { web } = contracts;
    const shared = { ...context, web };
    const entry = (path: string, text: string, icon: string, more: { order: number; needs: string }) =>
      contribute("screen_part", { at: "menu/settings", path, text, icon, permit: PERMIT, ...more });
    entry(INTEGRATIONS, "Integrations", "link", { order: 60, needs: "/api/v1/dashboard/keys" });
    entry("/settings/webhooks", "Webhooks", "webhook", { order: 65, needs: "/api/webhooks" });
    contribute("screen_part", {
      at: "menu/main",
      path: "/statistics",
      text: "Statistics",
      icon: "chart",
      needs: "/api/v1/dashboard/numbers",
      permit: PERMIT,
      order: 80,
    });
    web.screen(app.site, INTEGRATIONS, PERMIT, (visit) => visit.goTo(`${INTEGRATIONS}/dashboard`));
    mountKeys(shared);
    mountHosts(shared);
    mountWebhooks(shared);
    mountStatistics(shared);
  },
});
