import type { ExportContent, ExportEntry, ExportItem, Exporting, ExportKind, ItemRef } from "lectern/contracts";
import type { Viewer } from "lectern/core";

/** Contents that are read by one statement: few enough that large ones do not add up. */
const BATCH = 10;

/** An item with all that lies in it, as far as the viewer sees it; undefined where they do not see the item. */
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

/** Puts entries into each other: into the nearest parent that is there, else into the top (content-api 5.3). */
export function nested(top: ExportEntry, entries: readonly ExportEntry[], order: readonly string[]): ExportItem {
  type Open = ExportEntry & { readonly children: ExportItem[] };
  const items = new Map([top, ...entries].map((entry): [string, Open] => [keyOf(entry), { ...entry, children: [] }]));
  const root = items.get(keyOf(top)) as Open;
  for (const entry of [...entries].sort((a, b) => byPlace(a, b, order))) {
    const holder = entry.parents.map((parent) => items.get(keyOf(parent))).find((parent) => parent !== undefined);
    (holder ?? root).children.push(items.get(keyOf(entry)) as Open);
  }
  return root;
}

/** One text for an item, for maps. */
export function keyOf({ kind, id }: ItemRef): string {
  return `${kind} ${id}`;
}

/** The item and all that lies in it, in reading order. */
export function* walk(item: ExportItem): Generator<ExportItem> {
  yield item;
  for (const child of item.children) yield* walk(child);
}

/** Reads contents a few at a time, in the order in which they will be asked for. */
export function contentReader(kinds: readonly ExportKind[], viewer: Viewer, root: ExportItem): Exporting["content"] {
  const readable = new Map(kinds.flatMap(({ kind, contents }) => (contents ? [[kind, contents] as const] : [])));
  const order = [...walk(root)].filter(({ kind }) => readable.has(kind));
  const places = new Map(order.map((item, index) => [keyOf(item), index]));
  let ahead = new Map<string, ExportContent>();
  let until = 0;
  let from = 0;
  return async (item) => {
    const place = places.get(keyOf(item));
    if (place === undefined) return undefined;
    if (place < from || place >= until) {
      from = place;
      until = Math.min(order.length, place + BATCH);
      ahead = await readAll(readable, viewer, order.slice(from, until));
    }
    return ahead.get(keyOf(item));
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

function byPlace(a: ExportEntry, b: ExportEntry, order: readonly string[]): number {
  return a.priority - b.priority || order.indexOf(a.kind) - order.indexOf(b.kind) || a.id - b.id;
}
