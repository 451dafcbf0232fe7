/**
 * The statistics: the current numbers, and charts of their history. Charts are drawn on the server, so they work without scripts and in
 * print; each has a description and a table for screen readers.
 */
import type { ShownFigure, Ui, View, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { History, Numbers, Point } from "./api_types.ts";
import { barChart, type Line, lineChart } from "./charts.ts";
import { type IntegrationsContext, PERMIT } from "./contract.ts";

const PATH = "/statistics";
const RANGES = [7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;
/** Systems with a bar of their own; the others share one. */
const BARS = 8;

/** Data of the screen. */
export interface StatisticsData {
  readonly numbers: Numbers;
  readonly days: number;
  readonly step: History["step"];
  /** The last one is the current one. */
  readonly points: readonly Point[];
  /** Figures of other plugins. */
  readonly figures: readonly ShownFigure[];
}

/** Mounts the screen. */
export function mountStatistics({ app, web }: IntegrationsContext): void {
  const view = statisticsView(web);
  web.places("statistics/figures");
  web.screen(app.site, PATH, PERMIT, async (visit) => {
    const requested = Number(visit.query.days);
    const days = RANGES.find((range) => range === requested) ?? DEFAULT_DAYS;
    const [numbers, { step, points }] = await Promise.all([
      visit.get("/api/v1/dashboard/numbers"),
      visit.get(`/api/v1/dashboard/history?days=${days}`),
    ]);
    const figures = await web.figures("statistics/figures", visit);
    const now = { ...numbers, at: numbers.last_updated };
    return {
      title: visit.ui.t("Statistics"),
      body: view({ numbers, days, step, points: [...points, now], figures }, visit.ui),
    };
  });
}

function statisticsView(web: Web): View<StatisticsData> {
  return web.view("statistics/show", ({ numbers, days, step, points, figures }, ui) => {
    const { t } = ui;
    const ranges = RANGES.map((range) => ({
      path: `${PATH}?days=${range}`,
      text: t("Last :days days", { days: range }),
      current: range === days,
    }));
    return html`<h1>${t("Statistics")}</h1>
<dl class="figures">${tiles(numbers, ui).map(([term, value]) => html`<div><dt>${term}</dt><dd>${typeof value === "number" ? ui.number(value) : value}</dd></div>`)}${figures.map((figure) => addedTile(figure, ui))}</dl>
${web.parts.tabs(ui, t("Time range"), ranges)}
${points.length < 2 && web.parts.notice(ui, "note", t("Statistics are recorded once an hour. The charts fill up over time."))}
<div class="charts">${overTime(web, ui, step, points, {
      id: "hosts",
      title: t("Hosts over time"),
      lines: [
        { name: t("All hosts"), of: (point) => point.total_hosts },
        { name: t("Hosts with outdated packages"), of: (point) => point.hosts_needing_updates },
      ],
    })}
${overTime(web, ui, step, points, {
  id: "updates",
  title: t("Outdated packages and security updates"),
  lines: [
    { name: t("Outdated packages"), of: (point) => point.total_outdated_packages },
    { name: t("Security updates"), of: (point) => point.security_updates },
  ],
})}
${systems(web, ui, numbers)}</div>`;
  });
}

function tiles(numbers: Numbers, { t }: Ui): (readonly [string, number])[] {
  return [
    [t("Hosts"), numbers.total_hosts],
    [t("Up to date"), numbers.up_to_date_hosts],
    [t("Need updates"), numbers.hosts_needing_updates],
    [t("Need security updates"), numbers.hosts_with_security_updates],
    [t("Outdated packages"), numbers.total_outdated_packages],
    [t("Security updates"), numbers.security_updates],
    [t("Restart required"), numbers.reboot_required_hosts],
    [t("Not reporting"), numbers.stale_hosts],
    [t("Repositories"), numbers.total_repos],
    [t("Reports in 24 hours"), numbers.recent_updates_24h],
  ];
}

function addedTile({ label, value, path }: ShownFigure, ui: Ui): Html {
  return html`<div><dt>${path === undefined ? label : html`<a href="${ui.url(path)}">${label}</a>`}</dt><dd>${value}</dd></div>`;
}

interface Chart {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly of: (point: Point) => number }[];
}

function overTime(web: Web, ui: Ui, step: History["step"], points: readonly Point[], chart: Chart): Html {
  const { t } = ui;
  const { id, title, lines } = chart;
  const drawn: Line[] = lines.map(({ name, of }) => ({ name, values: points.map(of) }));
  const descriptions = drawn.map(({ name, values }) =>
    t(":name: from :first to :last, maximum :most.", {
      name,
      first: values[0] ?? 0,
      last: values.at(-1) ?? 0,
      most: Math.max(...values),
    }),
  );
  const table = web.parts.table(ui, {
    caption: title,
    head: [t("Time"), ...lines.map(({ name }) => name)],
    rows: [...points].reverse().map((point) => [ui.time(point.at), ...lines.map(({ of }) => of(point))]),
    empty: "",
  });
  const times = points.map(({ at }) => new Date(at).getTime());
  return html`<section class="chart-section" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${title}</h2>
<figure>${lineChart({ id, title, description: descriptions.join(" "), lines: drawn, times, language: ui.language, step })}
<figcaption>${legend(drawn, ui)}</figcaption></figure>
<details><summary>${t("Table: :title", { title })}</summary>${table}</details></section>`;
}

/** The legend. Lines differ in dash and marks, not only in colour. */
function legend(lines: readonly Line[], _ui: Ui): Html {
  return html`<ul class="legend">${lines.map(
    ({ name }, index) =>
      html`<li><svg class="chart" viewBox="0 0 40 12" width="40" height="12" aria-hidden="true"><path class="line line-${index + 1}" d="M2 6H38"/>${index === 0 ? html`<circle class="mark mark-1" cx="20" cy="6" r="4"/>` : html`<rect class="mark mark-2" x="16" y="2" width="8" height="8"/>`}</svg> ${name}</li>`,
  )}</ul>`;
}

function systems(web: Web, ui: Ui, { os_distribution: all, total_hosts: total }: Numbers): Html {
  const { t } = ui;
  const title = t("Operating systems");
  const rest = all.slice(BARS).reduce((sum, { count }) => sum + count, 0);
  const bars = [...all.slice(0, BARS), ...(rest > 0 ? [{ name: t("Others"), count: rest }] : [])];
  const percent = (count: number) => Math.round((count / Math.max(1, total)) * 100);
  const described = bars.map(({ name, count }) => t(":name: :count of :total hosts.", { name, count, total }));
  const table = web.parts.table(ui, {
    caption: title,
    head: [t("System"), t("Hosts"), t("Share")],
    rows: all.map(({ name, count }) => [name, count, `${percent(count)} %`]),
    empty: "",
  });
  if (bars.length === 0)
    return html`<section class="chart-section"><h2>${title}</h2><p class="empty">${t("No host has reported yet.")}</p></section>`;
  return html`<section class="chart-section" aria-labelledby="systems-heading"><h2 id="systems-heading">${title}</h2>
<figure>${barChart({
    id: "systems",
    title,
    description: described.join(" "),
    bars: bars.map(({ name, count }) => ({
      name,
      count,
      note: t(":count (:percent %)", { count, percent: percent(count) }),
    })),
  })}</figure>
<details><summary>${t("Table: :title", { title })}</summary>${table}</details></section>`;
}
