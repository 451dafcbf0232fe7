/**
 * Ids of elements, made from the beginning of their text as BookStack makes them (content-api 9.2), and the links to ids that were
 * replaced. The text of an element is read only as far as its id needs it, and each text once, however many elements it is within.
 */
import { trimChars } from "lectern/core";
import { TRIMMED } from "./plain_text.ts";
import {
  attributeOf,
  type Child,
  childrenOf,
  type Element,
  eachElement,
  type Parent,
  setAttribute,
  type Text,
} from "./tree.ts";

const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
/** Maximum characters of the text in an id. */
const ID_CHARS = 20;
const CHUNK_CHARS = 1_000;
/** What most ids are made of. The rest of this takes the same ways, which take several times as long, for all other texts. */
const UNENCODED = /^[\w.-]*$/;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Sets unique ids on top-level elements, headings and elements that have an id (content-api 9.2). Changes the tree. Returns the
 * new ids by old ones, for `updateFragments`.
 */
export function setIds(root: Parent): Map<string, string> {
  const used = new Set<string>();
  const tries = new Map<string, number>();
  const changed = new Map<string, string>();
  const leads: Leads = new Map();
  eachElement(root, (element, depth) => {
    const old = attributeOf(element, "id") ?? "";
    if (depth > 0 && !HEADINGS.has(element.tagName) && !old) return;
    if (old.startsWith("bkmrk") && !used.has(old)) {
      used.add(old);
      return;
    }
    const id = unusedId(`bkmrk-${idText(element, leads)}`, used, tries);
    setAttribute(element, "id", id);
    used.add(id);
    if (old && !used.has(old)) changed.set(old, id);
  });
  return changed;
}

/** Updates links to replaced ids, with or without `#`, below the top level. Changes the tree. */
export function updateFragments(root: Parent, changed: ReadonlyMap<string, string>): void {
  if (changed.size === 0) return;
  eachElement(root, (element, depth) => {
    const href = depth > 0 ? attributeOf(element, "href") : undefined;
    const id = href === undefined ? undefined : changed.get(href.replace(/^#+/, ""));
    if (id !== undefined) setAttribute(element, "href", `#${id}`);
  });
}

/**
 * The first id that is not used. Ids are never freed, so the search for a number continues where the last one for this text
 * ended.
 */
function unusedId(base: string, used: ReadonlySet<string>, tries: Map<string, number>): string {
  let number = tries.get(base) ?? 0;
  let id = encodeId(base, number);
  while (used.has(id)) id = encodeId(base, ++number);
  tries.set(base, number);
  return id;
}

function encodeId(base: string, number: number): string {
  const text = number === 0 ? base : `${base}-${number}`;
  if (UNENCODED.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[~!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function idText(element: Element, leads: Leads): string {
  const text = trimChars(leadingText(element, leads), TRIMMED).replace(/[ \t\n\v\f\r]+/g, "-");
  // A character takes two code units at most.
  const start = text.slice(0, 2 * ID_CHARS);
  if (ASCII.test(start)) return start.slice(0, ID_CHARS).toLowerCase();
  return Array.from(start.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()))
    .slice(0, ID_CHARS)
    .join("");
}

/** The beginning of a text that an id can need, and how many of its characters are visible. */
interface Lead {
  readonly text: string;
  readonly visibleChars: number;
}

/** What was read of texts: each may be within many elements with an id, and may begin with much white space. */
type Leads = Map<Text, Lead>;

/** Enough text for an id. Reading all of it would visit the whole subtree once for each element with an id. */
function leadingText(element: Element, leads: Leads): string {
  let text = "";
  let visibleChars = 0;
  const read = (node: Child): boolean => {
    if ("value" in node) {
      const lead = leads.get(node) ?? leadOf(node.value);
      leads.set(node, lead);
      text += lead.text;
      visibleChars += lead.visibleChars;
      return visibleChars > 2 * ID_CHARS;
    }
    return "childNodes" in node && childrenOf(node).some(read);
  };
  read(element);
  return text;
}

/** The beginning of a text, with each run of white space that an id has as one dash as one space. */
function leadOf(value: string): Lead {
  let text = "";
  let visibleChars = 0;
  for (let at = 0; at < value.length && visibleChars <= 2 * ID_CHARS; at += CHUNK_CHARS) {
    const chunk = value.slice(at, at + CHUNK_CHARS);
    text += chunk.replace(/[ \t\n\v\r]{2,}/g, " ");
    visibleChars += chunk.replace(/\s+/g, "").length;
  }
  return { text, visibleChars };
}
