/**
 * Tables as Typst: every cell is placed by its row and column, worked out as a browser does, because Typst refuses cells
 * that meet. Spans are cut to what is free; rows of a head are repeated on every sheet.
 */
import { attribute, type Element, elements, isElement, type Node, style, textOf } from "./dom.ts";
import { type Place, within } from "./place.ts";
import { colour, isRightToLeft } from "./text.ts";

type Blocks = (nodes: readonly Node[], place: Place) => string;

interface Cell {
  readonly element: Element;
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
}

/** How much of a sheet's height a picture may take: rows of a head are repeated, and other rows need room below them. */
const SHARE_OF_HEAD = 0.25;
const SHARE_BELOW_HEAD = 0.6;

/** More cells than this in a row are no table that anybody reads on paper. */
const MOST_COLUMNS = 60;

/** A table; where tables are nested too deep, its cells one below the other. */
export function table(element: Element, place: Place, blocks: Blocks): string {
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === "caption");
  const rows = rowsOf(element);
  const head = headRows(element, rows);
  const cells = placed(rows, head);
  const columns = Math.max(1, ...cells.map(({ x, columns }) => x + columns));
  const inner = within(place, "tables", place.width / columns - 12);
  if (!inner) return cells.map((cell) => blocks(cell.element.childNodes, place)).join("\n");
  if (cells.length === 0) return "";
  const written = (all: readonly Cell[], share: number) =>
    all.map((cell) => cellOf(cell, { ...inner, height: inner.height * share }, blocks)).join(",\n");
  const top = cells.filter(({ y }) => y < head);
  const header = top.length > 0 ? `table.header(${written(top, SHARE_OF_HEAD)}),\n` : "";
  const body = written(
    cells.filter(({ y }) => y >= head),
    top.length > 0 ? SHARE_BELOW_HEAD : 1,
  );
  const title = caption ? `${blocks(caption.childNodes, place)}\n` : "";
  const dir = isRightToLeft(textOf(element)) ? "#set text(dir: rtl);" : "";
  return `${title}#[${dir}#table(columns: ${columns},\n${header}${body})]`;
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
  const taken = rows.map(() => new Set<number>());
  const cells: Cell[] = [];
  for (const [y, row] of rows.entries()) {
    let x = 0;
    const last = y < head ? head : rows.length;
    for (const element of row.childNodes.filter(isElement)) {
      while (taken[y]?.has(x)) x += 1;
      if (x >= MOST_COLUMNS) break;
      const height = Math.min(span(element, "rowspan", last - y), last - y);
      let columns = 1;
      const wanted = Math.min(span(element, "colspan", 1), MOST_COLUMNS - x);
      while (columns < wanted && !taken[y]?.has(x + columns)) columns += 1;
      for (let below = 0; below < height; below++)
        for (let right = 0; right < columns; right++) taken[y + below]?.add(x + right);
      cells.push({ element, x, y, columns, rows: height });
      x += columns;
    }
  }
  return cells;
}

/** A span of 0 reaches to the end. */
function span(element: Element, name: string, all: number): number {
  const count = /^\d{1,4}$/.exec(attribute(element, name).trim())?.[0];
  return count === undefined ? 1 : Math.max(1, Number(count) || all);
}

function cellOf({ element, x, y, columns, rows }: Cell, place: Place, blocks: Blocks): string {
  const fill = colour(style(element, "background-color"));
  const settings = [
    `x: ${x}`,
    `y: ${y}`,
    ...(columns > 1 ? [`colspan: ${columns}`] : []),
    ...(rows > 1 ? [`rowspan: ${rows}`] : []),
    ...(fill === undefined ? [] : [`fill: ${fill}`]),
  ];
  const content = blocks(element.childNodes, { ...place, width: place.width * columns });
  return `table.cell(${settings.join(", ")})[${element.tagName === "th" ? `#strong[${content}]` : content}]`;
}
