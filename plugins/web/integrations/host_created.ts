/** The screen of a new host: its credentials, shown only once, and command lines that report with them. */
import type { View, Web } from "lectern/contracts";
import { html } from "lectern/core";
import type { CreatedHost } from "./api_types.ts";

/** Data of the screen. */
export interface HostCreatedData {
  readonly title: string;
  readonly path: string;
  readonly baseUrl: string;
  readonly host: CreatedHost;
}

/** Names the view. */
export function hostCreatedView(web: Web): View<HostCreatedData> {
  const { parts } = web;
  return web.view("integrations/host_created", ({ title, path, baseUrl, host }, ui) => {
    const { t } = ui;
    const download = `curl -fsSo reporter.sh '${baseUrl}/api/v1/dashboard/reporter.sh'`;
    const run = `URL='${baseUrl}' API_ID='${host.api_id}' API_KEY='${host.api_key}' sh`;
    const secret = (label: string, value: string) => parts.copyable(ui, { label, value, secret: true });
    return html`<h1>${title}</h1>
${parts.notice(ui, "note", t("Copy the API key now. It is shown only once."))}
<h2>${host.friendly_name}</h2>
${parts.copyable(ui, { label: t("API id"), value: host.api_id })}
${secret(t("API key"), host.api_key)}
<p><a role="button" href="${ui.url(`${path}/${host.id}`)}">${ui.icon("check")} ${t("I have saved the API key")}</a></p>
<h2>${t("Report with the reporter script")}</h2>
<p>${t("The script needs curl and awk, and supports apt, dnf, yum and apk. The host is pending until its first report.")}</p>
${parts.copyable(ui, { label: t("1. Fetch the script on the machine"), value: download })}
${secret(t("2. Report once"), `${run} reporter.sh`)}
${secret(t("3. Hourly cron line"), `17 * * * * ${run} /usr/local/bin/reporter.sh`)}`;
  });
}
