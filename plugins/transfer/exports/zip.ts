/**
 * Portable archives (content-api 15.7): `data.json` and the files it names. Content is read twice, first to learn which
 * pictures it shows and where they belong, then to write it; so the memory it takes does not grow with the book. What the
 * viewer does not see is neither in it nor referred to.
 */
import type { ExportFile, ExportFormat, ExportItem, Exporting, SystemFacts } from "lectern/contracts";
import { ApiError } from "lectern/core";
import { type ArchiveEntry, archive } from "./archive.ts";
import { type Plan, planOf } from "./zip_plan.ts";

/** More than this a ZIP file without extensions cannot hold, in bytes. */
const MAX_BYTES = 0xffff_ffff;
const MAX_ENTRIES = 0xffff;

/** A portable archive. */
export function portableZip(system: SystemFacts): ExportFormat {
  return {
    name: "zip",
    extension: "zip",
    async *write(asked) {
      const plan = await planOf(asked);
      refuseVast(plan);
      yield* archive(entries(asked, plan, system));
    },
  };
}

async function* entries(asked: Exporting, plan: Plan, system: SystemFacts): AsyncGenerator<ArchiveEntry> {
  yield { name: "data.json", deflate: true, content: encoded(data(asked, plan, system)) };
  for (const { name, stored } of plan.files.values()) yield { name: `files/${name}`, content: stored.stream() };
}

async function* data(asked: Exporting, plan: Plan, system: SystemFacts): AsyncGenerator<string> {
  const { item } = asked;
  yield `{${JSON.stringify(item.kind)}:`;
  yield* itemData(asked, plan, item, true);
  const instance = { id: await system.instanceId(), version: system.version };
  const exported_at = `${new Date().toISOString().slice(0, 19)}+00:00`;
  yield `,${JSON.stringify({ exported_at, instance }).slice(1)}`;
}

async function* itemData(asked: Exporting, plan: Plan, item: ExportItem, isTop: boolean): AsyncGenerator<string> {
  const { kind, id, name, priority, description_html } = item;
  const content = description_html === undefined ? await asked.content(item) : undefined;
  const files = plan.filesOf(item);
  const cover = files.find(({ list }) => list === "cover");
  const facts = {
    id,
    name,
    ...(description_html !== undefined && { description_html: plan.referring(description_html) }),
    ...(content && { html: plan.referring(content.bare ?? content.html) }),
    ...(content && content.markdown !== "" && { markdown: plan.referring(content.markdown) }),
    ...(cover && { cover: plan.nameOf(cover) }),
    ...(!(isTop && item.parents.length === 0) && { priority }),
    tags: item.tags.map((tag) => ({ name: tag.name, value: tag.value })),
  };
  yield JSON.stringify(facts).slice(0, -1);
  if (description_html === undefined) {
    const listed = (list: string) => files.filter((file) => file.list === list).map((file) => entryOf(plan, file));
    yield `,${JSON.stringify({ attachments: listed("attachments"), images: listed("images") }).slice(1, -1)}`;
  }
  const lists = asked.holds(kind).map((one) => ({
    segment: one.segment,
    items: item.children.filter((child) => child.kind === one.kind),
  }));
  for (const { segment, items } of lists) {
    yield `,${JSON.stringify(segment)}:[`;
    for (const [index, child] of items.entries()) {
      if (index > 0) yield ",";
      yield* itemData(asked, plan, child, false);
    }
    yield "]";
  }
  yield "}";
}

function entryOf(plan: Plan, file: ExportFile): Record<string, unknown> {
  const name = plan.nameOf(file);
  return { id: file.id, name: file.name, ...(name !== undefined && { file: name }), ...file.entry };
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

function refuseVast({ files, bytes }: Plan): void {
  if (bytes < MAX_BYTES && files.size < MAX_ENTRIES) return;
  throw new ApiError(
    413,
    "The files of this export are more than a ZIP file can hold; export its parts by themselves.",
  );
}
