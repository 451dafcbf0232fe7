import type { Visit, Web } from "lectern/contracts";
import { formErrors, html } from "lectern/core";
import type { DiscoveryContext } from "./contract.ts";

const PATH = "/settings/discovery";
const PERMIT = "settings-manage";

/** Mounts the screen of the settings. */
export function mountSettings({ app, sessions }: DiscoveryContext, web: Web): void {
  const { parts } = web;
  const view = web.view("discovery/settings", ({ chosen: { robots, sitemap }, formErrors: wrong, isPublic }, ui) => {
    const { t } = ui;
    const fields = html`
${parts.field(ui, {
  name: "robots",
  label: t("Search engines"),
  type: "select",
  value: robots,
  options: [
    ["auto", t("May read what visitors may view")],
    ["allow", t("May read, whoever may view it")],
    ["refuse", t("Shall stay away")],
  ],
  help: t("What robots.txt asks of them. They read nothing that visitors may not view."),
  errors: wrong.errors.robots,
})}
${parts.field(ui, {
  name: "sitemap",
  label: t("A list of all that visitors may view, for search engines"),
  type: "checkbox",
  value: sitemap,
  help: t("At sitemap.xml, where the instance is public."),
  errors: wrong.errors.sitemap,
})}`;
    const state = isPublic
      ? t("Visitors may view what the role Public permits.")
      : t("This instance is not public: visitors may view nothing.");
    return html`<h1>${t("Search engines")}</h1><p>${state}</p>
${parts.form(ui, { action: PATH, fields, submit: t("Save"), error: wrong.error, label: t("Search engines") })}`;
  });
  const shown = async (visit: Visit, wrong = formErrors(undefined)) => {
    const data = {
      chosen: await visit.get("/api/discovery"),
      formErrors: wrong,
      isPublic: (await sessions.guest()) !== undefined,
    };
    return { title: visit.ui.t("Search engines"), body: view(data, visit.ui), status: wrong.status };
  };
  web.screen(app.site, PATH, PERMIT, (visit) => shown(visit));
  web.form(app.site, PATH, PERMIT, async (visit) => {
    const sent = await visit.send("PUT", "/api/discovery", {
      robots: visit.text("robots"),
      sitemap: visit.text("sitemap") !== "",
    });
    return sent.ok ? visit.goTo(PATH, visit.ui.t("The choice is saved.")) : shown(visit, formErrors(sent));
  });
}
