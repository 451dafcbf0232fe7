/**
 * One HTML document with everything in it (content-api 15.3): styles, pictures of this instance as data, nothing that is
 * loaded from anywhere. A policy in the document forbids what would be: pictures of other sites keep their addresses,
 * but opening the file tells nobody. Texts are made page by page and pictures one by one, so that neither a long book
 * nor a full page of photographs is ever held at once.
 */
import type { AddressAt, ExportContent, ExportFormat, ExportItem, Exporting, Markup } from "lectern/contracts";
import { type Children, Html, html, randomText, raw } from "lectern/core";
import { printableFor } from "./printable.ts";
import { STYLE } from "./style.ts";

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; media-src data:; base-uri 'none'; form-action 'none'";
const MARK_LENGTH = 16;

/** A contained HTML document. */
export function htmlDocument(tools: HtmlTools): ExportFormat {
  return {
    name: "html",
    extension: "html",
    write: (asked) => writeHtml(asked, tools, { format: "html", engine: "none" }),
  };
}

/** What documents are made with. */
export interface HtmlTools {
  readonly markup: Markup;
  readonly children: Children;
}

/** What a document is made for; an engine for PDF shows neither frames nor what is folded. */
export interface Purpose {
  readonly format: "html" | "pdf";
  readonly engine: string;
}

/** The document, piece by piece. */
export async function* writeHtml(asked: Exporting, tools: HtmlTools, purpose: Purpose): AsyncGenerator<string> {
  const { item, viewer } = asked;
  yield `<!doctype html>\n<html lang="${Bun.escapeHTML(viewer.language ?? "en")}">\n<head>\n<meta charset="UTF-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
  yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n';
  yield html`<title>${item.name}</title>\n<style>${raw(STYLE)}</style>\n</head>\n`.toString();
  const classes = `export export-format-${purpose.format} export-engine-${purpose.engine}`;
  yield `<body class="${classes}">\n<div class="page-content" dir="auto">\n`;
  const writing = { ...tools, asked, isPrinted: purpose.format === "pdf" };
  yield* item.description_html === undefined ? single(writing) : collection(writing);
  yield "</div>\n</body>\n</html>\n";
}

/** What the parts of a document are written with. */
interface Writing extends HtmlTools {
  readonly asked: Exporting;
  readonly isPrinted: boolean;
}

async function* single(writing: Writing): AsyncGenerator<string> {
  const { asked } = writing;
  const { item } = asked;
  const content = await asked.content(item);
  yield html`<h1 id="bkmrk-page-title">${item.name}</h1>\n`.toString();
  if (!content) return;
  yield* contained(writing, content.html);
  const notes = notesOf(content).map((note) => html`<div>${note}</div>\n`);
  yield html`\n<hr>\n<div class="meta">\n${notes}</div>\n`.toString();
}

/** What is told below a page that is exported by itself: its revision, who made and changed it, when. */
export function notesOf(content: ExportContent): string[] {
  const by = (name: string | null) => (name === null ? "" : ` by ${name}`);
  return [
    `Revision #${content.revision}`,
    `Created ${dateOf(content.created_at)}${by(content.created_by)}`,
    `Updated ${dateOf(content.updated_at)}${by(content.updated_by)}`,
  ];
}

async function* collection(writing: Writing): AsyncGenerator<string> {
  const { item } = writing.asked;
  yield html`<h1>${item.name}</h1>\n<div>`.toString();
  yield* contained(writing, item.description_html ?? "");
  yield `</div>\n${contentsOf(item)}`;
  for (const child of item.children) yield* part(writing, child, undefined);
}

async function* part(writing: Writing, item: ExportItem, holder: ExportItem | undefined): AsyncGenerator<string> {
  yield '<div class="page-break"></div>\n';
  if (holder) yield html`<div class="chapter-hint">${holder.name}</div>\n`.toString();
  yield html`<h1 id="${item.kind}-${item.id}">${item.name}</h1>\n`.toString();
  const text = item.description_html ?? (await writing.asked.content(item))?.html ?? "";
  yield* contained(writing, text);
  yield "\n";
  for (const child of item.children) yield* part(writing, child, item);
}

function contentsOf(item: ExportItem): Html {
  if (item.children.length === 0) return new Html("");
  const entries = item.children.map(
    (child) => html`<li><a href="#${child.kind}-${child.id}">${child.name}</a>${contentsOf(child)}</li>\n`,
  );
  return html`<ul class="contents">\n${entries}</ul>\n`;
}

/** HTML with its own pictures inside and its links complete, piece by piece. */
async function* contained({ asked, children, markup, isPrinted }: Writing, content: string): AsyncGenerator<string> {
  const { baseUrl } = asked;
  const { viewer } = asked;
  const source = isPrinted ? await printableFor(children, content, viewer) : content;
  const addresses = new Set<string>();
  const notePicture = ({ element, attribute, address }: AddressAt) => {
    if (element === "img" && attribute === "src") addresses.add(address);
    return undefined;
  };
  await markup.readdress(source, notePicture, { viewer });
  const files = await asked.files.named([...addresses]);
  const mark = `picture-${randomText(MARK_LENGTH)}-`;
  const placed: string[] = [];
  const place = ({ element, attribute, address }: AddressAt) => {
    if (attribute === "href" && (!isPrinted || element === "a" || element === "area"))
      return complete(address, baseUrl);
    // Another source, of a picture or around it, would win over the one that is inside.
    if (attribute === "srcset") return null;
    const stays = isPrinted ? null : undefined;
    if (element !== "img") return stays;
    return files.get(address)?.picture ? `${mark}${placed.push(address) - 1}-` : stays;
  };
  const marked = await markup.readdress(source, place, { viewer });
  for (const [index, piece] of marked.split(mark).entries()) {
    if (index === 0) {
      yield piece;
      continue;
    }
    const end = piece.indexOf("-");
    const address = placed[Number(piece.slice(0, end))] ?? "";
    const file = files.get(address);
    const stored = await (file?.openShown ?? file?.open)?.();
    if (stored) yield `data:${file?.picture};base64,${Buffer.from(await stored.bytes()).toString("base64")}`;
    else yield Bun.escapeHTML(address);
    yield piece.slice(end + 1);
  }
}

/** An address within the instance, complete; others stay (content-api 15.3). */
export function complete(address: string, baseUrl: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === "" || /^(#|\/\/|[a-z][a-z0-9+.-]*:)/i.test(trimmed)) return undefined;
  return `${baseUrl}/${trimmed.replace(/^\/+/, "")}`;
}

/** "5 January 2026 12:00:00", UTC. */
function dateOf(time: string): string {
  const date = new Date(time);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return `${day} ${date.toISOString().slice(11, 19)}`;
}
