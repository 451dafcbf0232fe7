import type { Cuts } from "./words.ts";

/** Which way text reads. */
export type Direction = "ltr" | "rtl";

/** Where in a document something is written. */
export interface Place {
  /** Points that a picture may be wide here. */
  readonly width: number;
  /** Points that it may be high. */
  readonly height: number;
  /** Blocks, lists and tables around it. */
  readonly blocks: number;
  readonly lists: number;
  readonly tables: number;
  /** The direction that is set here, and the one that some element around has asked for. */
  readonly direction: Direction;
  readonly asked?: Direction | undefined;
  /** Level of the heading of the page it is on. */
  readonly level: number;
  readonly book: Book;
}

/** What is known of the whole document while a page is written. */
export interface Book {
  /** The file and size of a picture by its address in the HTML; missing ones are told by their texts. */
  readonly pictures: ReadonlyMap<string, Picture>;
  readonly cuts: Cuts;
  /** The label an address leads to within the document; undefined where it leads elsewhere. */
  label(address: string): string | undefined;
  /** The label of an element's id on the page that is written, where some link leads there. */
  anchor(id: string): string | undefined;
}

/** A picture as a file beside the document. */
export interface Picture {
  readonly file: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Typst gives up where things are nested deeper; what is deeper is written flat. */
const MOST = { blocks: 18, lists: 10, tables: 3 } as const;
const LIST_INDENT = 18;
/** Points that are left to what stands deep in others. */
const NARROWEST = 8;

/** The place within one more block, list or table; undefined where it is deep enough. */
export function within(place: Place, what: keyof typeof MOST, width = place.width): Place | undefined {
  if (place[what] >= MOST[what] || place.blocks >= MOST.blocks) return undefined;
  const indent = what === "lists" ? LIST_INDENT : 0;
  const blocks = place.blocks + 1;
  return { ...place, [what]: place[what] + 1, blocks, width: Math.max(NARROWEST, width - indent) };
}
