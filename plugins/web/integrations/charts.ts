/**
 * Charts as SVG. Positions are computed here; colours and font sizes come from the style sheet, so that they follow the light and
 * dark appearance. `html` escapes all texts.
 */
import { DAY_MS, type Html, html, localeTag } from "lectern/core";

/** A line of a chart: a value for each time. */
export interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

/** A chart of lines over time. The lines share a scale, which starts at 0. */
export interface LineChart {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly lines: readonly Line[];
  /** In milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly language: string;
  readonly step: "hour" | "day";
}

/** A chart of bars, with their names above them. */
export interface BarChart {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly bars: readonly { readonly name: string; readonly count: number; readonly note: string }[];
}

const WIDTH = 640;
const HEIGHT = 280;
/** Margins: numbers left of the scale, times below it. */
const LEFT = 64;
const RIGHT = 24;
const TOP = 16;
const BOTTOM = 40;
const TIME_LABELS = 4;
/** Steps of a scale, each times a power of ten. */
const STEPS = [1, 2, 5, 10];
const SCALE_LINES = 4;
/** Most points of a line that are all marked; beyond, only the last one is. */
const MAX_MARKS = 32;
const BAR_ROW = 52;
const MAX_NAME = 40;

/** Draws lines. */
export function lineChart({ id, title, description, lines, times, language, step }: LineChart): Html {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values));
  const { top, lines: scale } = scaleOf(most);
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const span = Math.max(1, last - first);
  // A single time is drawn at the right, the position of "now".
  const x = (at: number) =>
    round(times.length === 1 ? WIDTH - RIGHT : LEFT + ((at - first) / span) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) => round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const drawn = lines.map(({ values }, index) => {
    const points = values.map((value, at) => [x(times[at] ?? last), y(value)] as const);
    const path = points.map(([left, up], at) => `${at === 0 ? "M" : "L"}${left} ${up}`).join("");
    const marked = points.length <= MAX_MARKS ? points : points.slice(-1);
    return html`<path class="line line-${index + 1}" d="${path}"/>${marked.map(([left, up]) => mark(index, left, up))}`;
  });
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${scale.map((value) => html`<path class="scale" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${y(value) + 5}" text-anchor="end">${short(value, language)}</text>`)}
${timeLabels(times, language, step).map(({ at, text, anchor }) => html`<text x="${x(at)}" y="${HEIGHT - 12}" text-anchor="${anchor}">${text}</text>`)}
${drawn}</svg>`;
}

function mark(index: number, left: number, up: number): Html {
  return index === 0
    ? html`<circle class="mark mark-1" cx="${left}" cy="${up}" r="4"/>`
    : html`<rect class="mark mark-2" x="${left - 4}" y="${up - 4}" width="8" height="8"/>`;
}

function scaleOf(most: number): { top: number; lines: number[] } {
  const minStep = most / SCALE_LINES;
  const power = 10 ** Math.floor(Math.log10(minStep));
  // Counts are integers.
  const step = Math.max(1, (STEPS.find((one) => one * power >= minStep) ?? 10) * power);
  const count = Math.ceil(most / step);
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

function timeLabels(times: readonly number[], language: string, step: "hour" | "day") {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const isShort = step === "hour" && last - first < 2 * DAY_MS;
  const format = new Intl.DateTimeFormat([localeTag(language), "en"], {
    timeZone: "UTC",
    ...(isShort ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" }),
  });
  if (times.length === 1) return [{ at: first, text: format.format(first), anchor: "end" }];
  return Array.from({ length: TIME_LABELS }, (_, index) => {
    const at = first + ((last - first) * index) / (TIME_LABELS - 1);
    return {
      at,
      text: format.format(at),
      anchor: index === 0 ? "start" : index === TIME_LABELS - 1 ? "end" : "middle",
    };
  });
}

function short(value: number, language: string): string {
  return new Intl.NumberFormat([localeTag(language), "en"], { notation: "compact", maximumFractionDigits: 1 }).format(
    value,
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Draws bars. */
export function barChart({ id, title, description, bars }: BarChart): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${bars.length * BAR_ROW}" role="img" aria-labelledby="${id}-title ${id}-description">
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${bars.map(({ name, count, note }, index) => {
  const top = index * BAR_ROW;
  return html`<text x="0" y="${top + 20}">${cut(name)}</text><text x="${WIDTH}" y="${top + 20}" text-anchor="end">${note}</text>
<rect class="bar-room" x="0" y="${top + 28}" width="${WIDTH}" height="12" rx="3"/><rect class="bar" x="0" y="${top + 28}" width="${round((count / most) * WIDTH)}" height="12" rx="3"/>`;
})}</svg>`;
}

function cut(name: string): string {
  const letters = [...name];
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join("")}…` : name;
}
