/**
 * Creates the items of an archive within one transaction (platform 8.6): items from the top down in order of priority, each
 * followed by its files; once all addresses are known, references in the content are replaced.
 */
import type { ContentMaker, ImportFiles, ItemRef, MadeItem } from "lectern/contracts";
import type { EventTransaction, Upload } from "lectern/core";
import type { ArchiveNode } from "./archive_model.ts";
import { References } from "./references.ts";

/** What creating items requires. */
export interface CreateOptions {
  readonly makers: readonly ContentMaker[];
  readonly stores: readonly ImportFiles[];
  /** A file of the archive by its name there. Throws where it was not unpacked. */
  readonly fileOf: (name: string, of: ArchiveNode) => Upload;
}

/** Creates an item with its descendants, and returns it with references replaced. Throws what the makers and stores throw. */
export async function createItems(
  options: CreateOptions,
  top: ArchiveNode,
  parent: ItemRef | undefined,
  tx: EventTransaction,
): Promise<MadeItem> {
  const references = new References();
  const created: ItemRef[] = [];
  const item = await createItem({ ...options, references, created }, top, parent, tx);
  let { shown } = item;
  for (const { kind, id } of created) {
    const changed = await makerOf(options, kind).refill(id, (text) => references.resolve(text), tx);
    if (kind === item.kind && id === item.id) shown = { ...shown, ...changed };
  }
  return { ...item, shown };
}

interface CreateState extends CreateOptions {
  readonly references: References;
  /** The created items, whose content may have references. */
  readonly created: ItemRef[];
}

async function createItem(
  state: CreateState,
  node: ArchiveNode,
  parent: ItemRef | undefined,
  tx: EventTransaction,
): Promise<MadeItem> {
  const { kind, id, name, texts, lists } = node;
  const { tags = [], attachments = [], images = [], ...inner } = lists;
  const item = await makerOf(state, kind).make(
    { name, ...texts, tags: tags.map((tag) => ({ name: tag.name, value: tag.texts.value ?? "" })) },
    parent,
    tx,
  );
  state.references.add(kind, id, item);
  state.created.push({ kind, id: item.id });
  const cover: ArchiveNode[] =
    texts.cover === undefined ? [] : [{ kind: "cover", name, texts: { file: texts.cover }, lists: {} }];
  for (const [list, files] of Object.entries({ cover, images, attachments }))
    for (const file of files) await storeFile(state, list, file, item, tx);
  for (const child of Object.values(inner).flat().sort(byPriority)) await createItem(state, child, item, tx);
  return item;
}

async function storeFile(
  state: CreateState,
  list: string,
  node: ArchiveNode,
  of: ItemRef,
  tx: EventTransaction,
): Promise<void> {
  const { name, texts } = node;
  const store = state.stores.find((one) => one.list === list);
  if (!store) throw new Error(`Cannot import "${name}": no plugin stores ${list}`);
  const stored = await store.store(
    {
      name,
      entry: texts,
      ...(texts.link !== undefined && { link: texts.link }),
      ...(texts.file !== undefined && { file: state.fileOf(texts.file, node) }),
    },
    { kind: of.kind, id: of.id },
    tx,
  );
  state.references.add(store.object, node.id, stored);
}

function makerOf({ makers }: Pick<CreateOptions, "makers">, kind: string): ContentMaker {
  const maker = makers.find((one) => one.kind === kind);
  if (!maker) throw new Error(`Cannot import a ${kind}: no plugin makes any`);
  return maker;
}

/** The sort is stable, so that chapters precede pages of the same priority, as in the archive. */
function byPriority(a: ArchiveNode, b: ArchiveNode): number {
  return (a.priority ?? 0) - (b.priority ?? 0);
}
