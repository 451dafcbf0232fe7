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

/** Texts of ASCII, Latin letters and their punctuation, without combining marks: each character has a normal form of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts with control characters
const LATIN = /^[\x00-\u012f\u0131-\u017f\u2010-\u2027]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts with control characters
const BESIDE_ASCII = /[^\x00-\x7f]/g;
/** Normal forms of the characters of such texts, some hundred at most. */
const LATIN_PARTS = new Map<string, string>();
/** Characters of the longest part whose normal form is looked up: longer ones are runs of ASCII, which seldom repeat. */
const MAX_KNOWN = 8;

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

/** A place in a text. */
export interface Match {
  start: number;
  end: number;
}

/** The matches of the texts, ignoring case and accents; of overlapping ones the first and longest. */
function matchesIn(text: string, wanted: readonly string[]): Match[] {
  const { normalized, offsetOf } = normalizedWithOffsets(text);
  const all: Match[] = [];
  for (const want of new Set(wanted.map(normalizeText).filter((one) => one !== "")))
    for (let at = normalized.indexOf(want); at >= 0; at = normalized.indexOf(want, at + want.length))
      all.push({ start: offsetOf(at), end: offsetOf(at + want.length) });
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return all.filter((match) => {
    if (match.start < end) return false;
    end = match.end;
    return true;
  });
}

/** A run of the normalised text: its place there and in the text. Its characters have as many places in the text, or all the first one. */
interface Run {
  readonly at: number;
  readonly inText: number;
  readonly isPlain: boolean;
}

/** A normalised text, and the offset in the text of each of its characters and of the end. */
export interface Normalized {
  readonly normalized: string;
  readonly offsetOf: (at: number) => number;
}

/** The normal form of a text with the places of its characters in the text. */
export function normalizedWithOffsets(text: string): Normalized {
  if (LATIN.test(text)) return ofLatin(text);
  const whole = normalizeText(text);
  if (whole.length === text.length && text.normalize("NFC") === text)
    return { normalized: whole, offsetOf: (at) => at };
  return ofRuns(text.matchAll(CHARACTERS), text.length);
}

/** The normal form of each character is that by itself, so only those beside ASCII are looked at. */
function ofLatin(text: string): Normalized {
  const runs: Run[] = [{ at: 0, inText: 0, isPlain: true }];
  let added = 0;
  const normalized = text.toLowerCase().replace(BESIDE_ASCII, (character, inText: number) => {
    const part = partOf(character, LATIN_PARTS);
    if (part.length !== 1) {
      runs.push({ at: inText + added, inText, isPlain: false });
      added += part.length - 1;
      runs.push({ at: inText + 1 + added, inText: inText + 1, isPlain: true });
    }
    return part;
  });
  return { normalized, offsetOf: (at) => placeIn(runs, at) };
}

function ofRuns(matches: Iterable<RegExpExecArray>, length: number): Normalized {
  let normalized = "";
  const runs: Run[] = [];
  const known = new Map<string, string>();
  for (const { 0: characters, index } of matches) {
    const part = characters.length > MAX_KNOWN ? normalizeText(characters) : partOf(characters, known);
    const isPlain = part.length === characters.length;
    const last = runs.at(-1);
    const isFurther = isPlain && last?.isPlain && index - last.inText === normalized.length - last.at;
    if (!isFurther) runs.push({ at: normalized.length, inText: index, isPlain });
    normalized += part;
  }
  return { normalized, offsetOf: (at) => (at >= normalized.length ? length : placeIn(runs, at)) };
}

function partOf(characters: string, known: Map<string, string>): string {
  const part = known.get(characters) ?? normalizeText(characters);
  known.set(characters, part);
  return part;
}

/** The place in the text of a character of the normalised text. Runs are looked up by halves, since a text may have thousands. */
function placeIn(runs: readonly Run[], at: number): number {
  let first = 0;
  for (let end = runs.length; end - first > 1; ) {
    const middle = (first + end) >> 1;
    if ((runs[middle]?.at ?? 0) <= at) first = middle;
    else end = middle;
  }
  const run = runs[first];
  if (!run) return at;
  return run.isPlain ? run.inText + at - run.at : run.inText;
}

/** A part of a text as HTML with the matches in it marked. */
export function highlighted(text: string, from: number, to: number, found: readonly Match[]): string {
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
