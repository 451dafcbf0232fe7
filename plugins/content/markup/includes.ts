/**
 * Resolves include tags `{{@id}}` and `{{@id#section}}` (content-api 9.4), which are replaced by parts of other pages.
 *
 * A pass finds all tags, loads all their pages at once and replaces the tags in order. The next pass resolves the tags of
 * included parts; three passes bound the recursion. A block must not be inside a paragraph: the paragraph is split around
 * the tag, or the block is moved before or after it if the tag is nested more deeply. It is moved out of headings and other
 * elements that have text alone, too: after them, unless it was their beginning. All passes share one budget. A tag beyond
 * it is replaced by a notice, so that readers know that something is missing.
 */
import type { Included, LoadPages } from "lectern/contracts";
import { IncludeSources, isPageId } from "./include_sources.ts";
import { tagsIn } from "./include_tags.ts";
import { maxIncludeNotices } from "./limits.ts";
import { serialize } from "./serialize.ts";
import {
  type Child,
  childrenOf,
  copyOf,
  type Element,
  element,
  emptyCopyOf,
  isElement,
  isRaw,
  isText,
  type Parent,
  parse,
  setChildren,
  type Text,
  textNode,
  textOf,
} from "./tree.ts";

const PASSES = 3;
/** Elements that a block is moved out of; a paragraph is split. */
const TEXT_ELEMENTS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "summary", "small"]);

/** Limits of one rendering, and the notices in place of includes beyond them. */
export interface IncludeLimits {
  /** Include tags that are resolved, in all passes. */
  readonly maxIncludes: number;
  /** Bytes of HTML that are included, and of the pages that are loaded for it. */
  readonly maxBytes: number;
  /** Plain texts, for a tag beyond the number of includes and for one beyond the bytes. */
  readonly notices: { readonly number: string; readonly bytes: string };
}

/** The notice in place of a tag beyond the number `:count`. */
export const TOO_MANY_INCLUDES = "This include was left out: the page includes more than :count parts.";

/** The notice in place of a tag beyond `:count` bytes. */
export const TOO_LARGE_INCLUDES =
  "This include was left out: the parts that the page includes are larger than :count bytes.";

/** Limits with notices in the language of `say`. */
export function includeLimits(
  { maxIncludes, maxBytes }: Omit<IncludeLimits, "notices">,
  say: (text: string, params: { count: number }) => string,
): IncludeLimits {
  const notices = {
    number: say(TOO_MANY_INCLUDES, { count: maxIncludes }),
    bytes: say(TOO_LARGE_INCLUDES, { count: maxBytes }),
  };
  return { maxIncludes, maxBytes, notices };
}

interface Tag {
  readonly inner: string;
  readonly pageId: number;
  readonly section: string;
  readonly node: Text;
}

interface Content {
  readonly block: boolean;
  readonly nodes: readonly Child[];
}

interface Budget {
  includes: number;
  bytes: number;
  notices: number;
}

/** The number of include tags in a tree, and the distinct ids of their pages in order. */
export function includesIn(root: Parent): { count: number; pageIds: number[] } {
  const pageIds = new Set<number>();
  let count = 0;
  const read = (node: Parent): void => {
    for (const child of childrenOf(node)) {
      if (isText(child)) {
        for (const { pageId } of tagsIn(child.value)) {
          count++;
          if (isPageId(pageId)) pageIds.add(pageId);
        }
      } else if (isElement(child) && !isRaw(child)) read(child);
    }
  };
  read(root);
  return { count, pageIds: [...pageIds] };
}

/**
 * Resolves the include tags of a tree. Changes the tree; returns whether there were any. `included` may replace the HTML of
 * each include within the limits. Rejects only if `load` or `included` does.
 */
export async function resolveIncludes(
  root: Parent,
  load: LoadPages,
  limits: IncludeLimits,
  included?: Included,
): Promise<boolean> {
  const sources = new IncludeSources(load, limits.maxBytes);
  const budget: Budget = { includes: limits.maxIncludes, bytes: limits.maxBytes, notices: maxIncludeNotices };
  for (let pass = 0; pass < PASSES; pass++) {
    const tags = isolateTags(root, budget.includes + budget.notices);
    if (tags.length === 0) return pass > 0;
    await sources.load(tags.slice(0, budget.includes).map(({ pageId }) => pageId));
    const maybeEmpty: Element[] = [];
    for (const tag of tags) {
      const part = take(tag, sources, budget);
      const content = typeof part === "string" ? notice(limits.notices[part], budget) : copied(part);
      const isReplaceable = included && typeof part !== "string";
      insert(
        tag,
        isReplaceable ? await replaced(tag, content, sources.has(tag.pageId), included) : content,
        maybeEmpty,
      );
    }
    for (const element of maybeEmpty) removeIfEmpty(element);
  }
  return true;
}

/** The part that a tag names, subtracted from the budget; or the limit that the tag is beyond. */
function take(tag: Tag, sources: IncludeSources, budget: Budget): Content | keyof IncludeLimits["notices"] {
  if (budget.includes <= 0) return "number";
  budget.includes--;
  const part = sources.part(tag.pageId, tag.section);
  if (part === "large" || part.bytes > budget.bytes) return "bytes";
  budget.bytes -= part.bytes;
  return part;
}

function copied({ block, nodes }: Content): Content {
  return { block, nodes: nodes.map(copyOf) };
}

/** A notice; nothing after `maxIncludeNotices`. */
function notice(text: string, budget: Budget): Content {
  if (budget.notices <= 0) return { block: false, nodes: [] };
  budget.notices--;
  return { block: false, nodes: [element("em", [textNode(text)])] };
}

/** Lets `included` replace the HTML of an include. Replaced HTML is inserted inline, as in BookStack. */
async function replaced(tag: Tag, content: Content, isFound: boolean, included: Included): Promise<Content> {
  const fragment = parse("");
  setChildren(fragment, content.nodes.map(copyOf));
  const html = serialize(fragment);
  const replacement = await included(tag.inner, html, isFound ? tag.pageId : null);
  return replacement === html ? content : { block: false, nodes: childrenOf(parse(replacement)) };
}

/** Puts each of the first `most` tags into a text node of its own and removes the others. */
function isolateTags(node: Parent, most: number, tags: Tag[] = []): Tag[] {
  const children = childrenOf(node);
  const split: Child[] = [];
  let found = false;
  for (const child of children) {
    if (isText(child) && child.value.includes("{{@")) {
      for (const part of splitText(child.value, most, tags)) split.push(part);
      found = true;
      continue;
    }
    if (isElement(child) && !isRaw(child)) isolateTags(child, most, tags);
    split.push(child);
  }
  if (found) setChildren(node, split);
  return tags;
}

function splitText(text: string, most: number, tags: Tag[]): Text[] {
  const parts: Text[] = [];
  let before = "";
  let done = 0;
  for (const { start, end, inner, pageId, section } of tagsIn(text)) {
    before += text.slice(done, start);
    done = end;
    if (tags.length >= most) continue;
    if (before !== "") parts.push(textNode(before));
    before = "";
    const node = textNode(text.slice(start, end));
    parts.push(node);
    tags.push({ inner, pageId, section, node });
  }
  before += text.slice(done);
  if (before !== "") parts.push(textNode(before));
  return parts;
}

function insert(tag: Tag, content: Content, maybeEmpty: Element[]): void {
  const parent = tag.node.parentNode;
  const outer = content.block ? textElementAround(tag.node) : undefined;
  if (outer?.tagName === "p" && outer === parent) splitAt(outer, tag.node, maybeEmpty);
  else if (outer) moveBeside(outer, tag, maybeEmpty);
  replace(tag.node, content.nodes);
}

/** The outermost element around a node that no block may be in. */
function textElementAround(node: Child): Element | undefined {
  let found: Element | undefined;
  for (let parent = node.parentNode; parent; parent = "parentNode" in parent ? parent.parentNode : null) {
    if ("tagName" in parent && TEXT_ELEMENTS.has(parent.tagName)) found = parent;
  }
  return found;
}

function splitAt(paragraph: Element, node: Text, maybeEmpty: Element[]): void {
  const children = childrenOf(paragraph);
  const at = children.indexOf(node);
  const before = emptyCopyOf(paragraph);
  before.attrs = before.attrs.filter((attribute) => attribute.name !== "id");
  setChildren(before, children.slice(0, at));
  setChildren(paragraph, children.slice(at + 1));
  replace(paragraph, [before, node, paragraph]);
  maybeEmpty.push(paragraph, before);
}

/** As in BookStack, which compares places in the text with the tags. */
function isInFirstHalf({ inner }: Tag, paragraph: Element): boolean {
  const text = textOf(paragraph);
  return text.indexOf(inner) < text.length / 2;
}

function textBefore({ inner }: Tag, outer: Element): string {
  const text = textOf(outer);
  return text.slice(0, text.lastIndexOf("{{@", text.indexOf(inner)));
}

function moveBeside(outer: Element, tag: Tag, maybeEmpty: Element[]): void {
  const isBefore = outer.tagName === "p" ? isInFirstHalf(tag, outer) : textBefore(tag, outer).trim() === "";
  const host = tag.node.parentNode;
  if (host && "tagName" in host) maybeEmpty.push(host);
  replace(tag.node, []);
  replace(outer, isBefore ? [tag.node, outer] : [outer, tag.node]);
}

function replace(node: Child, nodes: readonly Child[]): void {
  const parent = node.parentNode;
  if (!parent) return;
  const siblings = childrenOf("content" in parent ? parent.content : parent);
  siblings.splice(siblings.indexOf(node), 1, ...nodes);
  for (const each of nodes) each.parentNode = parent;
}

/** Removes an empty element, and its ancestors that are empty then. The root is no element and stays. */
function removeIfEmpty(element: Element): void {
  let each: Element | undefined = element;
  while (each?.parentNode && childrenOf(each).every((child) => isText(child) && child.value === "")) {
    const parent: Parent = each.parentNode;
    replace(each, []);
    each.parentNode = null;
    each = "tagName" in parent ? parent : undefined;
  }
}
