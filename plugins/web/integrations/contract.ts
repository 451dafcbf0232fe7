import type { Parts, Ui, Web } from "lectern/contracts";
import { type Html, html, type SiteApp } from "lectern/core";

/** Where the screens of integrations are. */
export const INTEGRATIONS = "/settings/integrations";

/** Who may come to them: whom the API lets manage what they show. */
export const ADMITS = ["settings-manage"] as const;

/** What mounting screens needs. */
export interface Mounting {
  readonly site: SiteApp;
  readonly web: Web;
}

const TABS = [
  ["dashboard", "Dashboard"],
  ["hosts", "Hosts"],
  ["enrolment", "Enrolment"],
] as const;

/** Which tab a screen stands under. */
export type TabName = (typeof TABS)[number][0];

/** The heading of integrations with their tabs. */
export function integrationsHead(parts: Parts, ui: Ui, current: TabName): Html {
  return html`<h1>${ui.t("Integrations")}</h1>
${parts.tabs(
  ui,
  ui.t("Integrations"),
  TABS.map(([name, text]) => ({
    path: `${INTEGRATIONS}/${name}`,
    text: ui.t(text),
    current: name === current,
  })),
)}`;
}
