/**
 * Previews of results: names and excerpts of texts as HTML, with the matches marked. Matches are found in the normal form of a text,
 * whose characters are mapped back to those of the text itself.
 */
import { html } from "lectern/core";
import { normalizeText } from "./normalize_text.ts";

/** Approximate number of characters that are shown. */
const LENGTH = 260;
/** Characters that are shown before and after each match at least. */
const AROUND = 32;
/** A run of ASCII, or one other character with its combining marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts with control characters
const CHARACTERS = /[\x00-\x7f]+(?!\p{M})|.\p{M}*/gsu;

/**
 * Excerpts of a text around its matches, as HTML with the matches in `<strong>` (content-api 14): as many as have room, then what
 * follows the last one, then what precedes the first one.
 */
export function previewOf(text: string, wanted: readonly string[]): string {
  const found = matchesIn(text, wanted);
  if (text.length <= LENGTH) return highlighted(text, 0, text.length, found);
  const excerpts: Match[] = [];
  let length = 0;
  for (const match of found) {
    const last = excerpts.at(-1);
    const start = Math.max(last?.end ?? 0, match.start - AROUND);
    const end = Math.min(text.length, match.end + AROUND);
    if (last && length + end - start > LENGTH) break;
    length += Math.max(0, end - start);
    if (last && start === last.end) last.end = Math.max(last.end, end);
    else excerpts.push({ start, end });
  }
  return filled(excerpts, text.length)
    .map(({ start, end }, at, { length }) => {
      const isCut = at === length - 1 && end < text.length;
      return `${start > 0 ? "..." : ""}${highlighted(text, start, end, found)}${isCut ? "..." : ""}`;
    })
    .join("");
}

/** The excerpts, of which the last is extended up to `LENGTH` characters in all, and then the first; the start of a text without any. */
function filled(excerpts: readonly Match[], textLength: number): Match[] {
  const [first = { start: 0, end: 0 }, ...others] = excerpts.map((one) => ({ ...one }));
  const all = [first, ...others];
  const last = others.at(-1) ?? first;
  let room = LENGTH - all.reduce((sum, { start, end }) => sum + end - start, 0);
  const after = Math.max(0, Math.min(room, textLength - last.end));
  last.end += after;
  room -= after;
  first.start -= Math.max(0, Math.min(room, first.start));
  return all;
}

/** A whole name as HTML with the matches in `<strong>`. */
export function highlightedName(name: string, wanted: readonly string[]): string {
  return highlighted(name, 0, name.length, matchesIn(name, wanted));
}

interface Match {
  start: number;
  end: number;
}

/** The matches of the texts, ignoring case and accents; of overlapping ones the first and longest. */
function matchesIn(text: string, wanted: readonly string[]): Match[] {
  const { normalized, offsets } = normalizedWithOffsets(text);
  const all: Match[] = [];
  for (const want of new Set(wanted.map(normalizeText).filter((one) => one !== "")))
    for (let at = normalized.indexOf(want); at >= 0; at = normalized.indexOf(want, at + want.length))
      all.push({ start: offsets?.[at] ?? at, end: offsets?.[at + want.length] ?? at + want.length });
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return all.filter((match) => {
    if (match.start < end) return false;
    end = match.end;
    return true;
  });
}

/** The normalised text and, unless they are the same, the offset in the text of each of its characters and of the end. */
function normalizedWithOffsets(text: string): { normalized: string; offsets?: number[] } {
  const whole = normalizeText(text);
  if (whole.length === text.length && text.normalize("NFC") === text) return { normalized: whole };
  let normalized = "";
  const offsets: number[] = [];
  const known = new Map<string, string>();
  for (const { 0: characters, index } of text.matchAll(CHARACTERS)) {
    const part = known.get(characters) ?? normalizeText(characters);
    known.set(characters, part);
    const isPlain = part.length === characters.length;
    for (let at = 0; at < part.length; at++) offsets.push(isPlain ? index + at : index);
    normalized += part;
  }
  return { normalized, offsets: [...offsets, text.length] };
}

function highlighted(text: string, from: number, to: number, found: readonly Match[]): string {
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
