/**
 * Portable archives (content-api 15.7): `data.json` and the files it names. Content is read twice, first to find the images
 * it shows and the items they belong to, then to write it, so that memory does not grow with the book. What is hidden from
 * the viewer is neither contained nor referred to.
 */
import type { ExportFile, ExportFormat, ExportItem, Exporting, SystemFacts } from "lectern/contracts";
import { ApiError } from "lectern/core";
import { buildPlan, type Plan } from "./zip_plan.ts";
import { type ZipEntry, zipStream } from "./zip_stream.ts";

/** The limits of a ZIP file without ZIP64: bytes, and entries. */
const MAX_BYTES = 0xffff_ffff;
const MAX_ENTRIES = 0xffff;

/** The export format `zip`. */
export function zipFormat(system: SystemFacts): ExportFormat {
  return {
    name: "zip",
    extension: "zip",
    async *write(request) {
      const plan = await buildPlan(request);
      refuseOversized(plan);
      yield* zipStream(entries(request, plan, system));
    },
  };
}

async function* entries(request: Exporting, plan: Plan, system: SystemFacts): AsyncGenerator<ZipEntry> {
  yield { name: "data.json", deflate: true, content: encode(data(request, plan, system)) };
  for (const { name, stored } of plan.files.values()) yield { name: `files/${name}`, content: stored.stream() };
}

async function* data(request: Exporting, plan: Plan, system: SystemFacts): AsyncGenerator<string> {
  const { item } = request;
  yield `{${JSON.stringify(item.kind)}:`;
  yield* itemData(request, plan, item, true);
  const instance = { id: await system.instanceId(), version: system.version };
  const exported_at = `${new Date().toISOString().slice(0, 19)}+00:00`;
  yield `,${JSON.stringify({ exported_at, instance }).slice(1)}`;
}

async function* itemData(request: Exporting, plan: Plan, item: ExportItem, isTop: boolean): AsyncGenerator<string> {
  const { kind, id, name, priority, description_html } = item;
  const content = description_html === undefined ? await request.content(item) : undefined;
  const files = plan.filesOf(item);
  const cover = files.find(({ list }) => list === "cover");
  const facts = {
    id,
    name,
    ...(description_html !== undefined && { description_html: plan.withReferences(description_html) }),
    ...(content && { html: plan.withReferences(content.bare ?? content.html) }),
    ...(content && content.markdown !== "" && { markdown: plan.withReferences(content.markdown) }),
    ...(cover && { cover: plan.nameOf(cover) }),
    ...(!(isTop && item.parents.length === 0) && { priority }),
    tags: item.tags.map((tag) => ({ name: tag.name, value: tag.value })),
  };
  yield JSON.stringify(facts).slice(0, -1);
  if (description_html === undefined) {
    const listed = (list: string) => files.filter((file) => file.list === list).map((file) => entryOf(plan, file));
    yield `,${JSON.stringify({ attachments: listed("attachments"), images: listed("images") }).slice(1, -1)}`;
  }
  const lists = request.holds(kind).map((one) => ({
    segment: one.segment,
    items: item.children.filter((child) => child.kind === one.kind),
  }));
  for (const { segment, items } of lists) {
    yield `,${JSON.stringify(segment)}:[`;
    for (const [index, child] of items.entries()) {
      if (index > 0) yield ",";
      yield* itemData(request, plan, child, false);
    }
    yield "]";
  }
  yield "}";
}

function entryOf(plan: Plan, file: ExportFile): Record<string, unknown> {
  const name = plan.nameOf(file);
  return { id: file.id, name: file.name, ...(name !== undefined && { file: name }), ...file.entry };
}

async function* encode(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

function refuseOversized({ files, bytes }: Plan): void {
  if (bytes < MAX_BYTES && files.size < MAX_ENTRIES) return;
  throw new ApiError(
    413,
    "The files of this export are more than a ZIP file can hold; export its parts by themselves.",
  );
}
