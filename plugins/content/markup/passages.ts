/**
 * Passages of documents, which comments are about. A place is written as BookStack writes it (content-api 10.2): the id of an element, the
 * checksum of its text, and a range of it in UTF-16 code units. While the checksum fits, the place says which passage it is. After
 * an edit its text is searched for, with what stood around it: of several finds, that whose surroundings fit best, and of these the one
 * nearest to the former place. A short text is taken for the passage only within the same element or between the same words, since
 * "the" is found on every page.
 *
 * Texts are compared with each run of white space as one space, as an edit may wrap lines anew.
 */
import type { Passage, WantedPassage } from "lectern/contracts";
import { attributeOf, type Child, childrenOf, isElement, isText, type Parent, parse } from "./tree.ts";

/** Characters of a passage; of a longer one the beginning counts. */
const MAX_QUOTE = 1_000;
/** Characters that are kept of what stands before and after a passage. */
const CONTEXT = 32;
/** Characters from which on a text is taken for the passage wherever it stands. */
const UNIQUE_QUOTE = 32;
/** Characters of the surroundings that have to fit for a shorter one: a blank and a sign fit by chance, a word does not. */
const FITTING = 5;
/** The same for a word, which is found often. */
const FITTING_OF_WORD = 9;
/** Finds of a text that are looked at. */
const MAX_FINDS = 1_000;

/** An element with an id, by the range of its text in that of the document. */
interface Block {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** A document as its passages are found in it. */
interface Searched {
  readonly text: string;
  /** Parents before children. */
  readonly blocks: readonly Block[];
  /** The text with each run of white space as one space, and the index in `text` of each of its characters. */
  readonly plain: string;
  readonly indexes: Uint32Array;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds passages in HTML; null for each that is not there. */
export function findPassages(html: string, wanted: readonly WantedPassage[]): (Passage | null)[] {
  const searched = searchedText(parse(html));
  return wanted.map((each) => {
    const range = rangeAt(searched, each) ?? rangeByText(searched, each);
    return range ? passageAt(searched, range) : null;
  });
}

/** The checksum of the text of an element, as BookStack's scripts make it (cyrb53, by bryc, in the public domain). */
export function checksumOf(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  const read = text.replace(/\s{2,}/g, "");
  for (let at = 0; at < read.length; at++) {
    const code = read.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507);
  one ^= Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507);
  other ^= Math.imul(one ^ (one >>> 13), 3266489909);
  return String(4294967296 * (2097151 & other) + (one >>> 0));
}

function searchedText(root: Parent): Searched {
  const parts: string[] = [];
  const blocks: { id: string; start: number; end: number }[] = [];
  let length = 0;
  const visit = (node: Child) => {
    if (isText(node)) {
      // Browsers leave out a newline right after <pre>.
      const isFirst = node.parentNode?.nodeName === "pre" && node.parentNode.childNodes[0] === node;
      const text = isFirst && node.value.startsWith("\n") ? node.value.slice(1) : node.value;
      parts.push(text);
      length += text.length;
    }
    if (!isElement(node)) return;
    const block = { id: attributeOf(node, "id") ?? "", start: length, end: length };
    if (block.id.startsWith("bkmrk-")) blocks.push(block);
    for (const child of childrenOf(node)) visit(child);
    block.end = length;
  };
  for (const child of childrenOf(root)) visit(child);
  const text = parts.join("");
  return { text, blocks, ...plainOf(text) };
}

/** A text with each run of white space as one space, and where its characters are in it. */
function plainOf(text: string): Pick<Searched, "plain" | "indexes"> {
  const indexes = new Uint32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  let read = 0;
  const take = (end: number) => {
    parts.push(text.slice(read, end));
    for (; read < end; read++) indexes[length++] = read;
  };
  for (const { 0: blanks, index } of text.matchAll(/\s+/g)) {
    take(index);
    indexes[length++] = index;
    parts.push(" ");
    read = index + blanks.length;
  }
  take(text.length);
  indexes[length] = text.length;
  return { plain: parts.join(""), indexes: indexes.subarray(0, length + 1) };
}

/** The range of a place whose element has the text it had. */
function rangeAt({ text, blocks }: Searched, { place, quote = "" }: WantedPassage): Range | undefined {
  const read = readPlace(place);
  const block = read && blocks.find(({ id }) => id === read.id);
  if (!block || checksumOf(text.slice(block.start, block.end)) !== read.checksum) return undefined;
  const start = Math.min(block.start + read.start, block.end);
  const end = Math.min(block.start + (read.end ?? block.end), block.end);
  const range = trimmed(text, start < end ? { start, end } : block);
  if (!range || (quote !== "" && plainOf(text.slice(range.start, range.end)).plain !== plainOf(quote).plain.trim()))
    return undefined;
  return range;
}

function readPlace(
  place: string,
):
  | { readonly id: string; readonly checksum: string; readonly start: number; readonly end: number | undefined }
  | undefined {
  // The id of an element may have colons.
  const parts = place.split(":");
  const [checksum, range] = parts.slice(-2);
  if (parts.length < 3 || checksum === undefined || range === undefined) return undefined;
  const [start = "", end = ""] = range.split("-");
  return {
    id: parts.slice(0, -2).join(":"),
    checksum,
    start: Number(start),
    end: end === "" ? undefined : Number(end),
  };
}

/** A range without blanks at its ends, and not beyond `MAX_QUOTE`; undefined where nothing is left. */
function trimmed(text: string, { start, end }: Range): Range | undefined {
  const found = text.slice(start, end);
  const first = start + (found.length - found.trimStart().length);
  const limit = Math.min(end, first + MAX_QUOTE);
  // No character is cut in two.
  const isCut = limit < end && /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  const last = first + text.slice(first, isCut ? limit - 1 : limit).trimEnd().length;
  return first < last ? { start: first, end: last } : undefined;
}

/** The range of the find that fits a passage best. */
function rangeByText(
  searched: Searched,
  { place, quote = "", before = "", after = "" }: WantedPassage,
): Range | undefined {
  const { plain, indexes, blocks } = searched;
  const wanted = plainOf(quote.slice(0, MAX_QUOTE)).plain.trim();
  if (wanted === "") return undefined;
  const read = readPlace(place);
  const block = read && blocks.find(({ id }) => id === read.id);
  const former = block && read ? block.start + read.start : 0;
  let best: { readonly range: Range; readonly fit: number; readonly distance: number } | undefined;
  // A short document has little around its passages.
  const fitting = Math.min(wanted.includes(" ") ? FITTING : FITTING_OF_WORD, before.length + after.length);
  let finds = 0;
  for (let at = plain.indexOf(wanted); at >= 0 && finds < MAX_FINDS; at = plain.indexOf(wanted, at + 1)) {
    finds++;
    const range = { start: indexes[at] ?? 0, end: (indexes[at + wanted.length - 1] ?? 0) + 1 };
    const around =
      equalEnds(plain.slice(Math.max(0, at - CONTEXT), at), before) +
      equalBegins(plain.slice(at + wanted.length, at + wanted.length + CONTEXT), after);
    const isWithin = block !== undefined && range.start >= block.start && range.end <= block.end;
    if (wanted.length < UNIQUE_QUOTE && read && !isWithin && around < fitting) continue;
    const fit = around + (isWithin ? FITTING_OF_WORD : 0);
    const distance = Math.abs(range.start - former);
    if (!best || fit > best.fit || (fit === best.fit && distance < best.distance)) best = { range, fit, distance };
  }
  return best?.range;
}

/** How many characters at the end of two texts are equal. */
function equalEnds(one: string, other: string): number {
  let count = 0;
  while (count < one.length && count < other.length && one.at(-1 - count) === other.at(-1 - count)) count++;
  return count;
}

function equalBegins(one: string, other: string): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

/** A range as a passage: within the innermost element that has it, or up to the end of the one that it begins in. */
function passageAt({ text, blocks }: Searched, { start, end }: Range): Passage | null {
  const around = blocks.findLast((block) => block.start <= start && end <= block.end);
  const block = around ?? blocks.findLast((each) => each.start <= start && start < each.end);
  const range = block && trimmed(text, { start, end: Math.min(end, block.end) });
  if (!block || !range) return null;
  const own = text.slice(block.start, block.end);
  const plain = (from: number, to: number) => plainOf(text.slice(Math.max(0, from), to)).plain.toWellFormed();
  return {
    place: `${block.id}:${checksumOf(own)}:${range.start - block.start}-${range.end - block.start}`,
    quote: plain(range.start, range.end),
    // Twice as much is read, as white space is shortened.
    before: plain(range.start - 2 * CONTEXT, range.start)
      .slice(-CONTEXT)
      .toWellFormed(),
    after: plain(range.end, range.end + 2 * CONTEXT)
      .slice(0, CONTEXT)
      .toWellFormed(),
  };
}
