/**
 * Self-contained HTML documents (content-api 15.3): styles are inline, images of this instance are data URLs, and nothing
 * is loaded from a network. Images of other sites keep their addresses, but a Content-Security-Policy in the document keeps
 * the browser from requesting them. The document is written page by page and image by image, so that memory is bounded.
 */
import type { AddressAt, ExportContent, ExportFormat, ExportItem, Exporting, Markup } from "lectern/contracts";
import { type Children, Html, html, randomText, raw, type Viewer } from "lectern/core";
import { printableFor } from "./printable.ts";
import { STYLE } from "./style.ts";

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; media-src data:; base-uri 'none'; form-action 'none'";
const PLACEHOLDER_LENGTH = 16;

/** The export format `html`. */
export function htmlFormat(services: HtmlServices): ExportFormat {
  return {
    name: "html",
    extension: "html",
    write: (request) => writeHtml(request, services, { format: "html", engine: "none" }),
  };
}

/** The services that HTML documents are rendered with. */
export interface HtmlServices {
  readonly markup: Markup;
  readonly children: Children;
  /** What plugins make of a page that is read in a file. */
  readonly show: ShowPage;
}

/** A page's HTML as it is read in a file, such as with formulas. Filters and changes of addresses come before. */
export type ShowPage = (html: string, content: ExportContent, viewer: Viewer) => Promise<string>;

/** Where the document is shown. For `pdf`, frames become links and `<details>` are opened, as PDF engines render neither. */
export interface Target {
  readonly format: "html" | "pdf";
  readonly engine: string;
}

/** Writes the document in chunks. */
export async function* writeHtml(request: Exporting, services: HtmlServices, target: Target): AsyncGenerator<string> {
  const { item, viewer } = request;
  yield `<!doctype html>\n<html lang="${Bun.escapeHTML(viewer.language ?? "en")}">\n<head>\n<meta charset="UTF-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
  yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n';
  yield html`<title>${item.name}</title>\n<style>${raw(STYLE)}</style>\n</head>\n`.toString();
  const classes = `export export-format-${target.format} export-engine-${target.engine}`;
  yield `<body class="${classes}">\n<div class="page-content" dir="auto">\n`;
  const document = { ...services, request, isPrinted: target.format === "pdf" };
  yield* item.description_html === undefined ? writePage(document) : writeCollection(document);
  yield "</div>\n</body>\n</html>\n";
}

/** What the functions that write parts of a document share. */
interface DocumentContext extends HtmlServices {
  readonly request: Exporting;
  readonly isPrinted: boolean;
}

async function* writePage(document: DocumentContext): AsyncGenerator<string> {
  const { request } = document;
  const { item } = request;
  const content = await request.content(item);
  yield html`<h1 id="bkmrk-page-title">${item.name}</h1>\n`.toString();
  if (!content) return;
  yield* selfContained(document, content.html, content);
  const notes = notesOf(content).map((note) => html`<div>${note}</div>\n`);
  yield html`\n<hr>\n<div class="meta">\n${notes}</div>\n`.toString();
}

/** Lines of metadata below a page that is exported alone: its revision, and who created and updated it when. */
export function notesOf(content: ExportContent): string[] {
  const by = (name: string | null) => (name === null ? "" : ` by ${name}`);
  return [
    `Revision #${content.revision}`,
    `Created ${formatDate(content.created_at)}${by(content.created_by)}`,
    `Updated ${formatDate(content.updated_at)}${by(content.updated_by)}`,
  ];
}

async function* writeCollection(document: DocumentContext): AsyncGenerator<string> {
  const { item } = document.request;
  yield html`<h1>${item.name}</h1>\n<div>`.toString();
  yield* selfContained(document, item.description_html ?? "");
  yield `</div>\n${tableOfContents(item)}`;
  for (const child of item.children) yield* writeSection(document, child, undefined);
}

async function* writeSection(
  document: DocumentContext,
  item: ExportItem,
  parent: ExportItem | undefined,
): AsyncGenerator<string> {
  yield '<div class="page-break"></div>\n';
  if (parent) yield html`<div class="chapter-hint">${parent.name}</div>\n`.toString();
  yield html`<h1 id="${item.kind}-${item.id}">${item.name}</h1>\n`.toString();
  const content = item.description_html === undefined ? await document.request.content(item) : undefined;
  yield* selfContained(document, item.description_html ?? content?.html ?? "", content);
  yield "\n";
  for (const child of item.children) yield* writeSection(document, child, item);
}

function tableOfContents(item: ExportItem): Html {
  if (item.children.length === 0) return new Html("");
  const entries = item.children.map(
    (child) => html`<li><a href="#${child.kind}-${child.id}">${child.name}</a>${tableOfContents(child)}</li>\n`,
  );
  return html`<ul class="contents">\n${entries}</ul>\n`;
}

/** Yields HTML in chunks, with images of this instance embedded and links made absolute. */
async function* selfContained(
  { request, children, markup, show, isPrinted }: DocumentContext,
  text: string,
  content?: ExportContent,
): AsyncGenerator<string> {
  const { baseUrl } = request;
  const { viewer } = request;
  const source = isPrinted ? await printableFor(children, text, viewer) : text;
  const addresses = new Set<string>();
  const collectImage = ({ element, attribute, address }: AddressAt) => {
    if (element === "img" && attribute === "src") addresses.add(address);
    return undefined;
  };
  await markup.readdress(source, collectImage, { viewer });
  const files = await request.files.named([...addresses]);
  const placeholder = `picture-${randomText(PLACEHOLDER_LENGTH)}-`;
  const embedded: string[] = [];
  const replaceAddress = ({ element, attribute, address }: AddressAt) => {
    if (attribute === "href" && (!isPrinted || element === "a" || element === "area"))
      return absoluteAddress(address, baseUrl);
    // A browser would prefer these sources to the embedded image.
    if (attribute === "srcset") return null;
    const unchanged = isPrinted ? null : undefined;
    if (element !== "img") return unchanged;
    return files.get(address)?.picture ? `${placeholder}${embedded.push(address) - 1}-` : unchanged;
  };
  const readdressed = await markup.readdress(source, replaceAddress, { viewer });
  const withPlaceholders = content ? await show(readdressed, content, viewer) : readdressed;
  for (const [index, piece] of withPlaceholders.split(placeholder).entries()) {
    if (index === 0) {
      yield piece;
      continue;
    }
    const end = piece.indexOf("-");
    const address = embedded[Number(piece.slice(0, end))] ?? "";
    const file = files.get(address);
    const stored = await (file?.openShown ?? file?.open)?.();
    if (stored) yield `data:${file?.picture};base64,${Buffer.from(await stored.bytes()).toString("base64")}`;
    else yield Bun.escapeHTML(address);
    yield piece.slice(end + 1);
  }
}

/** The absolute form of an address within this instance; undefined for all others, which are kept (content-api 15.3). */
export function absoluteAddress(address: string, baseUrl: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed === "" || /^(#|\/\/|[a-z][a-z0-9+.-]*:)/i.test(trimmed)) return undefined;
  return `${baseUrl}/${trimmed.replace(/^\/+/, "")}`;
}

/** Formats a time in UTC, as "5 January 2026 12:00:00". */
function formatDate(time: string): string {
  const date = new Date(time);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return `${day} ${date.toISOString().slice(11, 19)}`;
}
