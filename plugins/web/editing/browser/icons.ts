/** The icons of the toolbar: paths of 24 by 24, drawn as lines. */
const PATHS = {
  bold: "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z",
  italic: "M11 5h6M7 19h6M14 5l-4 14",
  underline: "M7 4v7a5 5 0 0 0 10 0V4M6 20h12",
  strike:
    "M16 7c-.5-2-2-3-4-3-2.500 0-4.500 1.500-4.500 3.500 0 4 9 2.500 9 8 0 2.500-2 4.500-4.500 4.500-2.500 0-4-1.500-4.500-3.500M4 12h16",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  sub: "M4 6l8 9M12 6l-8 9M16 16c0-2.500 4-2.500 4 0 0 1.500-4 2.500-4 4h4",
  sup: "M4 9l8 9M12 9l-8 9M16 5c0-2.500 4-2.500 4 0 0 1.500-4 2.500-4 4h4",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.500 1.500M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  colours: "M6 17l6-13 6 13M8 13h8M4 21h16",
  clear: "M5 5h12M11 5l-2 8M8 19h3M14 14l6 6M20 14l-6 6",
  bullet: "M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  ordered: "M10 6h10M10 12h10M10 18h10M4 4l1.500-1v5M3.500 15c.5-1.500 3-1.500 3 0 0 1.500-3 2.500-3 4h3",
  task: "M11 6h9M11 12h9M11 18h9M3 6l2 2 3-4M3 16h4v4H3z",
  quote: "M9 7c-3 1-4 3-4 5v5h5v-5H6M19 7c-3 1-4 3-4 5v5h5v-5h-4",
  "align-left": "M4 6h16M4 12h10M4 18h13",
  "align-center": "M4 6h16M7 12h10M6 18h12",
  "align-right": "M4 6h16M10 12h10M7 18h13",
  "align-justify": "M4 6h16M4 12h16M4 18h16",
  table: "M4 5h16v14H4zM4 10h16M10 5v14",
  details: "M4 6l3 3 3-3M13 7h7M13 12h7M13 17h7",
  rule: "M4 12h16",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  insert: "M12 5v14M5 12h14",
  find: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M15.500 15.500L20 20",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10H9",
  redo: "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h5",
  "row-above": "M4 12h16v7H4zM12 3v6M9 6h6",
  "row-below": "M4 5h16v7H4zM12 15v6M9 18h6",
  "column-before": "M12 4h7v16h-7zM3 12h6M6 9v6",
  "column-after": "M5 4h7v16H5zM15 12h6M18 9v6",
  "header-row": "M4 5h16v14H4zM4 10h16M4 7.500h16",
  "header-column": "M4 5h16v14H4zM10 5v14M7 5v14",
  merge: "M4 5h16v14H4zM7 12h3M17 12h-3M10 12l-2-2M10 12l-2 2M14 12l2-2M14 12l2 2",
  split: "M4 5h16v14H4zM12 5v14M4 12h16",
  "delete-row": "M4 8h16v8H4zM9 10l6 4M15 10l-6 4",
  "delete-column": "M8 4h8v16H8zM10 9l4 6M14 9l-4 6",
  "delete-table": "M4 5h16v14H4zM8 8l8 8M16 8l-8 8",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** Draws an icon. */
export function icon(name: IconName): SVGElement {
  const drawn = Document.prototype.createElementNS.call(document, SVG, "svg") as SVGElement;
  for (const [key, value] of Object.entries({
    viewBox: "0 0 24 24",
    class: "icon",
    "aria-hidden": "true",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.8",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  }))
    drawn.setAttribute(key, value);
  const path = Document.prototype.createElementNS.call(document, SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawn.append(path);
  return drawn;
}
