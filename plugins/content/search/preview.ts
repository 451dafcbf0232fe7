import { html } from "lectern/core";
import { fold } from "./fold.ts";

/** About so many characters of a text are shown. */
const LENGTH = 260;
/** And so many around what was found. */
const AROUND = 32;
/** Letters of ASCII in a row, or another one, with the marks that belong to it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
const LETTERS = /[\x00-\x7f]+(?!\p{M})|.\p{M}*/gsu;

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

/** Where any of the wanted texts stands, whatever the case and accents; of overlapping ones the first and longest. */
function matchesIn(text: string, wanted: readonly string[]): Match[] {
  const { folded, places } = foldedWithPlaces(text);
  const all: Match[] = [];
  for (const want of new Set(wanted.map(fold).filter((one) => one !== "")))
    for (let at = folded.indexOf(want); at >= 0; at = folded.indexOf(want, at + want.length))
      all.push({ start: places?.[at] ?? at, end: places?.[at + want.length] ?? at + want.length });
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return all.filter((match) => {
    if (match.start < end) return false;
    end = match.end;
    return true;
  });
}

/** A folded text and, where folding moves letters, the place in the text of each of its letters and of the end. */
function foldedWithPlaces(text: string): { folded: string; places?: number[] } {
  const whole = fold(text);
  if (whole.length === text.length && text.normalize("NFC") === text) return { folded: whole };
  let folded = "";
  const places: number[] = [];
  for (const { 0: letters, index } of text.matchAll(LETTERS)) {
    const part = fold(letters);
    const isPlain = part.length === letters.length;
    for (let at = 0; at < part.length; at++) places.push(isPlain ? index + at : index);
    folded += part;
  }
  return { folded, places: [...places, text.length] };
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
