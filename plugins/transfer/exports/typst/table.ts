/**
 * Renders tables as Typst. Every cell is placed explicitly by row and column, computed as in browsers, because Typst rejects
 * overlapping cells. Spans are clipped to what is free; head rows are repeated on every sheet. A table with more columns than
 * a sheet has room for is split into several, one below the other.
 */
import { inDirection, withDirection } from "./direction.ts";
import { attribute, type Element, elements, isElement, type Node, style, textOf } from "./dom.ts";
import { type LayoutContext, nest } from "./layout.ts";
import { colour } from "./text.ts";

type Blocks = (nodes: readonly Node[], layout: LayoutContext) => string;

interface Cell {
  readonly element: Element;
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
  /** Whether it continues a cell of the previous band, which has its content. */
  readonly isContinuation?: boolean;
}

/** The share of a sheet's height that an image may take, in head rows, which are repeated, and in the rows below them. */
const HEAD_SHARE = 0.25;
const BODY_SHARE = 0.6;

/** Least width of a column in points. */
const MIN_COLUMN_WIDTH = 24;
const MAX_COLUMNS = 20;
/** Tables with more columns are set in smaller type. */
const MANY_COLUMNS = 10;
/** The limit that HTML sets for `colspan`. */
const MAX_SPAN = 1_000;
/** Horizontal padding and border of a cell in points, for few and for many columns. */
const CELL_PADDING = { few: 12, many: 6 } as const;

/** Renders a table; beyond the limit of nesting, its cells one below the other. */
export function table(element: Element, layout: LayoutContext, blocks: Blocks): string {
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === "caption");
  const rows = rowsOf(element);
  const head = headRows(element, rows);
  const cells = withoutEmptyColumns(placeCells(rows, head));
  const inner = nest(layout, "tables");
  if (!inner) return cells.map((cell) => blocks(cell.element.childNodes, layout)).join("\n");
  if (cells.length === 0) return "";
  const title = caption ? `${blocks(caption.childNodes, layout)}\n` : "";
  const bands = splitIntoBands(cells, layout.width);
  const set = inDirection(textOf(element), inner, (at) =>
    bands.map((band) => renderBand(band, head, at, blocks)).join("\n"),
  );
  return title + set;
}

/** Renders a band of columns as a table. */
function renderBand(cells: readonly Cell[], head: number, layout: LayoutContext, blocks: Blocks): string {
  const columns = widthOf(cells);
  const isMany = columns > MANY_COLUMNS;
  const width = layout.width / columns - (isMany ? CELL_PADDING.many : CELL_PADDING.few);
  const renderCells = (all: readonly Cell[], share: number) =>
    all.map((cell) => renderCell(cell, { ...layout, width, height: layout.height * share }, blocks)).join(",\n");
  const top = cells.filter(({ y }) => y < head);
  const header = top.length > 0 ? `table.header(${renderCells(top, HEAD_SHARE)}),\n` : "";
  const body = renderCells(
    cells.filter(({ y }) => y >= head),
    top.length > 0 ? BODY_SHARE : 1,
  );
  const content = `#table(columns: ${columns},${isMany ? " inset: 2pt," : ""}\n${header}${body})`;
  return isMany ? `#[#set text(size: .75em);${content}]` : content;
}

function rowsOf(element: Element): Element[] {
  return [...elements(element)].filter((one) => one.tagName === "tr" && tableOf(one) === element);
}

function tableOf(row: Element): Element | undefined {
  let at = row.parentNode;
  while (at && !("tagName" in at && at.tagName === "table")) at = "parentNode" in at ? at.parentNode : null;
  return at && "tagName" in at ? at : undefined;
}

function headRows(element: Element, rows: readonly Element[]): number {
  const inHead = (row: Element) =>
    row.parentNode !== null && "tagName" in row.parentNode && row.parentNode.tagName === "thead";
  const isHead = (row: Element) => {
    const cells = row.childNodes.filter(isElement);
    return cells.length > 0 && cells.every(({ tagName }) => tagName === "th");
  };
  const body = rows.findIndex((row) => !inHead(row) && !isHead(row));
  const count = body < 0 ? rows.length : body;
  // A table with only head rows repeats none.
  return count === rows.length || element.childNodes.length === 0 ? 0 : count;
}

function placeCells(rows: readonly Element[], head: number): Cell[] {
  /** The first free row of each column. */
  const free: number[] = [];
  const isTaken = (x: number, y: number) => (free[x] ?? 0) > y;
  const cells: Cell[] = [];
  for (const [y, row] of rows.entries()) {
    let x = 0;
    const last = y < head ? head : rows.length;
    for (const element of row.childNodes.filter(isElement)) {
      while (isTaken(x, y)) x += 1;
      const height = Math.min(span(element, "rowspan", last - y), last - y);
      const wanted = Math.min(span(element, "colspan", 1), MAX_SPAN);
      let columns = 1;
      while (columns < wanted && !isTaken(x + columns, y)) columns += 1;
      for (let right = 0; right < columns; right++) free[x + right] = y + height;
      cells.push({ element, x, y, columns, rows: height });
      x += columns;
    }
  }
  return cells;
}

/** Removes columns in which no cell begins, which are invisible and of which spans may claim any number. */
function withoutEmptyColumns(cells: readonly Cell[]): Cell[] {
  const begun = [...new Set(cells.map(({ x }) => x))].sort((a, b) => a - b);
  const before: number[] = [];
  for (const [index, x] of begun.entries()) before[x] = index;
  const countTo = (end: number) => {
    let [low, high] = [0, begun.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((begun[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return cells.map((cell) => {
    const x = before[cell.x] ?? 0;
    return { ...cell, x, columns: countTo(cell.x + cell.columns) - x };
  });
}

/** Splits cells into bands of columns, each counted from 0; a cell that spans bands is empty in all but the first. */
function splitIntoBands(cells: readonly Cell[], width: number): Cell[][] {
  const columns = widthOf(cells);
  const most = Math.max(2, Math.min(MAX_COLUMNS, Math.floor(width / MIN_COLUMN_WIDTH)));
  const each = Math.ceil(columns / Math.ceil(columns / most));
  const bands: Cell[][] = Array.from({ length: Math.ceil(columns / each) }, () => []);
  for (const cell of cells) {
    const end = cell.x + cell.columns;
    for (let at = Math.floor(cell.x / each); at * each < end; at++) {
      const x = Math.max(cell.x, at * each);
      const isContinuation = x > cell.x;
      bands[at]?.push({ ...cell, x: x - at * each, columns: Math.min(end, (at + 1) * each) - x, isContinuation });
    }
  }
  return bands;
}

/** The number of columns. */
function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((most, { x, columns }) => Math.max(most, x + columns), 1);
}

/** The value of a span attribute; 0 means `all`. */
function span(element: Element, name: string, all: number): number {
  const count = /^\d{1,4}$/.exec(attribute(element, name).trim())?.[0];
  return count === undefined ? 1 : Math.max(1, Number(count) || all);
}

function renderCell(
  { element, x, y, columns, rows, isContinuation }: Cell,
  layout: LayoutContext,
  blocks: Blocks,
): string {
  const fill = colour(style(element, "background-color"));
  const settings = [
    `x: ${x}`,
    `y: ${y}`,
    ...(columns > 1 ? [`colspan: ${columns}`] : []),
    ...(rows > 1 ? [`rowspan: ${rows}`] : []),
    ...(fill === undefined ? [] : [`fill: ${fill}`]),
  ];
  const at = ancestors(element).reduce((inner, one) => withDirection(one, inner), {
    ...layout,
    width: layout.width * columns,
  });
  const content = isContinuation ? "" : blocks(element.childNodes, at);
  return `table.cell(${settings.join(", ")})[${element.tagName === "th" ? `#strong[${content}]` : content}]`;
}

/** A cell with its row and row group, outermost first; each may have a `dir` attribute. */
function ancestors(cell: Element): Element[] {
  const row = cell.parentNode as Element;
  const group = row.parentNode as Element;
  return group.tagName === "table" ? [row, cell] : [group, row, cell];
}
