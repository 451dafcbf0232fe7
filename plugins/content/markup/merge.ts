/**
 * Merges two changes of one text: what only one of them changed is taken, what both changed differently is a collision.
 *
 * Texts are merged by blocks, since half of a sentence of one author with half of another's is nobody's sentence. A block of
 * Markdown is a paragraph, a heading, an item of a list, a row of a table or fenced code; a block of HTML an element at the
 * top, or an item or a row in one. Blocks are compared without the white space after them, and HTML without ids. Changes of
 * neighbouring blocks do not collide; insertions in the same place do, as their order is the authors' to say.
 */
import { diffArrays } from "diff";
import type { MergedPart } from "lectern/contracts";
import { htmlOf, withoutIds } from "./node_html.ts";
import { serialize } from "./serialize.ts";
import { type Child, childrenOf, emptyCopyOf, isElement, isText, parse } from "./tree.ts";

/** Most blocks of one text; longer ones collide as a whole. */
const MAX_BLOCKS = 20_000;
/** The time of each of the two comparisons in milliseconds; it can grow quadratically. */
const COMPARE_MS = 500;

/** The three texts of a merge. */
export interface MergedTexts {
  /** The text that both changed. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

interface Block {
  /** The text without white space at its end. */
  readonly text: string;
  /** The white space after it. */
  readonly gap: string;
  /** What it is compared by: the text, of HTML without ids. */
  readonly key: string;
}

/** A run of base blocks that one author replaced by others. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly blocks: readonly Block[];
}

/**
 * The merged text in order: runs that are settled, and collisions. Takes up to some seconds; texts that cannot be compared
 * in the time collide as a whole.
 */
export function mergeTexts(format: "markdown" | "html", { base, mine, theirs }: MergedTexts): readonly MergedPart[] {
  if (mine === theirs || theirs === base) return settled(mine);
  if (mine === base) return settled(theirs);
  const split = format === "html" ? htmlBlocks : markdownBlocks;
  const merged = mergeBlocks({ base: split(base), mine: split(mine), theirs: split(theirs) });
  const parts = merged?.map((part, at): MergedPart => {
    const text = (blocks: readonly Block[]) => textOf(blocks, format, at === merged.length - 1);
    if ("blocks" in part) return { text: text(part.blocks) };
    return { base: text(part.base), mine: text(part.mine), theirs: text(part.theirs) };
  });
  return parts && (format === "markdown" || isBalanced(parts)) ? parts : [{ base, mine, theirs }];
}

function settled(text: string): readonly MergedPart[] {
  return text === "" ? [] : [{ text }];
}

type BlockPart = { readonly blocks: Block[] } | { readonly [side in keyof MergedTexts]: readonly Block[] };

function mergeBlocks({ base, mine, theirs }: Record<keyof MergedTexts, readonly Block[]>): BlockPart[] | undefined {
  if (Math.max(base.length, mine.length, theirs.length) > MAX_BLOCKS) return undefined;
  const [own, others] = [changesOf(base, mine), changesOf(base, theirs)];
  if (!own || !others) return undefined;
  const parts: BlockPart[] = [];
  const settle = (blocks: readonly Block[]) => {
    const last = parts.at(-1);
    if (last && "blocks" in last) last.blocks.push(...blocks);
    else if (blocks.length > 0) parts.push({ blocks: [...blocks] });
  };
  let at = 0;
  const take = (change: Change) => {
    settle(base.slice(at, change.start));
    settle(change.blocks);
    at = change.end;
  };
  let [i, j] = [0, 0];
  for (let [left, right] = [own[0], others[0]]; left || right; [left, right] = [own[i], others[j]]) {
    if (left && (!right || isBefore(left, right))) {
      take(left);
      i += 1;
    } else if (right && (!left || isBefore(right, left))) {
      take(right);
      j += 1;
    } else if (left && right && isSame(left, right)) {
      take(left);
      [i, j] = [i + 1, j + 1];
    } else if (left && right) {
      const [fromOwn, fromOthers] = [i, j];
      [i, j] = [i + 1, j + 1];
      const start = Math.min(left.start, right.start);
      let reach = Math.max(left.end, right.end);
      // All changes that reach into the blocks of this collision belong to it.
      for (let grew = true; grew; ) {
        const [nextOwn, nextOther] = [own[i], others[j]];
        grew = true;
        if (nextOwn && nextOwn.start < reach) [reach, i] = [Math.max(reach, nextOwn.end), i + 1];
        else if (nextOther && nextOther.start < reach) [reach, j] = [Math.max(reach, nextOther.end), j + 1];
        else grew = false;
      }
      settle(base.slice(at, start));
      parts.push({
        base: base.slice(start, reach),
        mine: replaced(base, own.slice(fromOwn, i), start, reach),
        theirs: replaced(base, others.slice(fromOthers, j), start, reach),
      });
      at = reach;
    }
  }
  settle(base.slice(at));
  return parts;
}

/** Whether a change ends before another one begins. Of two insertions in one place none is the first. */
function isBefore(one: Change, other: Change): boolean {
  const isOnePlace = one.start === one.end && other.start === other.end && one.start === other.start;
  return one.end <= other.start && !isOnePlace;
}

function isSame(one: Change, other: Change): boolean {
  return (
    one.start === other.start &&
    one.end === other.end &&
    one.blocks.length === other.blocks.length &&
    one.blocks.every(({ key }, at) => key === other.blocks[at]?.key)
  );
}

/** The base blocks from `start` to `end` with these changes. */
function replaced(base: readonly Block[], changes: readonly Change[], start: number, end: number): Block[] {
  const blocks: Block[] = [];
  let at = start;
  for (const change of changes) {
    blocks.push(...base.slice(at, change.start), ...change.blocks);
    at = change.end;
  }
  return [...blocks, ...base.slice(at, end)];
}

/** The changes from one list of blocks to another, in order and apart from each other; undefined where the time ran out. */
function changesOf(base: readonly Block[], changed: readonly Block[]): Change[] | undefined {
  const differences = diffArrays(
    base.map(({ key }) => key),
    changed.map(({ key }) => key),
    { timeout: COMPARE_MS },
  );
  if (!differences) return undefined;
  const changes: Change[] = [];
  let [old, now] = [0, 0];
  let open: { start: number; from: number } | undefined;
  const end = () => {
    if (open) changes.push(...split({ start: open.start, end: old, blocks: changed.slice(open.from, now) }));
    open = undefined;
  };
  for (const { added, removed, value } of differences) {
    if (added || removed) {
      open ??= { start: old, from: now };
      if (removed) old += value.length;
      else now += value.length;
    } else {
      end();
      [old, now] = [old + value.length, now + value.length];
    }
  }
  end();
  return changes;
}

/** A change of several blocks into as many others, as changes of each, so that the other author can change some of them. */
function split({ start, end, blocks }: Change): readonly Change[] {
  if (end - start !== blocks.length) return [{ start, end, blocks }];
  return blocks.map((block, at) => ({ start: start + at, end: start + at + 1, blocks: [block] }));
}

const FENCE = /^\s*(`{3,}|~{3,})/;
const STARTS_BLOCK = /^\s*(?:[-*+]|\d{1,9}[.)])\s|^\s*\||^#{1,6}\s/;

function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence = "";
  const end = () => {
    if (lines.length > 0) blocks.push(blockOf(lines.join("")));
    lines = [];
  };
  let isBlank = false;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, mark = ""] = FENCE.exec(line) ?? [];
    if (fence === "" && ((isBlank && line.trim() !== "") || STARTS_BLOCK.test(line) || mark !== "")) end();
    lines.push(line);
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    isBlank = fence === "" && line.trim() === "";
  }
  end();
  return blocks;
}

/** Elements whose children are blocks of their own, between their tags. */
const CONTAINERS = new Set([
  "ul",
  "ol",
  "table",
  "thead",
  "tbody",
  "tfoot",
  "details",
  "div",
  "section",
  "blockquote",
  "dl",
]);

function htmlBlocks(source: string): Block[] {
  const blocks: Block[] = [];
  const add = (html: string) => {
    const last = blocks.at(-1);
    if (html.trim() === "" && last) blocks[blocks.length - 1] = { ...last, gap: last.gap + html };
    else blocks.push(blockOf(html, withoutIds));
  };
  const visit = (nodes: readonly Child[]) => {
    for (const node of nodes) {
      const children = isElement(node) ? childrenOf(node) : [];
      const isContainer =
        isElement(node) && CONTAINERS.has(node.tagName) && children.some(isElement) && children.every(isBlockOrBlank);
      if (!isContainer) {
        add(htmlOf(node));
        continue;
      }
      const empty = htmlOf(emptyCopyOf(node));
      const close = `</${node.tagName}>`;
      add(empty.slice(0, -close.length));
      visit(children);
      add(close);
    }
  };
  visit(childrenOf(parse(source)));
  return blocks;
}

function isBlockOrBlank(node: Child): boolean {
  return isText(node) ? node.value.trim() === "" : isElement(node);
}

/**
 * Whether merged HTML is balanced whichever text is taken where it collides: changes of containers by one author around
 * changes of the other within them could leave a tag without its end.
 */
function isBalanced(parts: readonly MergedPart[]): boolean {
  return (["mine", "theirs"] as const).every((side) => {
    const html = parts.map((part) => ("text" in part ? part.text : part[side])).join("");
    const plain = (text: string) => text.replace(/\s+/g, "");
    return plain(serialize(parse(html))) === plain(html);
  });
}

function blockOf(source: string, keyOf = (text: string) => text): Block {
  const text = source.trimEnd();
  return { text, gap: source.slice(text.length), key: keyOf(text) };
}

/** Blocks as text. In Markdown a block that ended its text is separated from what follows it now. */
function textOf(blocks: readonly Block[], format: "markdown" | "html", isEnd: boolean): string {
  return blocks
    .map(({ text, gap }, at) => {
      const next = blocks[at + 1];
      if (format === "html" || gap !== "" || (next === undefined && isEnd)) return text + gap;
      return text + (next && STARTS_BLOCK.test(text) && STARTS_BLOCK.test(next.text) ? "\n" : "\n\n");
    })
    .join("");
}
