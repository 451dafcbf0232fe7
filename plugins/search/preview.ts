import { html } from "lectern/core";

/** About so many characters of a text are shown. */
const LENGTH = 260;
/** And so many around what was found. */
const AROUND = 32;

/** A text cut down to what was found in it, escaped, what was found in `<strong>` (content-api 14). */
export function previewOf(text: string, wanted: readonly string[]): string {
  const found = matchesIn(text, wanted);
  if (text.length <= LENGTH) return marked(text, 0, text.length, found);
  if (found.length === 0) return `${escaped(text.slice(0, LENGTH))}...`;
  let shown = "";
  let end = 0;
  for (const match of found) {
    if (match.start < end) continue;
    const from = Math.max(end, match.start - AROUND);
    const to = Math.min(text.length, match.end + AROUND);
    if (shown !== "" && shown.length + (to - from) > LENGTH * 2) break;
    shown += `${from > end ? "..." : ""}${marked(text, from, to, found)}`;
    end = to;
    if (end >= text.length) break;
  }
  return end < text.length ? `${shown}...` : shown;
}

/** The whole of a short text, what was found in `<strong>`. */
export function markedName(name: string, wanted: readonly string[]): string {
  return marked(name, 0, name.length, matchesIn(name, wanted));
}

interface Match {
  readonly start: number;
  readonly end: number;
}

/** Where any of the wanted texts stands, without regard to case; of overlapping ones the first and longest. */
function matchesIn(text: string, wanted: readonly string[]): Match[] {
  const lower = text.toLowerCase();
  // Some letters are longer in lower case, which would shift all places behind them.
  if (lower.length !== text.length) return [];
  const all: Match[] = [];
  for (const want of new Set(wanted.map((one) => one.toLowerCase()).filter((one) => one !== "")))
    for (let at = lower.indexOf(want); at >= 0; at = lower.indexOf(want, at + want.length))
      all.push({ start: at, end: at + want.length });
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  return all.filter((match, index) => !all.slice(0, index).some((before) => before.end > match.start));
}

function marked(text: string, from: number, to: number, found: readonly Match[]): string {
  let shown = "";
  let at = from;
  for (const { start, end } of found) {
    if (start < at || end > to) continue;
    shown += escaped(text.slice(at, start)) + html`<strong>${text.slice(start, end)}</strong>`.toString();
    at = end;
  }
  return shown + escaped(text.slice(at, to));
}

function escaped(text: string): string {
  return html`${text}`.toString();
}
