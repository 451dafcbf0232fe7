/**
 * Maintenance: unused images, orphaned files, recycle bin, failed jobs. Checks that read all content or all files have their own screens.
 * For what only a command can do, the screen shows the command.
 */
import { programName } from "lectern/cli";
import type { Answers, Ui, Visit, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { drawJobs, type FailedJobs, mountJobs } from "./failed_jobs.ts";
import { sizeOf } from "./labels.ts";

/** Data of the screen. */
export interface MaintenanceData {
  readonly jobs: FailedJobs;
  /** Number of entries of the recycle bin; undefined where the viewer may not read it. */
  readonly binned: number | undefined;
}

/** Images that no content uses. */
export interface UnusedImagesData {
  readonly images: Answers["/api/image-gallery/unused"];
  readonly ignoresRevisions: boolean;
}

/** Files that no row refers to. */
export type OrphanedFiles = Answers["/api/system/files"];

const PATH = "/settings/maintenance";
const PERMIT = ["settings-manage"];

/** Mounts the screens. */
export function mountMaintenance(context: SettingsContext): void {
  const { app, web } = context;
  const view = web.view("settings/maintenance", (data, ui) => drawOverview(web, data, ui));
  web.screen(app.site, PATH, PERMIT, async (visit) => {
    const jobs = await visit.get("/api/system/jobs?count=50&sort=-id");
    const bin = await visit.find("/api/recycle-bin?count=1");
    return { title: visit.ui.t("Maintenance"), body: view({ jobs, binned: bin?.total }, visit.ui) };
  });
  mountJobs(context);
  mountImages(context);
  mountFiles(context);
}

function drawOverview({ parts }: Web, { jobs, binned }: MaintenanceData, ui: Ui): Html {
  const { t } = ui;
  const link = (path: string, text: string) =>
    html`<p><a role="button" class="small secondary outline" href="${ui.url(path)}">${text}</a></p>`;
  return html`<h1>${t("Maintenance")}</h1>
${
  ui.serves("/api/image-gallery/unused") &&
  html`<section><h2>${t("Unused images")}</h2>
<p>${t("Images stay in the gallery after they are removed from pages. Find and delete images that are not used anywhere.")}</p>
${link(`${PATH}/images`, t("Find unused images"))}</section>`
}
<section><h2>${t("Orphaned files")}</h2>
<p>${t("A crash can leave files that no content refers to. They only take up disk space.")}</p>
${link(`${PATH}/files`, t("Find orphaned files"))}</section>
${binned !== undefined && html`<section><h2>${t("Recycle bin")}</h2><p>${t("Entries: :count", { count: binned })}</p>${link("/settings/recycle-bin", t("Open the recycle bin"))}</section>`}
${drawJobs(parts, jobs, ui)}`;
}

function mountImages({ app, web }: SettingsContext): void {
  const { parts } = web;
  const here = `${PATH}/images`;
  const ignores = (visit: Visit) => visit.text("ignore_revisions") === "true";
  const unused = (visit: Visit) => visit.get(`/api/image-gallery/unused?ignore_revisions=${ignores(visit) ? 1 : 0}`);
  const view = web.view("settings/unused_images", ({ images, ignoresRevisions }, ui) => {
    const { t } = ui;
    const rows = images.data.map(({ name, url, created_at }) => [
      html`<a class="any-words" href="${url}">${name}</a>`,
      ui.time(created_at),
    ]);
    const path = `${here}/delete${ignoresRevisions ? "?ignore_revisions=true" : ""}`;
    return html`<h1>${t("Unused images")}</h1>
<form class="filters" method="get" action="${ui.url(here)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "ignore_revisions", label: t("Include images used only in old revisions"), type: "checkbox", value: ignoresRevisions })}
<button class="secondary">${t("Search again")}</button></form>
<p>${t("Images: :count", { count: images.total })}${images.total > rows.length && html` ${t("Showing the first :count:", { count: rows.length })}`}</p>
${parts.table(ui, { caption: t("Unused images"), head: [t("Image"), t("Uploaded")], rows, empty: t("All images are in use.") })}
<div class="actions">${images.total > 0 && parts.dialogLink(ui, { path, text: t("Delete all"), icon: "delete", kind: "danger" })}
<a href="${ui.url(PATH)}">${t("Back to maintenance")}</a></div>`;
  });
  web.screen(app.site, here, PERMIT, async (visit) => ({
    title: visit.ui.t("Unused images"),
    body: view({ images: await unused(visit), ignoresRevisions: ignores(visit) }, visit.ui),
  }));
  web.screen(app.site, `${here}/delete`, PERMIT, async (visit) => {
    const { ui } = visit;
    const { total } = await unused(visit);
    const question = ui.t("Delete unused images?");
    const detail = ui.t(":count images and their files will be deleted permanently. This cannot be undone.", {
      count: total,
    });
    const fields = html`<input type="hidden" name="ignore_revisions" value="${String(ignores(visit))}">`;
    const action = `${here}/delete`;
    return {
      title: question,
      body: parts.confirm(ui, { question, detail, action, submit: ui.t("Delete permanently"), back: here, fields }),
    };
  });
  web.form(app.site, `${here}/delete`, PERMIT, async (visit) => {
    const input = { ignore_revisions: ignores(visit) };
    const sent = await visit.send("DELETE", "/api/image-gallery/unused", input);
    return visit.goTo(
      here,
      sent.ok ? visit.ui.t("Images deleted: :count", { count: sent.body.delete_count }) : sent.message,
    );
  });
}

function mountFiles({ app, web }: SettingsContext): void {
  const view = web.view("settings/lost_files", ({ data, total, bytes, kept, unclaimed }, ui) => {
    const { t } = ui;
    const rows = data.map(({ key, size, modified }) => [
      html`<code class="any-words">${key}</code>`,
      sizeOf(size, ui),
      ui.time(modified),
    ]);
    const others = Object.entries(unclaimed);
    return html`<h1>${t("Orphaned files")}</h1>
<p>${t("Orphaned files: :count (:size). Files in use: :kept.", { count: total, size: sizeOf(bytes, ui), kept })}</p>
${others.length > 0 && html`<p class="quiet">${t("Kept, because no plugin claims them: :names", { names: others.map(([name, count]) => `${name} (${count})`).join(", ") })}</p>`}
${web.parts.table(ui, { caption: t("Orphaned files"), head: [t("File"), t("Size"), t("Changed")], rows, empty: t("All files are in use or less than a day old.") })}
${total > 0 && html`<p>${t("Run this command on the server to remove them:")} <code>${programName()} files sweep</code></p>`}
<p><a href="${ui.url(PATH)}">${t("Back to maintenance")}</a></p>`;
  });
  web.screen(app.site, `${PATH}/files`, PERMIT, async (visit) => ({
    title: visit.ui.t("Orphaned files"),
    body: view(await visit.get("/api/system/files"), visit.ui),
  }));
}
