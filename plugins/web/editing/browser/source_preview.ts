/**
 * The preview scrolls along with the source, and the source with the preview. The server's preview has no numbers of lines, so blocks of the
 * source's syntax tree are matched with elements of the preview, by their kinds and first letters, in order; heights between two
 * matched blocks are interpolated. Of long pages only headings are matched, as matching takes time by the product of both counts.
 * The side that the writer last touched leads, so that the one that follows does not lead back.
 */
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Format } from "./source_text.ts";

/** A block of either side. */
export interface Block {
  /** Its element, such as `h2`. */
  readonly kind: string;
  /** Its first letters and digits. */
  readonly start: string;
}

const MOST_BLOCKS = 300;
const START_LENGTH = 24;
const PARSE_MS = 30;
const MARKDOWN_KINDS: Readonly<Record<string, string>> = {
  Paragraph: "p",
  BulletList: "ul",
  OrderedList: "ol",
  Blockquote: "blockquote",
  FencedCode: "pre",
  CodeBlock: "pre",
  HorizontalRule: "hr",
  Table: "table",
};

function startOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "").slice(0, START_LENGTH);
}

/** The blocks of a source, with their positions. */
function blocksOf(state: EditorState, format: Format): (Block & { readonly at: number })[] {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state);
  const found: (Block & { readonly at: number })[] = [];
  for (let node = tree.topNode.firstChild; node; node = node.nextSibling) {
    const { name, from, to } = node;
    const text = state.sliceDoc(from, Math.min(to, from + 400));
    const tag = /^<([a-z][a-z0-9]*)/i.exec(text)?.[1]?.toLowerCase();
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1];
    const kind = format === "html" ? tag : heading ? `h${heading}` : (MARKDOWN_KINDS[name] ?? tag);
    if (kind === undefined) continue;
    const plain = (name === "FencedCode" ? text.replace(/^.*\n/, "") : text)
      .replace(/<[^<>]*>/g, "")
      .replace(/\]\([^()]*\)/g, "")
      .replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\])?/, "");
    found.push({ kind, start: startOf(plain), at: from });
  }
  return found;
}

function elementsOf(preview: HTMLElement): (Block & { readonly element: Element })[] {
  return [...preview.children].map((element) => {
    // Screens put tables and code into boxes that scroll.
    const inner = element.localName === "div" ? (element.querySelector("table, pre") ?? element) : element;
    return { kind: inner.localName, start: startOf((inner.textContent ?? "").slice(0, 400)), element };
  });
}

const isHeading = ({ kind }: Block) => /^h[1-6]$/.test(kind);

function weight(one: Block, other: Block): number {
  const isSameKind = one.kind === other.kind;
  const isSameStart = one.start !== "" && (one.start.startsWith(other.start) || other.start.startsWith(one.start));
  if (isSameStart && other.start !== "") return isSameKind ? 4 : 2;
  return isSameKind ? 1 : 0;
}

/** Pairs of indices of blocks that are the same, in the order of both: those of the greatest weight. */
export function matched(left: readonly Block[], right: readonly Block[]): (readonly [left: number, right: number])[] {
  const width = right.length + 1;
  const best = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--) {
      const [one, other] = [left[row], right[column]];
      const both = one && other ? weight(one, other) : 0;
      const paired = both === 0 ? 0 : both + at(row + 1, column + 1);
      best[row * width + column] = Math.max(paired, at(row + 1, column), at(row, column + 1));
    }
  const pairs: (readonly [number, number])[] = [];
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (at(row, column) === at(row + 1, column)) row++;
    else if (at(row, column) === at(row, column + 1)) column++;
    else pairs.push([row++, column++]);
  }
  return pairs;
}

/** A height of one side at that of the other. `heights` rise on both sides. */
function interpolated(heights: readonly (readonly [number, number])[], from: number): number {
  const next = heights.findIndex(([one]) => one > from);
  const [low, high] = next < 0 ? [heights.at(-1), heights.at(-1)] : [heights[next - 1], heights[next]];
  if (!low || !high) return 0;
  const length = high[0] - low[0];
  return low[1] + (length > 0 ? ((from - low[0]) / length) * (high[1] - low[1]) : 0);
}

/** Lets source and preview scroll along with each other. */
export class ScrollAlong {
  readonly #view: EditorView;
  readonly #preview: HTMLElement;
  readonly #format: Format;
  #leader: "source" | "preview" = "source";
  /** What was matched, for as long as neither side changes. */
  #pairs: readonly { readonly at: number; readonly element: Element }[] | undefined;

  constructor(view: EditorView, preview: HTMLElement, format: Format) {
    this.#view = view;
    this.#preview = preview;
    this.#format = format;
    const leads = (side: "source" | "preview", element: HTMLElement) => {
      for (const name of ["wheel", "pointerdown", "touchstart", "keydown"])
        element.addEventListener(name, () => (this.#leader = side), { passive: true });
    };
    leads("source", view.dom);
    leads("preview", preview);
    const soon = (side: "source" | "preview") => () => {
      if (this.#leader === side) requestAnimationFrame(() => this.#follow());
    };
    view.scrollDOM.addEventListener("scroll", soon("source"), { passive: true });
    preview.addEventListener("scroll", soon("preview"), { passive: true });
    new MutationObserver(() => {
      this.changed();
      // The preview of what was typed stands where the source does.
      soon("source")();
    }).observe(preview, { childList: true });
  }

  /** Says that one of both sides has changed. */
  changed(): void {
    this.#pairs = undefined;
  }

  #follow(): void {
    const isSource = this.#leader === "source";
    const source = this.#view.scrollDOM;
    const [leader, other] = isSource ? [source, this.#preview] : [this.#preview, source];
    const most = (element: HTMLElement) => element.scrollHeight - element.clientHeight;
    if (most(leader) <= 0 || most(other) <= 0) return;
    const heights = this.#heights().map(([one, two]) => (isSource ? ([one, two] as const) : ([two, one] as const)));
    const isAtEnd = leader.scrollTop >= most(leader) - 1;
    other.scrollTop = isAtEnd ? most(other) : interpolated(heights, leader.scrollTop);
  }

  /** Heights of source and preview that belong together. */
  #heights(): (readonly [source: number, preview: number])[] {
    this.#pairs ??= this.#match();
    const top = this.#preview.getBoundingClientRect().top - this.#preview.scrollTop + this.#preview.clientTop;
    const { scrollDOM, documentPadding } = this.#view;
    const heights: (readonly [number, number])[] = [[0, 0]];
    const ends = [scrollDOM.scrollHeight, this.#preview.scrollHeight] as const;
    const inner = this.#pairs.map(
      ({ at, element }) =>
        [this.#view.lineBlockAt(at).top + documentPadding.top, element.getBoundingClientRect().top - top] as const,
    );
    for (const pair of [...inner, ends]) {
      const last = heights.at(-1) ?? [0, 0];
      if (pair[0] > last[0] && pair[1] >= last[1]) heights.push(pair);
    }
    return heights;
  }

  #match(): { at: number; element: Element }[] {
    let [left, right] = [blocksOf(this.#view.state, this.#format), elementsOf(this.#preview)];
    if (left.length > MOST_BLOCKS || right.length > MOST_BLOCKS)
      [left, right] = [left.filter(isHeading).slice(0, MOST_BLOCKS), right.filter(isHeading).slice(0, MOST_BLOCKS)];
    return matched(left, right).flatMap(([one, other]) => {
      const [block, shown] = [left[one], right[other]];
      return block && shown ? [{ at: Math.min(block.at, this.#view.state.doc.length), element: shown.element }] : [];
    });
  }
}
