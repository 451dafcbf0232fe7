/**
 * Tables as Typst: every cell is placed by its row and column, worked out as a browser does, because Typst refuses cells
 * that meet. Spans are cut to what is free; rows of a head are repeated on every sheet. A table of more columns than a
 * sheet has room for is cut into several, one below the other.
 */
import { asking, directed } from "./direction.ts";
import { attribute, type Element, elements, isElement, type Node, style, textOf } from "./dom.ts";
import { type Place, within } from "./place.ts";
import { colour } from "./text.ts";

type Blocks = (nodes: readonly Node[], place: Place) => string;

interface Cell {
  readonly element: Element;
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
  /** What reaches over from a table before, which holds its content. */
  readonly isRest?: boolean;
}

/** How much of a sheet's height a picture may take: rows of a head are repeated, and other rows need room below them. */
const SHARE_OF_HEAD = 0.25;
const SHARE_BELOW_HEAD = 0.6;

/** Points that a column needs at the least. */
const NARROWEST = 24;
const MOST_COLUMNS = 20;
/** Tables of more columns are set smaller. */
const MANY_COLUMNS = 10;
/** Browsers know no wider span. */
const MOST_SPANNED = 1_000;
/** Points around what is in a cell, and the lines between cells. */
const AROUND = { few: 12, many: 6 } as const;

/** A table; where tables are nested too deep, its cells one below the other. */
export function table(element: Element, place: Place, blocks: Blocks): string {
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === "caption");
  const rows = rowsOf(element);
  const head = headRows(element, rows);
  const cells = closed(placed(rows, head));
  const inner = within(place, "tables");
  if (!inner) return cells.map((cell) => blocks(cell.element.childNodes, place)).join("\n");
  if (cells.length === 0) return "";
  const title = caption ? `${blocks(caption.childNodes, place)}\n` : "";
  const bands = inBands(cells, place.width);
  const set = directed(textOf(element), inner, (at) => bands.map((band) => bandOf(band, head, at, blocks)).join("\n"));
  return title + set;
}

/** Some columns of a table, as a table. */
function bandOf(cells: readonly Cell[], head: number, place: Place, blocks: Blocks): string {
  const columns = widthOf(cells);
  const isMany = columns > MANY_COLUMNS;
  const width = place.width / columns - (isMany ? AROUND.many : AROUND.few);
  const written = (all: readonly Cell[], share: number) =>
    all.map((cell) => cellOf(cell, { ...place, width, height: place.height * share }, blocks)).join(",\n");
  const top = cells.filter(({ y }) => y < head);
  const header = top.length > 0 ? `table.header(${written(top, SHARE_OF_HEAD)}),\n` : "";
  const body = written(
    cells.filter(({ y }) => y >= head),
    top.length > 0 ? SHARE_BELOW_HEAD : 1,
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
  let count = 0;
  while (count < rows.length && (inHead(rows[count] as Element) || isHead(rows[count] as Element))) count += 1;
  // A table of nothing but heads has none to repeat.
  return count === rows.length || element.childNodes.length === 0 ? 0 : count;
}

function placed(rows: readonly Element[], head: number): Cell[] {
  /** The row from which on each column is free. */
  const free: number[] = [];
  const isTaken = (x: number, y: number) => (free[x] ?? 0) > y;
  const cells: Cell[] = [];
  for (const [y, row] of rows.entries()) {
    let x = 0;
    const last = y < head ? head : rows.length;
    for (const element of row.childNodes.filter(isElement)) {
      while (isTaken(x, y)) x += 1;
      const height = Math.min(span(element, "rowspan", last - y), last - y);
      const wanted = Math.min(span(element, "colspan", 1), MOST_SPANNED);
      let columns = 1;
      while (columns < wanted && !isTaken(x + columns, y)) columns += 1;
      for (let right = 0; right < columns; right++) free[x + right] = y + height;
      cells.push({ element, x, y, columns, rows: height });
      x += columns;
    }
  }
  return cells;
}

/** Without columns that no cell begins in: nobody sees those, and spans may claim any number. */
function closed(cells: readonly Cell[]): Cell[] {
  const begun = [...new Set(cells.map(({ x }) => x))].sort((a, b) => a - b);
  const before: number[] = [];
  for (const [index, x] of begun.entries()) before[x] = index;
  const countTo = (end: number) => {
    let [low, high] = [0, begun.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((begun[middle] as number) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return cells.map((cell) => {
    const x = before[cell.x] as number;
    return { ...cell, x, columns: countTo(cell.x + cell.columns) - x };
  });
}

/** Cells by the table they go into, where they are counted anew; one that reaches over is empty in the later ones. */
function inBands(cells: readonly Cell[], width: number): Cell[][] {
  const columns = widthOf(cells);
  const most = Math.max(2, Math.min(MOST_COLUMNS, Math.floor(width / NARROWEST)));
  const each = Math.ceil(columns / Math.ceil(columns / most));
  const bands: Cell[][] = Array.from({ length: Math.ceil(columns / each) }, () => []);
  for (const cell of cells) {
    const end = cell.x + cell.columns;
    for (let at = Math.floor(cell.x / each); at * each < end; at++) {
      const x = Math.max(cell.x, at * each);
      const isRest = x > cell.x;
      bands[at]?.push({ ...cell, x: x - at * each, columns: Math.min(end, (at + 1) * each) - x, isRest });
    }
  }
  return bands;
}

/** In columns. */
function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((most, { x, columns }) => Math.max(most, x + columns), 1);
}

/** A span of 0 reaches to the end. */
function span(element: Element, name: string, all: number): number {
  const count = /^\d{1,4}$/.exec(attribute(element, name).trim())?.[0];
  return count === undefined ? 1 : Math.max(1, Number(count) || all);
}

function cellOf({ element, x, y, columns, rows, isRest }: Cell, place: Place, blocks: Blocks): string {
  const fill = colour(style(element, "background-color"));
  const settings = [
    `x: ${x}`,
    `y: ${y}`,
    ...(columns > 1 ? [`colspan: ${columns}`] : []),
    ...(rows > 1 ? [`rowspan: ${rows}`] : []),
    ...(fill === undefined ? [] : [`fill: ${fill}`]),
  ];
  const at = around(element).reduce((inner, one) => asking(one, inner), { ...place, width: place.width * columns });
  const content = isRest ? "" : blocks(element.childNodes, at);
  return `table.cell(${settings.join(", ")})[${element.tagName === "th" ? `#strong[${content}]` : content}]`;
}

/** A cell with its row and what that is in, outermost first: each may ask for a direction. */
function around(cell: Element): Element[] {
  const row = cell.parentNode as Element;
  const group = row.parentNode as Element;
  return group.tagName === "table" ? [row, cell] : [group, row, cell];
}
