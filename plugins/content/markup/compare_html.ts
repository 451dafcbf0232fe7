/**
 * Compares two documents as they are shown: the later one, with `ins` around what was added and `del` around what was
 * removed.
 *
 * Trees are compared from the top. Equal blocks are found by their HTML without ids, which pages derive from texts. Between
 * them a removed and an added block of the same element are one changed block, whose children are compared in the same way.
 * Text with its inline elements is compared by word: the tags are those of the later document, so that they stay balanced.
 * Where two texts have little in common, both are shown whole, since alternating words cannot be read.
 */
import { diffArrays } from "diff";
import { htmlOf, withoutIds } from "./node_html.ts";
import { sanitizedHtml } from "./sanitize.ts";
import { escapeText, serialize } from "./serialize.ts";
import {
  type Child,
  childrenOf,
  copyOf,
  type Element,
  eachElement,
  element,
  emptyCopyOf,
  isElement,
  isHtml,
  isRaw,
  isText,
  parse,
  setChildren,
  VOID_ELEMENTS,
} from "./tree.ts";

/** Longest documents together that are compared, in characters. */
const MAX_LENGTH = 1_000_000;
/** The time of all comparisons of one call, in milliseconds; what was not compared then is shown as removed and added. */
const TOTAL_MS = 1_000;
/** Added blocks that are looked at for one of the same element as a removed one. */
const LOOKED_AT = 20;
/** The least share of two texts' characters in common, from 0 to 1, so that they are one changed text. */
const LEAST_COMMON = 0.3;

const INLINE = new Set(
  "a abbr b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

type Mark = "ins" | "del";

/** A piece of inline content. `html` of a tag is only written where it is the later document's. */
interface Token {
  readonly html: string;
  readonly isTag: boolean;
}

/**
 * Sanitised HTML that shows the changes between two documents; undefined for documents beyond the limit. Takes up to some
 * seconds for hostile documents.
 */
export function compareHtml(before: string, after: string): string | undefined {
  if (before.length + after.length > MAX_LENGTH) return undefined;
  const compared = element("div", []);
  const ends = performance.now() + TOTAL_MS;
  setChildren(compared, compareNodes(childrenOf(parse(before)), childrenOf(parse(after)), ends));
  return sanitizedHtml(parse(serialize(compared)));
}

function compareNodes(before: readonly Child[], after: readonly Child[], ends: number): Child[] {
  if (before.every(isInline) && after.every(isInline))
    return compareInline(before, after, ends) ?? [...markedAll(before, "del"), ...markedAll(after, "ins")];
  const keys = after.map(keyOf);
  const changes = diffArrays(before.map(keyOf), keys, { timeout: left(ends) });
  if (!changes) return [...markedAll(before, "del"), ...markedAll(after, "ins")];
  const compared: Child[] = [];
  let [old, now, gone, come] = [0, 0, 0, 0];
  const end = () => {
    compared.push(...compareChanged(before.slice(old, old + gone), after.slice(now, now + come), ends));
    [old, now, gone, come] = [old + gone, now + come, 0, 0];
  };
  for (const { added, removed, value } of changes) {
    if (removed) gone += value.length;
    else if (added) come += value.length;
    else {
      end();
      compared.push(...after.slice(now, now + value.length).map(copyOf));
      [old, now] = [old + value.length, now + value.length];
    }
  }
  end();
  return compared;
}

/** Blocks that were replaced: each removed one with the next added one of its element, in order. */
function compareChanged(removed: readonly Child[], added: readonly Child[], ends: number): Child[] {
  const compared: Child[] = [];
  let next = 0;
  for (const node of removed) {
    const found = added.slice(next, next + LOOKED_AT).findIndex((other) => isSameElement(node, other));
    const other = added[next + found];
    const changed = found >= 0 && other ? compareElement(node as Element, other as Element, ends) : undefined;
    if (!changed) {
      compared.push(...marked(node, "del"));
      continue;
    }
    compared.push(...markedAll(added.slice(next, next + found), "ins"), changed);
    next += found + 1;
  }
  return [...compared, ...markedAll(added.slice(next), "ins")];
}

/** An element whose content was changed; undefined where its texts have little in common. */
function compareElement(before: Element, after: Element, ends: number): Element | undefined {
  const [old, now] = [childrenOf(before), childrenOf(after)];
  const isLeaf = old.every(isInline) && now.every(isInline);
  const compared = isLeaf ? compareInline(old, now, ends) : compareNodes(old, now, ends);
  // A cell stays one, as a further one would move the rest of its row.
  const isCell = after.tagName === "td" || after.tagName === "th";
  const children = compared ?? (isCell ? [...markedAll(old, "del"), ...markedAll(now, "ins")] : undefined);
  if (!children) return undefined;
  const changed = emptyCopyOf(after);
  setChildren(changed, children);
  return changed;
}

/** Text with inline elements, by word; undefined where too little is in both, or no time is left. */
function compareInline(before: readonly Child[], after: readonly Child[], ends: number): Child[] | undefined {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  const isSame = (one: Token, other: Token) => one.html === other.html;
  const changes = diffArrays(old, now, { comparator: isSame, timeout: left(ends) });
  if (!changes) return undefined;
  const lengthOf = (tokens: readonly Token[]) =>
    tokens.reduce((sum, token) => sum + (token.isTag ? 0 : token.html.length), 0);
  const same = changes.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : lengthOf(value)), 0);
  const longest = Math.max(lengthOf(old), lengthOf(now));
  if (longest > 0 && same / longest < LEAST_COMMON) return undefined;
  const html = changes.map(({ added, removed, value }) => {
    if (added) return runsOf(value, "ins", true);
    return removed ? runsOf(value, "del", false) : value.map((token) => token.html).join("");
  });
  return childrenOf(parse(html.join("")));
}

/** Marks each run between tags; tags are written where `hasTags`. */
function runsOf(tokens: readonly Token[], mark: Mark, hasTags: boolean): string {
  const parts: string[] = [];
  let run = "";
  const end = () => {
    if (run !== "") parts.push(`<${mark}>${run}</${mark}>`);
    run = "";
  };
  for (const token of tokens) {
    if (!token.isTag) run += token.html;
    else if (hasTags) {
      end();
      parts.push(token.html);
    }
  }
  end();
  return parts.join("");
}

function tokensOf(nodes: readonly Child[]): Token[] {
  return nodes.flatMap((node): Token[] => {
    if (isText(node))
      return (node.value.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []).map((word) => ({
        html: escapeText(word),
        isTag: false,
      }));
    if (!isElement(node)) return [];
    if (VOID_ELEMENTS.has(node.tagName)) return [{ html: htmlOf(node), isTag: false }];
    const empty = htmlOf(emptyCopyOf(node));
    const end = `</${node.tagName}>`;
    const start = { html: empty.slice(0, -end.length), isTag: true };
    return [start, ...tokensOf(childrenOf(node)), { html: end, isTag: true }];
  });
}

function markedAll(nodes: readonly Child[], mark: Mark): Child[] {
  const shown: Child[] = [];
  let run: Child[] = [];
  const end = () => {
    if (run.some((node) => !isBlank(node))) shown.push(element(mark, run));
    else shown.push(...run);
    run = [];
  };
  for (const node of nodes) {
    if (isInline(node)) run.push(copyFor(node, mark));
    else {
      end();
      shown.push(...marked(node, mark));
    }
  }
  end();
  return shown;
}

/** A node with its text marked: within blocks around their inline content, as a mark around rows and items is not HTML. */
function marked(node: Child, mark: Mark): Child[] {
  if (isBlank(node) || !("tagName" in node || isText(node))) return [copyFor(node, mark)];
  if (isInline(node) || !isElement(node) || isAtom(node)) return [element(mark, [copyFor(node, mark)])];
  const copy = unidentified(emptyCopyOf(node), mark);
  setChildren(copy, markedAll(childrenOf(node), mark));
  return [copy];
}

function copyFor(node: Child, mark: Mark): Child {
  const copy = copyOf(node);
  return isElement(copy) ? unidentified(copy, mark) : copy;
}

/** Removed elements lose their ids, which those that took their place may have. */
function unidentified(node: Element, mark: Mark): Element {
  if (mark === "ins") return node;
  const drop = (each: Element) => {
    each.attrs = each.attrs.filter(({ name }) => name !== "id");
  };
  drop(node);
  eachElement(node, drop);
  return node;
}

function isSameElement(one: Child, other: Child): boolean {
  return isElement(one) && isElement(other) && one.tagName === other.tagName && !isAtom(one) && !isAtom(other);
}

/** Whether an element is only shown whole: pictures, frames, drawings. */
function isAtom(node: Element): boolean {
  return !isHtml(node) || VOID_ELEMENTS.has(node.tagName) || isRaw(node);
}

function isInline(node: Child): boolean {
  if (!isElement(node)) return true;
  return isHtml(node) && INLINE.has(node.tagName) && childrenOf(node).every(isInline);
}

function isBlank(node: Child): boolean {
  return isText(node) ? node.value.trim() === "" : !isElement(node);
}

function keyOf(node: Child): string {
  return withoutIds(htmlOf(node));
}

function left(ends: number): number {
  return Math.max(1, ends - performance.now());
}
