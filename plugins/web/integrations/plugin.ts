/**
 * Screens about what this instance has to do with others: keys of dashboards and of enrolment, monitored hosts, webhooks,
 * and the statistics. They ask the API as any client would; a secret is in the screen that answers the form which made it,
 * and in no other.
 */
import { definePlugin } from "lectern/core";
import { INTEGRATIONS } from "./contract.ts";
import { mountHosts } from "./hosts.ts";
import { mountKeys } from "./keys.ts";
import { mountStatistics } from "./statistics.ts";
import { mountWebhooks } from "./webhooks.ts";

const MANAGERS = ["settings-manage"] as const;

export default definePlugin({
  name: "web_integrations",
  requires: ["web"],
  setup(context) {
    const { baseUrl, contracts, contribute, site } = context;
    const { web } = contracts;
    const entry = (path: string, text: string, icon: string, order: number) =>
      contribute("menu", { menu: "settings", path, text, icon, admits: MANAGERS, order });
    entry(INTEGRATIONS, "Integrations", "link", 60);
    entry("/settings/webhooks", "Webhooks", "webhook", 65);
    contribute("menu", {
      menu: "main",
      path: "/statistics",
      text: "Statistics",
      icon: "chart",
      admits: MANAGERS,
      order: 80,
    });
    web.screen(site, INTEGRATIONS, MANAGERS, (visit) => visit.goTo(`${INTEGRATIONS}/dashboard`));
    mountKeys({ site, web, baseUrl });
    mountHosts({ site, web, baseUrl });
    mountWebhooks({ site, web });
    mountStatistics({ site, web });
  },
});
