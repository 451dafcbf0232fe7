import { join } from "node:path";
import type { AddressAt, ExportItem, Exporting, Markup } from "lectern/contracts";
import { absoluteAddress, notesOf, type ShowPage } from "../html.ts";
import { FILES, type Job, type JobItem } from "../typst/job.ts";
import type { Paper } from "../typst/template.ts";

/** What a job needs besides the export request. */
export interface JobOptions {
  readonly markup: Markup;
  readonly show: ShowPage;
  readonly paper: Paper;
  readonly fonts: readonly string[];
}

const DRAWN = /^\s*data:/i;
const DRAWN_PICTURES = /<img src="(data:image\/svg\+xml;base64,([A-Za-z0-9+/=]+))"/g;

/** Writes the input of the child process into a folder: the HTML of each item, their image files and `job.json`. */
export async function writeJob(
  request: Exporting,
  folder: string,
  { markup, show, paper, fonts }: JobOptions,
): Promise<void> {
  const items: JobItem[] = [];
  const images: Record<string, string> = {};
  const add = async (item: ExportItem, depth: number, parent: ExportItem | undefined): Promise<void> => {
    const content = item.description_html === undefined ? await request.content(item) : undefined;
    const { html, sources } = await withAbsoluteLinks(markup, item.description_html ?? content?.html ?? "", request);
    await copyImages(request, folder, sources, images);
    const shown = content ? await show(html, content, request.viewer) : html;
    await writeDrawn(shown, folder, images);
    const file = `${items.length}.html`;
    await Bun.write(join(folder, file), shown);
    const { name, url } = item;
    items.push({
      label: `${item.kind}-${item.id}`,
      name,
      url,
      depth,
      html: file,
      notes: depth === 0 && content ? notesOf(content) : [],
      ...(depth > 1 && parent && { hint: parent.name }),
    });
    for (const child of item.children) await add(child, depth + 1, item);
  };
  await add(request.item, 0, undefined);
  const job: Job = { title: request.item.name, language: request.viewer.language ?? "en", paper, fonts, items, images };
  await Bun.write(join(folder, FILES.job), JSON.stringify(job));
}

async function withAbsoluteLinks(
  markup: Markup,
  source: string,
  { baseUrl, viewer }: Exporting,
): Promise<{ html: string; sources: Set<string> }> {
  const sources = new Set<string>();
  const change = ({ element, attribute, address }: AddressAt) => {
    // Pictures within the text are those that plugins draw afterwards, and none that an author wrote.
    if (element === "img" && DRAWN.test(address)) return null;
    if (element === "img" && attribute === "src") sources.add(address);
    return attribute === "href" ? absoluteAddress(address, baseUrl) : undefined;
  };
  const html = await markup.readdress(source, change, { viewer });
  return { html, sources };
}

/** Writes the pictures that plugins have drawn into HTML. */
async function writeDrawn(html: string, folder: string, images: Record<string, string>): Promise<void> {
  for (const [, address = "", picture = ""] of html.matchAll(DRAWN_PICTURES)) {
    if (Object.hasOwn(images, address)) continue;
    const name = `picture-${Object.keys(images).length}`;
    await Bun.write(join(folder, name), Buffer.from(picture, "base64"));
    images[address] = name;
  }
}

async function copyImages(
  request: Exporting,
  folder: string,
  sources: ReadonlySet<string>,
  images: Record<string, string>,
): Promise<void> {
  const fresh = [...sources].filter((address) => !Object.hasOwn(images, address));
  for (const [address, file] of await request.files.named(fresh)) {
    const stored = file.picture ? await (file.openShown ?? file.open)?.() : undefined;
    if (!stored) continue;
    const name = `picture-${Object.keys(images).length}`;
    await Bun.write(join(folder, name), new Response(stored.stream()));
    images[address] = name;
  }
}
