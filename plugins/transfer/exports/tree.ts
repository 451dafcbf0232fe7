import type { ExportContent, ExportEntry, ExportItem, Exporting, ExportKind, ItemRef } from "lectern/contracts";
import type { Viewer } from "lectern/core";

/** How many contents are read by one statement. Few, to bound memory. */
const BATCH = 10;

/** Reads an item with its descendants, as far as the viewer may see them; undefined where the item is hidden. */
export async function readItem(
  kinds: readonly ExportKind[],
  viewer: Viewer,
  { kind, id }: ItemRef,
): Promise<ExportItem | undefined> {
  const entry = await kinds.find((one) => one.kind === kind)?.find(viewer, id);
  if (!entry) return undefined;
  const found = await Promise.all(kinds.map((one) => one.within?.(viewer, entry) ?? []));
  return nested(
    entry,
    found.flat(),
    kinds.map((one) => one.kind),
  );
}

/** Builds the tree: each entry goes into its nearest parent that is present, else into the top item (content-api 5.3). */
export function nested(top: ExportEntry, entries: readonly ExportEntry[], order: readonly string[]): ExportItem {
  type MutableItem = ExportEntry & { readonly children: ExportItem[] };
  const root: MutableItem = { ...top, children: [] };
  const below = entries.map((entry): MutableItem => ({ ...entry, children: [] }));
  const items = new Map([root, ...below].map((item) => [keyOf(item), item]));
  for (const item of below.sort((a, b) => byOrder(a, b, order))) {
    const parent = item.parents.map((parent) => items.get(keyOf(parent))).find((parent) => parent !== undefined);
    (parent ?? root).children.push(item);
  }
  return root;
}

/** The key of an item in maps. */
export function keyOf({ kind, id }: ItemRef): string {
  return `${kind} ${id}`;
}

/** The item and its descendants in reading order. */
export function* walk(item: ExportItem): Generator<ExportItem> {
  yield item;
  for (const child of item.children) yield* walk(child);
}

/** Reads contents in batches, ahead of the reading order in which they are requested. */
export function contentReader(kinds: readonly ExportKind[], viewer: Viewer, root: ExportItem): Exporting["content"] {
  const readable = new Map(kinds.flatMap(({ kind, contents }) => (contents ? [[kind, contents] as const] : [])));
  const order = [...walk(root)].filter(({ kind }) => readable.has(kind));
  const positions = new Map(order.map((item, index) => [keyOf(item), index]));
  let batch = new Map<string, ExportContent>();
  let end = 0;
  let from = 0;
  return async (item) => {
    const position = positions.get(keyOf(item));
    if (position === undefined) return undefined;
    if (position < from || position >= end) {
      from = position;
      end = Math.min(order.length, position + BATCH);
      batch = await readAll(readable, viewer, order.slice(from, end));
    }
    return batch.get(keyOf(item));
  };
}

async function readAll(
  readable: ReadonlyMap<string, NonNullable<ExportKind["contents"]>>,
  viewer: Viewer,
  items: readonly ExportItem[],
): Promise<Map<string, ExportContent>> {
  const contents = new Map<string, ExportContent>();
  for (const [kind, read] of readable) {
    const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const [id, content] of await read(viewer, ids)) contents.set(keyOf({ kind, id }), content);
  }
  return contents;
}

function byOrder(a: ExportEntry, b: ExportEntry, order: readonly string[]): number {
  return a.priority - b.priority || order.indexOf(a.kind) - order.indexOf(b.kind) || a.id - b.id;
}
