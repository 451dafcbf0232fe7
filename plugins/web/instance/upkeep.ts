/** The screen of what keeps an instance alive: the backups that were made with their age, and whether there is a newer version. */
import type { Answers, Ui, Web } from "lectern/contracts";
import { DAY_MS, HOUR_MS, type Html, html } from "lectern/core";
import type { InstanceScreensContext, UpkeepData } from "./contract.ts";

const PATH = "/settings/backups";

/** Mounts the screen. */
export function mountUpkeep({ app, web }: InstanceScreensContext): void {
  const view = web.view("instance/upkeep", (data, ui) => drawUpkeep(web, data, ui));
  web.screen(app.site, PATH, "settings-manage", async (visit) => {
    const { ui } = visit;
    const backups = ui.serves("/api/backups") ? await visit.get("/api/backups") : undefined;
    const update = ui.serves("/api/system/update") ? await visit.get("/api/system/update") : undefined;
    return { title: ui.t("Backups and updates"), body: view({ backups, update, now: Date.now() }, ui) };
  });
}

function drawUpkeep({ parts }: Web, { backups, update, now }: UpkeepData, ui: Ui): Html {
  const { t } = ui;
  return html`<h1>${t("Backups and updates")}</h1>
${backups && html`<section><h2>${t("Backups")}</h2>${drawBackups(parts, backups, now, ui)}</section>`}
${update && html`<section><h2>${t("Updates")}</h2><p>${t("This is version :version.", { version: update.version })}</p>${drawUpdate(parts, update, ui)}</section>`}`;
}

function drawBackups(parts: Web["parts"], backups: Answers["/api/backups"], now: number, ui: Ui): Html {
  const { t } = ui;
  const { data, interval_hours, last_success_at } = backups;
  const age = last_success_at === null ? undefined : now - Date.parse(last_success_at);
  // One may be late by as much again before somebody has to look.
  const isOld = interval_hours > 0 && (age === undefined || age > 2 * interval_hours * HOUR_MS);
  const last =
    age === undefined
      ? t("No backup was made by a schedule.")
      : t("The last good backup was made :ago.", { ago: agoOf(age, ui) });
  const how =
    interval_hours > 0
      ? t("Hours between backups: :number", { number: interval_hours })
      : t("No backups are made by a schedule: set BACKUP_INTERVAL_HOURS in the environment of the server.");
  const rows = data.map(({ ended_at, failed, outcome }) => [
    html`${ui.time(ended_at)}<br><span class="quiet">${agoOf(now - Date.parse(ended_at), ui)}</span>`,
    parts.badge(ui, failed ? "bad" : "good", t(failed ? "Failed" : "Made")),
    html`<span class="any-words">${outcome}</span>`,
  ]);
  return html`${isOld ? parts.notice(ui, "bad", last) : html`<p>${last}</p>`}<p>${how}</p>
${rows.length > 0 && parts.table(ui, { caption: t("Backups"), head: [t("Ended"), t("State"), t("Outcome")], rows, empty: "" })}`;
}

function drawUpdate(
  parts: Web["parts"],
  { is_checked, is_newer, newest }: Answers["/api/system/update"],
  ui: Ui,
): Html {
  const { t } = ui;
  if (!is_checked)
    return html`<p>${t("Newer versions are not looked for: UPDATE_CHECK in the environment of the server says where to.")}</p>`;
  if (newest === null) return html`<p>${t("The newest version is not known yet.")}</p>`;
  if (is_newer) return parts.notice(ui, "note", t("There is a newer version: :version", { version: newest }));
  return html`<p>${t("There is no newer version.")}</p>`;
}

/** How long ago something was, in days or hours, as the language says it. */
function agoOf(ms: number, { language }: Ui): string {
  const format = new Intl.RelativeTimeFormat(language.replace("_", "-"), { numeric: "auto" });
  if (ms >= 2 * DAY_MS) return format.format(-Math.floor(ms / DAY_MS), "day");
  return format.format(-Math.max(0, Math.floor(ms / HOUR_MS)), "hour");
}
