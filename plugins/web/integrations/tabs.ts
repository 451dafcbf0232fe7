import type { Parts, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import { INTEGRATIONS } from "./contract.ts";

const TABS = [
  ["dashboard", "Dashboard"],
  ["hosts", "Hosts"],
  ["enrolment", "Enrolment"],
] as const;

/** The tab of a screen. */
export type TabName = (typeof TABS)[number][0];

/** The heading and the tabs of the integrations. */
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
