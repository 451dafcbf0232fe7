/**
 * A whole document as files of Typst: one for each item, so that one that the engine refuses can be told from the others
 * and be written again as plain text. The exported item gives the title and the list of contents; what lies in it begins
 * on a new sheet, as a heading of the outline.
 */
import { join } from "node:path";
import { blocks } from "./blocks.ts";
import { parse, textOf } from "./dom.ts";
import { FILES, type Job, type JobItem } from "./job.ts";
import { Links } from "./links.ts";
import { prepared } from "./pictures.ts";
import type { Place } from "./place.ts";
import { HELPERS, preamble, SHEET } from "./template.ts";
import { isRightToLeft, literal, quoted } from "./text.ts";
import { type Cuts, fitted, MOST_CUTS } from "./words.ts";

/** Writes all files of a document into the job's folder. Answers a function that writes one item again as plain text. */
export async function writeDocument(folder: string, job: Job): Promise<(file: string) => Promise<boolean>> {
  const htmlOf = ({ html }: JobItem) => Bun.file(join(folder, html)).text();
  const links = await Links.of(job.items, htmlOf);
  const pictures = await prepared(folder, job.pictures);
  const cuts = { left: MOST_CUTS };
  for (const [index, item] of job.items.entries()) {
    const book = { pictures, cuts, ...links.within(item) };
    const place: Place = {
      ...SHEET[job.paper],
      blocks: 0,
      lists: 0,
      tables: 0,
      direction: "ltr",
      level: item.depth,
      book,
    };
    await Bun.write(
      join(folder, fileOf(index)),
      HELPERS + around(job, item, blocks(parse(await htmlOf(item)).childNodes, place)),
    );
  }
  const main = job.items.map((_, index) => `#include ${quoted(fileOf(index))}\n`).join("");
  await Bun.write(join(folder, FILES.main), preamble(job.title, job.language, job.paper) + main);
  return async (file) => {
    const index = job.items.findIndex((_, at) => fileOf(at) === file);
    const item = job.items[index];
    if (!item) return false;
    await Bun.write(
      join(folder, file),
      HELPERS + around(job, item, plain(textOf(parse(await htmlOf(item))), { width: SHEET[job.paper].width, cuts })),
    );
    return true;
  };
}

function fileOf(index: number): string {
  return `item-${index}.typ`;
}

function around(job: Job, item: JobItem, content: string): string {
  const isTop = item.depth === 0;
  const room = { width: SHEET[job.paper].width, cuts: { left: MOST_CUTS } };
  const name = literal(item.name);
  const label = `#label(${quoted(item.label)})`;
  // Even the title is a heading: readers of the file find it in the outline.
  const title = isTop
    ? `#heading(level: 1, outlined: false)[#text(size: 24pt)[${name}]]${label}`
    : `#heading(level: ${item.depth})[${name}]${label}`;
  const hint =
    item.hint === undefined ? "" : `${fitted(`#text(size: 9pt, fill: luma(110))[${literal(item.hint)}]`, room)}\n`;
  const contents = isTop && job.items.length > 1 ? "\n#v(1em)\n#outline(title: none, depth: 3, indent: auto)\n" : "";
  const notes = item.notes.map((note) => literal(note)).join("#linebreak();");
  const below =
    notes === ""
      ? ""
      : `\n#line(length: 100%, stroke: .5pt + luma(180))\n${fitted(`#text(size: 8pt, fill: luma(110))[${notes}]`, room)}\n`;
  const heading = isRightToLeft(item.name) ? `#[#set text(dir: rtl);${title}]` : title;
  return `${isTop ? "" : "#pagebreak(weak: true)\n"}${hint}${heading}\n${content}${contents}${below}\n`;
}

function plain(text: string, room: { width: number; cuts: Cuts }): string {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  return lines.map((line) => fitted(`#par[${literal(line)}]`, room)).join("\n");
}
