/** Failed jobs on the screen of maintenance: each or all of them can be tried again, or discarded after a confirmation. */
import type { Answers, Parts, Ui, Visit } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { SettingsContext } from "./contract.ts";

/** Jobs that failed at each attempt. */
export type FailedJobs = Answers["/api/system/jobs"];

const PATH = "/settings/maintenance";
const PERMIT = ["settings-manage"];

/** The section of the screen. */
export function drawJobs(parts: Parts, jobs: FailedJobs, ui: Ui): Html {
  const { t } = ui;
  const rows = jobs.data.map(({ id, name, plugin, attempts, last_error, run_at, created_at }) => [
    html`<code>${name}</code><br><span class="quiet">${plugin ?? t("No plugin handles it.")}</span>`,
    html`<span class="any-words">${last_error ?? "–"}</span>`,
    attempts,
    html`${ui.time(created_at)}<br>${ui.time(run_at)}`,
    html`<div class="actions"><form method="post" action="${ui.url(`${PATH}/jobs/retry`)}"><input type="hidden" name="id" value="${id}"><button class="small secondary outline">${t("Retry")}</button></form>
${parts.dialogLink(ui, { path: `${PATH}/jobs/delete?id=${id}`, text: t("Discard"), kind: "danger" })}</div>`,
  ]);
  const head = [t("Job"), t("Last error"), t("Attempts"), t("Since, last failure"), t("Actions")];
  return html`<section><h2>${t("Failed jobs")}</h2>
<p>${t("Background jobs, such as emails and webhooks, are listed here after several failed attempts.")}</p>
${
  jobs.total > 0 &&
  html`<div class="actions">${parts.button(ui, { action: `${PATH}/jobs/retry`, text: t("Retry all (:count)", { count: jobs.total }) })}
${parts.dialogLink(ui, { path: `${PATH}/jobs/delete`, text: t("Discard all"), kind: "danger" })}</div>`
}
${jobs.total > rows.length && html`<p>${t("Showing the first :count:", { count: rows.length })}</p>`}
${parts.table(ui, { caption: t("Failed jobs"), head, rows, empty: t("None.") })}</section>`;
}

/** Mounts the forms. */
export function mountJobs({ app, web: { form, parts, screen } }: SettingsContext): void {
  form(app.site, `${PATH}/jobs/retry`, PERMIT, async (visit) => {
    const sent = await visit.send("POST", "/api/system/jobs/retry", chosen(visit));
    return visit.goTo(
      PATH,
      sent.ok ? visit.ui.t("Jobs queued for retry: :count", { count: sent.body.retry_count }) : sent.message,
    );
  });
  screen(app.site, `${PATH}/jobs/delete`, PERMIT, async (visit) => {
    const { ui, get } = visit;
    const { ids } = chosen(visit);
    const total = ids ? 1 : (await get("/api/system/jobs?count=1")).total;
    const question = ids ? ui.t("Discard the failed job?") : ui.t("Discard failed jobs?");
    const detail = ids
      ? ui.t("The job will be deleted without being run. This cannot be undone.")
      : ui.t(":count jobs will be deleted without being run. This cannot be undone.", { count: total });
    const action = `${PATH}/jobs/delete`;
    const submit = ids ? ui.t("Discard") : ui.t("Discard all");
    const fields = ids ? html`<input type="hidden" name="id" value="${ids[0]}">` : undefined;
    return {
      title: question,
      body: parts.confirm(ui, { question, detail, action, submit, back: PATH, ...(fields && { fields }) }),
    };
  });
  form(app.site, `${PATH}/jobs/delete`, PERMIT, async (visit) => {
    const sent = await visit.send("DELETE", "/api/system/jobs", chosen(visit));
    return visit.goTo(
      PATH,
      sent.ok ? visit.ui.t("Jobs discarded: :count", { count: sent.body.delete_count }) : sent.message,
    );
  });
}

/** The job that a form or link names, as input of the API; all jobs without one. */
function chosen(visit: Visit): { readonly ids?: string[] } {
  const id = visit.text("id");
  return id === "" ? {} : { ids: [id] };
}
