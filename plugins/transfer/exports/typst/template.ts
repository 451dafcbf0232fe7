import { FIT } from "./long_words.ts";
import { quoted } from "./text.ts";

/** Paper sizes as Typst names them. */
export type Paper = "a4" | "us-letter";

/** The width of a line and the greatest height of an image in points: the sheet without its margins and frames. */
export const SHEET: Readonly<Record<Paper, { readonly width: number; readonly height: number }>> = {
  a4: { width: 481, height: 660 },
  "us-letter": { width: 498, height: 610 },
};

const FONTS = [
  "Noto Sans",
  "Noto Sans Arabic",
  "Noto Sans Hebrew",
  "Noto Sans CJK SC",
  "Noto Sans SC",
  "Noto Color Emoji",
  "DejaVu Sans",
  "Libertinus Serif",
  "DejaVu Sans Mono",
];
const MONO = ["Noto Sans Mono", "DejaVu Sans Mono", ...FONTS];

/** The preamble of the main file: paper, fonts and styles. */
export function preamble(title: string, language: string, paper: Paper): string {
  const named = (fonts: readonly string[]) => `(${fonts.map(quoted).join(", ")})`;
  const lang = /^[a-z]{2,3}/.exec(language)?.[0] ?? "en";
  return `${FIT}#set document(title: ${quoted(title)})
#set page(paper: ${quoted(paper)}, margin: 20mm, footer: context align(center)[#text(size: 8pt, fill: luma(110))[#counter(page).display("1 / 1", both: true)]])
#set text(font: ${named(FONTS)}, size: 10pt, lang: ${quoted(lang)}, dir: ltr, hyphenate: false)
#set par(leading: .7em, spacing: 1.15em)
#set heading(numbering: none)
#set table(stroke: .5pt + luma(170), inset: 5pt)
#set list(spacing: .6em)
#set enum(spacing: .6em)
#show heading: it => block(above: 1.7em, below: 1em, sticky: true)[#set text(size: (20pt, 17pt, 14.5pt, 13pt, 12pt, 11pt, 10.5pt, 10pt).at(calc.min(it.level, 8) - 1)); #fit(it.body)]
#show outline.entry: it => fit(it, less: 40pt)
#show link: set text(fill: rgb("#0645ad"))
#show raw: set text(font: ${named(MONO)}, size: 9pt)
#show raw.where(block: true): it => block(width: 100%, fill: luma(246), stroke: .5pt + luma(215), inset: 7pt, radius: 2pt)[#set text(dir: ltr); #set align(left); #it]
`;
}

/** The beginning of every item's file: the functions that blocks are rendered with. */
export const HELPERS = `${FIT}#let small(body) = text(size: .85em, body)
#let quoted(body, side: "left") = block(inset: ((side): 10pt), stroke: ((side): 2pt + luma(200)), body)
#let callout(colour, body, side: "left") = block(width: 100%, fill: colour.lighten(90%), stroke: ((side): 3pt + colour), inset: 9pt, body)
`;
