/**
 * Writes a document as Typst files, one for each item, so that an item that Typst rejects can be identified and replaced by
 * plain text. The exported item becomes the title and the table of contents; each descendant begins on a new sheet, as a
 * heading of the outline.
 */
import { join } from "node:path";
import { blocks } from "./blocks.ts";
import { parse, textOf } from "./dom.ts";
import { prepareImages } from "./images.ts";
import { FILES, type Job, type JobItem } from "./job.ts";
import type { LayoutContext } from "./layout.ts";
import { Links } from "./links.ts";
import { breakLongWords, MAX_MEASURED, type MeasureBudget } from "./long_words.ts";
import { HELPERS, preamble, SHEET } from "./template.ts";
import { isRightToLeft, literal, quoted } from "./text.ts";

/**
 * Writes the files of a document into the job's folder. Returns a function that rewrites one item's file as plain text, and
 * resolves with false where there is no such file.
 */
export async function writeDocument(folder: string, job: Job): Promise<(file: string) => Promise<boolean>> {
  const readHtml = ({ html }: JobItem) => Bun.file(join(folder, html)).text();
  const links = await Links.of(job.items, readHtml);
  const images = await prepareImages(folder, job.images);
  const budget = { left: MAX_MEASURED };
  for (const [index, item] of job.items.entries()) {
    const document = { images, budget, ...links.for(item) };
    const layout: LayoutContext = {
      ...SHEET[job.paper],
      blocks: 0,
      lists: 0,
      tables: 0,
      direction: "ltr",
      level: item.depth,
      document,
    };
    await Bun.write(
      join(folder, fileOf(index)),
      HELPERS + frame(job, item, blocks(parse(await readHtml(item)).childNodes, layout)),
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
      HELPERS +
        frame(job, item, plainText(textOf(parse(await readHtml(item))), { width: SHEET[job.paper].width, budget })),
    );
    return true;
  };
}

function fileOf(index: number): string {
  return `item-${index}.typ`;
}

function frame(job: Job, item: JobItem, content: string): string {
  const isTop = item.depth === 0;
  const space = { width: SHEET[job.paper].width, budget: { left: MAX_MEASURED } };
  const name = literal(item.name);
  const label = `#label(${quoted(item.label)})`;
  // The title is a heading too, so that it is in the outline of the PDF.
  const title = isTop
    ? `#heading(level: 1, outlined: false)[#text(size: 24pt)[${name}]]${label}`
    : `#heading(level: ${item.depth})[${name}]${label}`;
  const hint =
    item.hint === undefined
      ? ""
      : `${breakLongWords(`#text(size: 9pt, fill: luma(110))[${literal(item.hint)}]`, space)}\n`;
  const contents = isTop && job.items.length > 1 ? "\n#v(1em)\n#outline(title: none, depth: 3, indent: auto)\n" : "";
  const notes = item.notes.map((note) => literal(note)).join("#linebreak();");
  const below =
    notes === ""
      ? ""
      : `\n#line(length: 100%, stroke: .5pt + luma(180))\n${breakLongWords(`#text(size: 8pt, fill: luma(110))[${notes}]`, space)}\n`;
  const heading = isRightToLeft(item.name) ? `#[#set text(dir: rtl);${title}]` : title;
  return `${isTop ? "" : "#pagebreak(weak: true)\n"}${hint}${heading}\n${content}${contents}${below}\n`;
}

function plainText(text: string, space: { width: number; budget: MeasureBudget }): string {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  return lines.map((line) => breakLongWords(`#par[${literal(line)}]`, space)).join("\n");
}
