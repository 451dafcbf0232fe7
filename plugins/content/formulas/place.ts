/**
 * Puts formulas into the HTML of a page. The HTML is what the store, includes and plugins made of the Markdown, in which a formula may have
 * become anything (`$a*b*c$` has an element, `\\` is one sign), so formulas are found in the Markdown, and their places by their
 * dollar signs: the Markdown is converted once more with a mark behind each sign, and the signs of both documents are compared in
 * order. Signs that only one of them has, such as those of an included page, are known by the letters around them, and stay.
 */
import { diffArrays } from "diff";
import { type DefaultTreeAdapterTypes, parseFragment, serialize } from "parse5";
import { dollarsIn, type Formula, formulasIn } from "./dollars.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;
type Node = DefaultTreeAdapterTypes.ChildNode;
type Text = DefaultTreeAdapterTypes.TextNode;

/** A sign of a document. */
interface Sign {
  readonly node: Text;
  /** Where it is in the text of the node. */
  readonly at: number;
  /** Whether it is in text, and not in code and the like. */
  readonly isText: boolean;
  /** Its number in the Markdown, where it has a mark. */
  readonly number: number | undefined;
  /** The letters around it. */
  readonly around: string;
}

/** Elements whose text is no place for formulas. */
const VERBATIM: ReadonlySet<string> = new Set([
  ...[
    "a",
    "button",
    "code",
    "kbd",
    "math",
    "pre",
    "samp",
    "script",
    "select",
    "style",
    "svg",
    "textarea",
    "title",
    "var",
  ],
]);
/** Elements within lines. */
const INLINE: ReadonlySet<string> = new Set([
  ...[
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "cite",
    "code",
    "del",
    "dfn",
    "em",
    "i",
    "ins",
    "kbd",
    "label",
    "mark",
    "q",
    "s",
    "samp",
  ],
  ...["small", "span", "strike", "strong", "sub", "sup", "u", "var"],
]);
/** Letters on each side, in the same block, by which a sign is known. */
const AROUND = 8;
/** Signs that are compared, beyond which none is a formula. */
const MOST_SIGNS = 3_000;
const MOST_EDITS = 500;

/** Markdown with a mark of letters and digits, which change nothing of how it is read, behind each sign. */
export function marked(markdown: string, mark: string): string {
  let number = 0;
  return markdown.replace(/\$/g, () => `$${mark}${number++}q`);
}

/** What `place` works on. */
export interface Placed {
  readonly html: string;
  readonly markdown: string;
  /** The HTML of `marked(markdown, mark)`. */
  readonly sample: string;
  readonly mark: string;
}

/** The HTML with what `draw` returns in place of each formula; those that it returns undefined for stay. */
export async function place(
  { html, markdown, sample, mark }: Placed,
  draw: (formula: Formula) => Promise<string | undefined>,
): Promise<string> {
  const tree = parseFragment(html, { scriptingEnabled: false });
  const nodes = nodesOf(tree);
  const signs = signsIn(nodes, "");
  const samples = signsIn(nodesOf(parseFragment(sample, { scriptingEnabled: false })), mark);
  if (signs.length > MOST_SIGNS || samples.length > MOST_SIGNS || dollarsIn(markdown).length > MOST_SIGNS) return html;
  const found = matched(signs, samples);
  const formulas = formulasIn(markdown, (number) => found.get(number)?.isText === true);
  const order = new Map<Node, number>(nodes.map((node, index) => [node, index]));
  // The last one first, so that the places of those before it stay.
  for (const formula of formulas.toReversed()) {
    const [open, close] = [found.get(formula.first), found.get(formula.last)];
    if (!open || !close) continue;
    const drawn = await draw(formula);
    if (drawn !== undefined) replace({ nodes, order }, open, close, drawn);
  }
  return serialize(tree);
}

/** All nodes below a node, in the order of the document. */
function nodesOf(parent: Parent, into: Node[] = []): Node[] {
  for (const child of parent.childNodes) {
    into.push(child);
    if ("childNodes" in child) nodesOf(child, into);
  }
  return into;
}

const isTextNode = (node: Node): node is Text => node.nodeName === "#text";

function signsIn(nodes: readonly Node[], mark: string): Sign[] {
  const letters = new Map<Parent, string>();
  const found: (Omit<Sign, "around"> & { readonly block: Parent; readonly letter: number })[] = [];
  for (const node of nodes) {
    if (!isTextNode(node)) continue;
    const isText = !isVerbatim(node);
    const block = blockOf(node);
    let before = letters.get(block) ?? "";
    let from = 0;
    for (const { index: at } of node.value.matchAll(/\$/g)) {
      before += lettersOf(node.value.slice(from, at));
      const { number, end } = markAt(node.value, at + 1, mark);
      from = end;
      found.push({ node, at, isText, number, block, letter: before.length });
    }
    letters.set(block, before + lettersOf(node.value.slice(from)));
  }
  return found.map(({ block, letter, ...sign }) => {
    const all = letters.get(block) ?? "";
    const around = `${all.slice(Math.max(0, letter - AROUND), letter)} ${all.slice(letter, letter + AROUND)}`;
    return { ...sign, around };
  });
}

/** The number of a mark at a place of a text, and where the mark ends. */
function markAt(text: string, at: number, mark: string): { number: number | undefined; end: number } {
  const from = at + mark.length;
  const end = mark !== "" && text.startsWith(mark, at) ? text.indexOf("q", from) : -1;
  return end < 0 ? { number: undefined, end: at } : { number: Number(text.slice(from, end)), end: end + 1 };
}

/** The nearest element around a text that is no part of a line. */
function blockOf({ parentNode }: Text): Parent {
  let at: Parent = parentNode as Parent;
  while ("tagName" in at && INLINE.has(at.tagName) && at.parentNode) at = at.parentNode;
  return at;
}

/** Letters and digits, which conversions keep. */
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

function isVerbatim(node: Text): boolean {
  for (let at: Parent | null = node.parentNode; at && "tagName" in at; at = at.parentNode)
    if (VERBATIM.has(at.tagName)) return true;
  return false;
}

/** The signs of the document by their number in the Markdown. */
function matched(signs: readonly Sign[], samples: readonly Sign[]): ReadonlyMap<number, Sign> {
  const known = new Map<number, Sign>();
  const changes = diffArrays([...samples], [...signs], {
    comparator: (left, right) => left.around === right.around,
    maxEditLength: MOST_EDITS,
  });
  let [left, right] = [0, 0];
  for (const { added, removed, count } of changes ?? []) {
    for (let index = 0; !added && !removed && index < count; index++) {
      const [sample, sign] = [samples[left + index], signs[right + index]];
      if (sample?.number !== undefined && sample.isText && sign) known.set(sample.number, sign);
    }
    if (!added) left += count;
    if (!removed) right += count;
  }
  return known;
}

/** Replaces what is between two signs, and the signs, by HTML. Elements that are empty then go. */
function replace(
  { nodes, order }: { readonly nodes: readonly Node[]; readonly order: ReadonlyMap<Node, number> },
  open: Sign,
  close: Sign,
  drawn: string,
): void {
  const { parentNode } = open.node;
  if (!parentNode) return;
  const after = close.node.value.slice(close.at + 1);
  const added: Node[] = parseFragment(drawn).childNodes;
  if (open.node === close.node) added.push({ nodeName: "#text", value: after, parentNode } as Text);
  else {
    const between = nodes.slice((order.get(open.node) ?? 0) + 1, order.get(close.node));
    for (const node of between) if (isTextNode(node)) node.value = "";
    close.node.value = after;
    for (const node of between) if (!isTextNode(node) && isEmpty(node)) remove(node);
  }
  open.node.value = open.node.value.slice(0, open.at);
  for (const node of added) node.parentNode = parentNode;
  parentNode.childNodes.splice(parentNode.childNodes.indexOf(open.node) + 1, 0, ...added);
}

function isEmpty(node: Node): boolean {
  if (isTextNode(node)) return node.value.trim() === "";
  return !("childNodes" in node) || node.childNodes.every(isEmpty);
}

function remove(node: Node): void {
  const siblings = node.parentNode?.childNodes;
  siblings?.splice(siblings.indexOf(node), 1);
}
