import type { MeasureBudget } from "./long_words.ts";

/** Direction of text. */
export type Direction = "ltr" | "rtl";

/** The layout context in which nodes are rendered. */
export interface LayoutContext {
  /** Available width in points. */
  readonly width: number;
  /** Available height for images in points. */
  readonly height: number;
  /** Nesting depth of blocks, lists and tables. */
  readonly blocks: number;
  readonly lists: number;
  readonly tables: number;
  /** The direction that is set, and the one that an ancestor's `dir` attribute requests. */
  readonly direction: Direction;
  readonly requested?: Direction | undefined;
  /** Heading level of the page. */
  readonly level: number;
  readonly document: DocumentContext;
}

/** The state of the document that all its pages share. */
export interface DocumentContext {
  /** Image files by address in the HTML; others are replaced by their alternative text. */
  readonly images: ReadonlyMap<string, ImageFile>;
  readonly budget: MeasureBudget;
  /** The label that an address leads to; undefined where it leads out of the document. */
  label(address: string): string | undefined;
  /** The label of an id on the current page, where a link leads to it. */
  anchor(id: string): string | undefined;
}

/** An image file beside the document. */
export interface ImageFile {
  readonly file: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Typst fails on deeper nesting; what is nested deeper is flattened. */
const MAX_NESTING = { blocks: 18, lists: 10, tables: 3 } as const;
const LIST_INDENT = 18;
/** The least width of nested content, in points. */
const MIN_WIDTH = 8;

/** The context within one more block, list or table; undefined at the limit of nesting. */
export function nest(
  layout: LayoutContext,
  kind: keyof typeof MAX_NESTING,
  width = layout.width,
): LayoutContext | undefined {
  if (layout[kind] >= MAX_NESTING[kind] || layout.blocks >= MAX_NESTING.blocks) return undefined;
  const indent = kind === "lists" ? LIST_INDENT : 0;
  const blocks = layout.blocks + 1;
  return { ...layout, [kind]: layout[kind] + 1, blocks, width: Math.max(MIN_WIDTH, width - indent) };
}
