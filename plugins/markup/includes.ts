/**
 * Include tags `{{@id}}` and `{{@id#section}}` (content-api 9.4): found in text, replaced by parts of other pages.
 *
 * A pass finds all tags, asks for all pages at once and replaces from first to last; what was brought in is searched by
 * the next pass, of which there are three, so a page that includes itself ends. Where a block lands inside a paragraph
 * the paragraph gives way: it is split around the tag, or the block moves beside it when the tag is deeper inside.
 */
import type { Included } from "lectern/core";
import { tagsIn } from "./include_tags.ts";
import { maxIncludedChars, maxIncludes } from "./limits.ts";
import { serialize } from "./serialize.ts";
import {
  attributeOf,
  type Child,
  childrenOf,
  copyOf,
  type Element,
  eachElement,
  isElement,
  isRaw,
  isText,
  type Parent,
  parse,
  setChildren,
  shellOf,
  type Text,
  textNode,
  textOf,
} from "./tree.ts";

const PASSES = 3;
const MAX_PAGE_ID = 2_147_483_647;
const BLOCKS = new Set(["table", "ul", "ol", "pre"]);

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
  tags: number;
  chars: number;
}

type Load = (pageIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** The include tags in a tree: how many there are, and the unique ids of pages in order of appearance. */
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
 * Resolves the include tags of a tree, which it changes; whether there were any. `included` has the last word on each.
 * Rejects only if `load` or `included` does.
 */
export async function resolveIncludes(root: Parent, load: Load, included?: Included): Promise<boolean> {
  const pages = new Map<number, Parent | undefined>();
  const budget: Budget = { tags: maxIncludes, chars: maxIncludedChars };
  const sizes = new Map<number, number>();
  for (let pass = 0; pass < PASSES; pass++) {
    const tags = isolateTags(root);
    if (tags.length === 0) return pass > 0;
    const wanted = [...new Set(tags.map((tag) => tag.pageId))].filter((id) => isPageId(id) && !pages.has(id));
    const loaded = wanted.length > 0 ? await load(wanted) : new Map<number, string>();
    for (const id of wanted) {
      const html = loaded.get(id);
      pages.set(id, html ? parse(html) : undefined);
      sizes.set(id, html?.length ?? 0);
    }
    const emptied: Element[] = [];
    for (const tag of tags) {
      budget.tags--;
      budget.chars -= sizes.get(tag.pageId) ?? 0;
      const spent = budget.tags < 0 || budget.chars < 0;
      const page = spent ? undefined : pages.get(tag.pageId);
      const content = contentOf(page, tag.section);
      insert(tag, included ? await replaced(tag, content, page !== undefined, included) : content, emptied);
    }
    for (const element of emptied) removeIfEmpty(element);
  }
  return true;
}

/** What is put in place of a tag by others stands within the text, as in the original. */
async function replaced(tag: Tag, content: Content, isFound: boolean, included: Included): Promise<Content> {
  const shown = parse("");
  setChildren(shown, content.nodes.map(copyOf));
  const html = serialize(shown);
  const wanted = await included(tag.inner, html, isFound ? tag.pageId : null);
  return wanted === html ? content : { block: false, nodes: childrenOf(parse(wanted)) };
}

function isPageId(id: number): boolean {
  return id > 0 && id <= MAX_PAGE_ID;
}

function isolateTags(node: Parent, tags: Tag[] = []): Tag[] {
  const children = childrenOf(node);
  const split: Child[] = [];
  let found = false;
  for (const child of children) {
    if (isText(child) && child.value.includes("{{@")) {
      split.push(...splitText(child.value, tags));
      found = true;
      continue;
    }
    if (isElement(child) && !isRaw(child)) isolateTags(child, tags);
    split.push(child);
  }
  if (found) setChildren(node, split);
  return tags;
}

function splitText(text: string, tags: Tag[]): Text[] {
  const parts: Text[] = [];
  let done = 0;
  for (const { start, end, inner, pageId, section } of tagsIn(text)) {
    if (start > done) parts.push(textNode(text.slice(done, start)));
    const node = textNode(text.slice(start, end));
    parts.push(node);
    tags.push({ inner, pageId, section, node });
    done = end;
  }
  if (done < text.length) parts.push(textNode(text.slice(done)));
  return parts;
}

function contentOf(page: Parent | undefined, section: string): Content {
  if (!page) return { block: false, nodes: [] };
  if (!section) return { block: true, nodes: childrenOf(page).map(copyOf) };
  const element = findById(page, section);
  if (!element) return { block: false, nodes: [] };
  if (BLOCKS.has(element.tagName)) return { block: true, nodes: [copyOf(element)] };
  return { block: false, nodes: childrenOf(element).map(copyOf) };
}

function findById(root: Parent, id: string): Element | undefined {
  let found: Element | undefined;
  eachElement(root, (element) => {
    if (!found && attributeOf(element, "id") === id) found = element;
  });
  return found;
}

function insert(tag: Tag, content: Content, emptied: Element[]): void {
  const parent = tag.node.parentNode;
  const paragraph = content.block ? paragraphAround(tag.node) : undefined;
  if (paragraph && paragraph === parent) splitAt(paragraph, tag.node, emptied);
  else if (paragraph) moveBeside(paragraph, tag, emptied);
  replace(tag.node, content.nodes);
}

function paragraphAround(node: Child): Element | undefined {
  for (let parent = node.parentNode; parent; parent = "parentNode" in parent ? parent.parentNode : null) {
    if ("tagName" in parent && parent.tagName === "p") return parent;
  }
  return undefined;
}

function splitAt(paragraph: Element, node: Text, emptied: Element[]): void {
  const children = childrenOf(paragraph);
  const at = children.indexOf(node);
  const before = shellOf(paragraph);
  before.attrs = before.attrs.filter((attribute) => attribute.name !== "id");
  setChildren(before, children.slice(0, at));
  setChildren(paragraph, children.slice(at + 1));
  replace(paragraph, [before, node, paragraph]);
  emptied.push(paragraph, before);
}

function moveBeside(paragraph: Element, tag: Tag, emptied: Element[]): void {
  const text = textOf(paragraph);
  const inFirstHalf = text.indexOf(tag.inner) < text.length / 2;
  const host = tag.node.parentNode;
  if (host && "tagName" in host) emptied.push(host);
  replace(tag.node, []);
  replace(paragraph, inFirstHalf ? [tag.node, paragraph] : [paragraph, tag.node]);
}

function replace(node: Child, nodes: readonly Child[]): void {
  const parent = node.parentNode;
  if (!parent) return;
  const siblings = childrenOf("content" in parent ? parent.content : parent);
  siblings.splice(siblings.indexOf(node), 1, ...nodes);
  for (const each of nodes) each.parentNode = parent;
}

// Empty leftovers go, and whatever around them is empty then; the root is no element and stays.
function removeIfEmpty(element: Element): void {
  let each: Element | undefined = element;
  while (each?.parentNode && childrenOf(each).every((child) => isText(child) && child.value === "")) {
    const parent: Parent = each.parentNode;
    replace(each, []);
    each.parentNode = null;
    each = "tagName" in parent ? parent : undefined;
  }
}
