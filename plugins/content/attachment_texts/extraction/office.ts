/**
 * Documents of word processors, spreadsheets and presentations: ZIP archives of XML, of Microsoft Office since 2007 (docx, xlsx, pptx) and
 * of OpenDocument (odt, ods, odp). Which one it is follows from the files in it. Deleted text of tracked changes is left out.
 */
import { Archive } from "./archive.ts";
import { type TextSink, Unreadable } from "./text_sink.ts";
import { readXml } from "./xml_text.ts";

/** The parts with text, in the order in which they are read; those with a number by it. */
const PARTS = {
  word: ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"],
  wordMore: /^word\/(?:header|footer)(\d+)\.xml$/,
  slides: /^ppt\/slides\/slide(\d+)\.xml$/,
  notes: /^ppt\/notesSlides\/notesSlide(\d+)\.xml$/,
  sheets: /^xl\/worksheets\/sheet(\d+)\.xml$/,
} as const;
/** Elements of office documents that hold what readers do not see, or the same twice. */
const SKIPPED = new Set(["Fallback", "rPh", "tracked-changes", "delText", "instrText", "binary-data"]);
/** Elements after which a line ends, and those that are a blank. */
const LINES = new Set(["p", "h", "br", "line-break", "cr", "row", "table-row", "si"]);
const BLANKS = new Set(["tab", "s", "tc", "c", "table-cell"]);

/** Text of Microsoft's formats stands in elements `t`, that of OpenDocument in the body. */
const WITHIN = { microsoft: "t", open: "body" } as const;

/** Reads a document. Returns whether it is one. Throws Unreadable and Full. */
export function readOffice(bytes: Uint8Array, sink: TextSink, maxUnpackedBytes: number): boolean {
  const archive = new Archive(bytes, maxUnpackedBytes);
  const has = (name: string) => archive.names.includes(name);
  if (has("word/document.xml")) {
    for (const name of [...PARTS.word, ...numbered(archive, PARTS.wordMore)])
      readTexts(archive, name, sink, WITHIN.microsoft);
  } else if (has("xl/workbook.xml")) readWorkbook(archive, sink);
  else if (has("ppt/presentation.xml")) {
    for (const pattern of [PARTS.slides, PARTS.notes])
      for (const name of numbered(archive, pattern)) readTexts(archive, name, sink, WITHIN.microsoft);
  } else if (has("content.xml") && has("META-INF/manifest.xml")) {
    const manifest = archive.read("META-INF/manifest.xml");
    if (new TextDecoder().decode(manifest).includes("encryption-data")) throw new Unreadable("encrypted");
    readTexts(archive, "content.xml", sink, WITHIN.open);
  } else if (has("encrypted-package")) throw new Unreadable("encrypted");
  else return false;
  return true;
}

/** Adds the text within elements of a name. */
function readTexts(archive: Archive, part: string, sink: TextSink, within: string): void {
  const bytes = archive.read(part);
  if (!bytes) return;
  let depth = 0;
  let skipped = 0;
  read(bytes, {
    open(name) {
      if (skipped > 0 || SKIPPED.has(name)) skipped += 1;
      else if (name === within) depth += 1;
    },
    close(name) {
      if (skipped > 0) skipped -= 1;
      else if (name === within) depth -= 1;
      else if (LINES.has(name)) sink.add("\n");
      else if (BLANKS.has(name)) sink.add(" ");
    },
    text(text) {
      if (depth > 0 && skipped === 0) sink.add(text);
    },
  });
  sink.add("\n");
}

/** A workbook: the names of its sheets, then each sheet row by row. Cells refer to their texts by number. */
function readWorkbook(archive: Archive, sink: TextSink): void {
  const workbook = archive.read("xl/workbook.xml");
  if (workbook)
    read(workbook, {
      open: (name, { name: title }) => {
        if (name === "sheet" && title !== undefined) sink.add(`${title}\n`);
      },
      close() {},
      text() {},
    });
  const shared = sharedTexts(archive);
  for (const name of numbered(archive, PARTS.sheets)) readSheet(archive, name, { sink, shared });
}

function sharedTexts(archive: Archive): readonly string[] {
  const texts: string[] = [];
  const bytes = archive.read("xl/sharedStrings.xml");
  let isInText = false;
  let skipped = 0;
  if (bytes)
    read(bytes, {
      open(name) {
        if (skipped > 0 || SKIPPED.has(name)) skipped += 1;
        else if (name === "si") texts.push("");
        else isInText = name === "t";
      },
      close() {
        if (skipped > 0) skipped -= 1;
        else isInText = false;
      },
      text(text) {
        if (isInText && skipped === 0 && texts.length > 0) texts.push(`${texts.pop()}${text}`);
      },
    });
  return texts;
}

function readSheet(
  archive: Archive,
  part: string,
  { sink, shared }: { readonly sink: TextSink; readonly shared: readonly string[] },
): void {
  const bytes = archive.read(part);
  if (!bytes) return;
  let type: string | undefined;
  let inside = "";
  read(bytes, {
    open(name, { t }) {
      if (name === "c") type = t;
      inside = name;
    },
    close(name) {
      inside = "";
      if (name === "row") sink.add("\n");
      else if (name === "c") sink.add(" ");
    },
    text(text) {
      if (inside === "t") sink.add(text);
      // Truth values and errors are of no use to a search.
      else if (inside === "v" && type !== "b" && type !== "e")
        sink.add(type === "s" ? (shared[Number(text)] ?? "") : text);
    },
  });
}

/** Reads the XML of a part. Throws Unreadable for what is none, and what the handlers throw. */
function read(bytes: Uint8Array, handlers: Parameters<typeof readXml>[1]): void {
  let thrown: unknown;
  const kept =
    <A extends unknown[]>(handle: (...given: A) => void) =>
    (...given: A) => {
      try {
        handle(...given);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
  try {
    readXml(bytes, { open: kept(handlers.open), close: kept(handlers.close), text: kept(handlers.text) });
  } catch {
    throw thrown ?? new Unreadable("damaged");
  }
}

/** The parts whose names match, by their numbers. */
function numbered({ names }: Archive, pattern: RegExp): string[] {
  return names
    .flatMap((name) => {
      const found = pattern.exec(name);
      return found ? [{ name, number: Number(found[1]) }] : [];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ name }) => name);
}
