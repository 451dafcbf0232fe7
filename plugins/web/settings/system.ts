/**
 * Versions, store, and plugins with their grants; read-only. Values of settings are not shown, as some are secrets. Plugins that
 * ship have no versions of their own, but that of the runtime.
 */
import type { Answers, ShownFigure, Ui, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { SettingsContext } from "./contract.ts";
import { sizeOf } from "./labels.ts";

/** Facts about the instance for all clients. */
export type Instance = Answers["/api/system"];

/** Facts about the instance for administrators. */
export type Facts = Answers["/api/system/facts"];

/** A plugin that booted. */
export type PluginRow = Answers["/api/system/plugins"]["data"][number];

/** Names, "any", whether granted, or screens with whom they admit. */
type Grant = NonNullable<PluginRow["grants"][keyof PluginRow["grants"]]>;

/** A part of a plugin that failed. */
export type FaultRow = Answers["/api/system/faults"]["data"][number];

/** Data of the screen. */
export interface SystemData {
  readonly instance: Instance;
  readonly facts: Facts;
  readonly plugins: readonly PluginRow[];
  /** Figures of plugins. */
  readonly figures: readonly ShownFigure[];
  readonly faults: readonly FaultRow[];
}

const GRANTS: Readonly<Record<string, string>> = {
  read: "Reads tables",
  write: "Writes tables",
  columns: "Reads columns of tables",
  contentTables: "Uses the tables of all kinds of content",
  net: "Calls hosts",
  env: "Reads environment variables",
  files: "Stores files",
  system: "Acts as the system",
  impersonate: "Acts as other users",
  auth: "Authenticates requests",
  routeScopes: "Sets rules for paths",
  visibilityRules: "Hides rows of tables",
  handlers: "Follows events",
  filters: "Changes events",
  vetoes: "Refuses events",
  performs: "Performs events of others",
  slots: "Contributes to slots",
  jobs: "Runs jobs",
  schedules: "Runs on schedules",
  publicRoutes: "Answers everybody",
  writes: "Calls functions that write",
  screens: "Serves screens",
};

/** Mounts the screen. */
export function mountSystem({ app, web }: SettingsContext): void {
  const view = web.view("settings/system", (data, ui) => drawSystem(web, data, ui));
  web.places("system/figures");
  web.screen(app.site, "/settings/system", ["settings-manage"], async (visit) => {
    const [instance, facts, plugins, faults] = await Promise.all([
      visit.get("/api/system"),
      visit.get("/api/system/facts"),
      visit.get("/api/system/plugins"),
      visit.get("/api/system/faults"),
    ]);
    const figures = await web.figures("system/figures", visit);
    return {
      title: visit.ui.t("System and plugins"),
      body: view({ instance, facts, plugins: plugins.data, figures, faults: faults.data }, visit.ui),
    };
  });
}

function drawSystem({ parts }: Web, data: SystemData, ui: Ui): Html {
  const { instance, facts, plugins, figures, faults = [] } = data;
  const { t } = ui;
  const rows = plugins.map((plugin) => [
    html`<strong>${plugin.name}</strong>${plugin.version !== undefined && html` ${plugin.version}`}${plugin.requires.length > 0 && html`<br><span class="quiet">${t("requires :names", { names: plugin.requires.join(", ") })}</span>`}`,
    grantsOf(plugin, ui),
    folded(t("Steps: :count", { count: plugin.migrations.length }), plugin.migrations),
    folded(t("Events: :count", { count: plugin.events.length }), plugin.events),
    html`<span class="number">${t(":count ms", { count: plugin.boot_ms })}</span>`,
  ]);
  const head = [t("Plugin"), t("Access"), t("Migrations"), t("Events performed"), t("Startup time")];
  return html`<h1>${t("System and plugins")}</h1>
<dl class="facts"><dt>${t("Name")}</dt><dd>${instance.app_name}</dd>
<dt>${t("Address")}</dt><dd>${instance.base_url}</dd>
<dt>${t("Version")}</dt><dd>Lectern ${facts.lectern_version} · API ${instance.version}</dd>
<dt>${t("Instance")}</dt><dd><code>${instance.instance_id}</code></dd>
<dt>${t("Running since")}</dt><dd>${ui.time(facts.started_at)} (${t("started in :ms ms", { ms: Math.round(facts.boot_ms) })})</dd>
<dt>${t("Store")}</dt><dd>PostgreSQL ${facts.store.version}, ${sizeOf(facts.store.bytes, ui)}</dd>
<dt>${t("Runtime")}</dt><dd>Bun ${facts.bun_version}, ${facts.platform}, ${sizeOf(facts.memory_bytes, ui)}</dd>
<dt>${t("Jobs")}</dt><dd>${t("Waiting: :count", { count: facts.jobs.waiting })}, ${t("failed: :count", { count: facts.jobs.dead })}</dd>
<dt>${t("Language")}</dt><dd>${facts.language}</dd>
<dt>${t("Theme")}</dt><dd>${facts.theme === "" ? t("None") : facts.theme}</dd>${figures.map((figure) => addedFact(figure, ui))}</dl>
${faults.length > 0 && drawFaults(parts, faults, ui)}
<h2>${t("Plugins: :count", { count: plugins.length })}</h2>
<p class="quiet">${t("In boot order. A plugin gets access only to what it was granted.")}</p>
${parts.table(ui, { caption: t("Plugins"), head, rows, empty: t("There are no plugins.") })}`;
}

function addedFact({ label, value, path }: ShownFigure, ui: Ui): Html {
  return html`\n<dt>${path === undefined ? label : html`<a href="${ui.url(path)}">${label}</a>`}</dt><dd>${value}</dd>`;
}

function drawFaults(parts: Web["parts"], faults: readonly FaultRow[], ui: Ui): Html {
  const { t } = ui;
  const rows = faults.map(({ plugin, place, message, count, last_at }) => [
    html`<strong>${plugin}</strong>`,
    html`<code>${place}</code>`,
    html`<span class="any-words">${message}</span>`,
    count,
    ui.time(last_at),
  ]);
  const head = [t("Plugin"), t("Place"), t("Last error"), t("Failures"), t("Last failure")];
  return html`<section id="faults"><h2>${t("Missing parts")}</h2>
<p>${t("These parts of plugins failed since the server started and were left out. The log has the details of each first failure.")}</p>
${parts.table(ui, { caption: t("Missing parts"), head, rows, empty: t("None.") })}</section>`;
}

function grantsOf({ grants, denied }: PluginRow, ui: Ui): Html {
  const { t } = ui;
  const granted: Readonly<Record<string, Grant | undefined>> = grants;
  const kinds = new Set([...Object.keys(GRANTS), ...Object.keys(grants)]);
  const given = [...kinds]
    .map((kind) => [kind, listed(granted[kind] ?? false)] as const)
    .filter(([, grant]) => grant !== false && !(Array.isArray(grant) && grant.length === 0));
  if (given.length === 0) return html`<span class="quiet">${t("Nothing")}</span>`;
  return html`<ul class="plain">${given.map(([kind, grant]) => {
    const label = t(GRANTS[kind] ?? kind);
    const revoked = denied.includes(kind) && html` (${t("revoked")})`;
    if (!Array.isArray(grant)) return html`<li>${label}${grant === "any" && html`: ${t("any")}`}${revoked}</li>`;
    return html`<li>${folded(`${label} (${grant.length})`, grant)}${revoked}</li>`;
  })}</ul>`;
}

/** Screens as a list of paths with whom they admit; other grants as they are. */
function listed(grant: Grant): readonly string[] | boolean | string {
  if (typeof grant !== "object" || isList(grant)) return grant;
  return Object.entries(grant).map(([path, access]) => {
    if (typeof access === "string") return `${path} (${access})`;
    return `${path} (${"all" in access ? access.all.join(" + ") : access.join(", ")})`;
  });
}

function isList(grant: Grant): grant is readonly string[] {
  return Array.isArray(grant);
}

function folded(summary: string, names: readonly string[]): Html {
  if (names.length === 0) return html`<span class="quiet">–</span>`;
  return html`<details class="folded"><summary>${summary}</summary>${names.map((name) => html`<code>${name}</code> `)}</details>`;
}
