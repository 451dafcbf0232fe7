import { join } from "node:path";
import type { AddressAt, ExportItem, Exporting, Markup } from "lectern/contracts";
import { complete, notesOf } from "../html.ts";
import { FILES, type Job, type JobItem } from "../typst/job.ts";
import type { Paper } from "../typst/template.ts";

/** What a job needs beside the export. */
export interface JobParts {
  readonly markup: Markup;
  readonly paper: Paper;
  readonly fonts: readonly string[];
}

/** Writes what the child process needs into a folder: HTML of each item, and the files of their pictures. */
export async function writeJob(asked: Exporting, folder: string, { markup, paper, fonts }: JobParts): Promise<void> {
  const items: JobItem[] = [];
  const pictures: Record<string, string> = {};
  const add = async (item: ExportItem, depth: number, holder: ExportItem | undefined): Promise<void> => {
    const content = item.description_html === undefined ? await asked.content(item) : undefined;
    const { html, sources } = await linked(markup, item.description_html ?? content?.html ?? "", asked);
    await takePictures(asked, folder, sources, pictures);
    const file = `${items.length}.html`;
    await Bun.write(join(folder, file), html);
    const { name, url } = item;
    items.push({
      label: `${item.kind}-${item.id}`,
      name,
      url,
      depth,
      html: file,
      notes: depth === 0 && content ? notesOf(content) : [],
      ...(depth > 1 && holder && { hint: holder.name }),
    });
    for (const child of item.children) await add(child, depth + 1, item);
  };
  await add(asked.item, 0, undefined);
  const job: Job = { title: asked.item.name, language: asked.viewer.language ?? "en", paper, fonts, items, pictures };
  await Bun.write(join(folder, FILES.job), JSON.stringify(job));
}

async function linked(
  markup: Markup,
  source: string,
  { baseUrl, viewer }: Exporting,
): Promise<{ html: string; sources: Set<string> }> {
  const sources = new Set<string>();
  const change = ({ element, attribute, address }: AddressAt) => {
    if (element === "img" && attribute === "src") sources.add(address);
    return attribute === "href" ? complete(address, baseUrl) : undefined;
  };
  const html = await markup.readdress(source, change, { viewer });
  return { html, sources };
}

async function takePictures(
  asked: Exporting,
  folder: string,
  sources: ReadonlySet<string>,
  pictures: Record<string, string>,
): Promise<void> {
  const fresh = [...sources].filter((address) => !Object.hasOwn(pictures, address));
  for (const [address, file] of await asked.files.named(fresh)) {
    const stored = file.picture ? await (file.openShown ?? file.open)?.() : undefined;
    if (!stored) continue;
    const name = `picture-${Object.keys(pictures).length}`;
    await Bun.write(join(folder, name), new Response(stored.stream()));
    pictures[address] = name;
  }
}
