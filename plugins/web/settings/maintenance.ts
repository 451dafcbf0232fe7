/**
 * Upkeep: what can be counted is counted, and what is done here is what the API does; what only a command does is named with
 * its command. Counts that walk through all content or all files are asked for on screens of their own.
 */
import type { Ui, Visit, Web } from "lectern/contracts";
import { type Html, html, type SiteApp } from "lectern/core";
import { type Listed, sizeOf } from "./pieces.ts";

/** A job that was given up. */
export interface DeadJob {
  readonly id: number;
  readonly name: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: string;
}

/** What the screen shows. */
export interface MaintenanceData {
  readonly jobs: Listed<DeadJob>;
  /** Entries of the recycle bin; undefined where the reader may not look. */
  readonly binned: number | undefined;
}

/** Pictures that nothing shows. */
export interface UnusedData {
  readonly images: Listed<{
    readonly id: number;
    readonly name: string;
    readonly url: string;
    readonly created_at: string;
  }>;
  readonly ignoresRevisions: boolean;
}

/** Files that nothing names. */
export interface LostFiles {
  readonly data: readonly { readonly key: string; readonly size: number; readonly modified: string }[];
  readonly total: number;
  readonly bytes: number;
  readonly kept: number;
  readonly unclaimed: Readonly<Record<string, number>>;
}

const PATH = "/settings/maintenance";
const ADMITS = ["settings-manage"];

/** Mounts the screens. */
export function mountMaintenance(site: SiteApp, web: Web): void {
  const view = web.view<MaintenanceData>("settings/maintenance", (data, ui) => drawn(web, data, ui));
  web.screen(site, PATH, ADMITS, async (visit) => {
    const jobs = await visit.get<Listed<DeadJob>>("/api/system/jobs?count=50&sort=-id");
    const bin = await visit.find<Listed<unknown>>("/api/recycle-bin?count=1");
    return { title: visit.ui.t("Maintenance"), body: view({ jobs, binned: bin?.total }, visit.ui) };
  });
  mountJobs(site, web);
  mountImages(site, web);
  mountFiles(site, web);
}

function drawn({ parts }: Web, { jobs, binned }: MaintenanceData, ui: Ui): Html {
  const { t } = ui;
  const link = (path: string, text: string) =>
    html`<p><a role="button" class="small secondary outline" href="${ui.url(path)}">${text}</a></p>`;
  const rows = jobs.data.map(({ name, attempts, last_error, created_at }) => [
    html`<code>${name}</code>`,
    html`<span class="any-words">${last_error ?? "–"}</span>`,
    attempts,
    ui.time(created_at),
  ]);
  return html`<h1>${t("Maintenance")}</h1>
<section><h2>${t("Pictures that nothing shows")}</h2>
<p>${t("Pictures stay in the gallery when they are taken out of pages. Here you see which are shown nowhere, and remove them.")}</p>
${link(`${PATH}/images`, t("Look for pictures"))}</section>
<section><h2>${t("Files that nothing names")}</h2>
<p>${t("A crash at the wrong moment may leave a file that belongs to nothing. It does no harm but for the room it takes.")}</p>
${link(`${PATH}/files`, t("Look for files"))}</section>
${binned !== undefined && html`<section><h2>${t("Recycle bin")}</h2><p>${t("Entries: :count", { count: binned })}</p>${link("/settings/recycle-bin", t("Open the bin"))}</section>`}
<section><h2>${t("Jobs that were given up")}</h2>
<p>${t("Work after a request, such as letters and webhooks, is tried several times and then kept here.")}</p>
${
  jobs.total > 0 &&
  html`<div class="actions">${parts.button(ui, { action: `${PATH}/jobs/retry`, text: t("Try all again (:count)", { count: jobs.total }) })}
${parts.dialogLink(ui, { path: `${PATH}/jobs/delete`, text: t("Forget all"), kind: "danger" })}</div>`
}
${parts.table(ui, { caption: t("Jobs that were given up"), head: [t("Job"), t("Last error"), t("Tries"), t("Since")], rows, empty: t("None.") })}</section>`;
}

function mountJobs(site: SiteApp, { form, parts, screen }: Web): void {
  form(site, `${PATH}/jobs/retry`, ADMITS, async (visit) => {
    const sent = await visit.send<{ retry_count: number }>("POST", "/api/system/jobs/retry");
    return visit.goTo(
      PATH,
      sent.ok ? visit.ui.t("Jobs tried again: :count", { count: sent.body.retry_count }) : sent.message,
    );
  });
  screen(site, `${PATH}/jobs/delete`, ADMITS, async ({ ui, get }) => {
    const { total } = await get<Listed<DeadJob>>("/api/system/jobs?count=1");
    const question = ui.t("Forget jobs that were given up?");
    const detail = ui.t("What :count jobs were to do is never done. This cannot be undone.", { count: total });
    const action = `${PATH}/jobs/delete`;
    return {
      title: question,
      body: parts.confirm(ui, { question, detail, action, submit: ui.t("Forget all"), back: PATH }),
    };
  });
  form(site, `${PATH}/jobs/delete`, ADMITS, async (visit) => {
    const sent = await visit.send<{ delete_count: number }>("DELETE", "/api/system/jobs");
    return visit.goTo(
      PATH,
      sent.ok ? visit.ui.t("Jobs forgotten: :count", { count: sent.body.delete_count }) : sent.message,
    );
  });
}

function mountImages(site: SiteApp, web: Web): void {
  const { parts } = web;
  const here = `${PATH}/images`;
  const ignores = (visit: Visit) => visit.text("ignore_revisions") === "true";
  const unused = (visit: Visit) =>
    visit.get<UnusedData["images"]>(`/api/image-gallery/unused?ignore_revisions=${ignores(visit) ? 1 : 0}`);
  const view = web.view<UnusedData>("settings/unused_images", ({ images, ignoresRevisions }, ui) => {
    const { t } = ui;
    const rows = images.data.map(({ name, url, created_at }) => [
      html`<a class="any-words" href="${url}">${name}</a>`,
      ui.time(created_at),
    ]);
    const path = `${here}/delete${ignoresRevisions ? "?ignore_revisions=true" : ""}`;
    return html`<h1>${t("Pictures that nothing shows")}</h1>
<form class="filters" method="get" action="${ui.url(here)}" aria-label="${t("Filters")}">
${parts.field(ui, { name: "ignore_revisions", label: t("Also those that only old revisions show"), type: "checkbox", value: ignoresRevisions })}
<button class="secondary">${t("Look again")}</button></form>
<p>${t("Pictures: :count", { count: images.total })}${images.total > rows.length && html` ${t("The first :count of them:", { count: rows.length })}`}</p>
${parts.table(ui, { caption: t("Pictures that nothing shows"), head: [t("Picture"), t("Uploaded")], rows, empty: t("Every picture is in use.") })}
<div class="actions">${images.total > 0 && parts.dialogLink(ui, { path, text: t("Delete them"), icon: "delete", kind: "danger" })}
<a href="${ui.url(PATH)}">${t("Back to maintenance")}</a></div>`;
  });
  web.screen(site, here, ADMITS, async (visit) => ({
    title: visit.ui.t("Pictures that nothing shows"),
    body: view({ images: await unused(visit), ignoresRevisions: ignores(visit) }, visit.ui),
  }));
  web.screen(site, `${here}/delete`, ADMITS, async (visit) => {
    const { ui } = visit;
    const { total } = await unused(visit);
    const question = ui.t("Delete pictures that nothing shows?");
    const detail = ui.t(":count pictures and their files go for good. This cannot be undone.", { count: total });
    const fields = html`<input type="hidden" name="ignore_revisions" value="${String(ignores(visit))}">`;
    const action = `${here}/delete`;
    return {
      title: question,
      body: parts.confirm(ui, { question, detail, action, submit: ui.t("Delete for good"), back: here, fields }),
    };
  });
  web.form(site, `${here}/delete`, ADMITS, async (visit) => {
    const input = { ignore_revisions: ignores(visit) };
    const sent = await visit.send<{ delete_count: number }>("DELETE", "/api/image-gallery/unused", input);
    return visit.goTo(
      here,
      sent.ok ? visit.ui.t("Pictures deleted: :count", { count: sent.body.delete_count }) : sent.message,
    );
  });
}

function mountFiles(site: SiteApp, web: Web): void {
  const view = web.view<LostFiles>("settings/lost_files", ({ data, total, bytes, kept, unclaimed }, ui) => {
    const { t } = ui;
    const rows = data.map(({ key, size, modified }) => [
      html`<code class="any-words">${key}</code>`,
      sizeOf(size, ui),
      ui.time(modified),
    ]);
    const others = Object.entries(unclaimed);
    return html`<h1>${t("Files that nothing names")}</h1>
<p>${t("Files without an owner: :count (:size). Files in use: :kept.", { count: total, size: sizeOf(bytes, ui), kept })}</p>
${others.length > 0 && html`<p class="quiet">${t("Left alone, as no plugin speaks for them: :names", { names: others.map(([name, count]) => `${name} (${count})`).join(", ") })}</p>`}
${web.parts.table(ui, { caption: t("Files that nothing names"), head: [t("File"), t("Size"), t("Changed")], rows, empty: t("Every file is in use, or younger than a day.") })}
${total > 0 && html`<p>${t("They are removed on the server, by this command:")} <code>bun core/cli.ts files sweep</code></p>`}
<p><a href="${ui.url(PATH)}">${t("Back to maintenance")}</a></p>`;
  });
  web.screen(site, `${PATH}/files`, ADMITS, async (visit) => ({
    title: visit.ui.t("Files that nothing names"),
    body: view(await visit.get<LostFiles>("/api/system/files"), visit.ui),
  }));
}
