/**
 * Makes everything an archive holds, within one transaction (platform 8.6): items from the top down in the order of
 * their priorities, files of each right after it, and when all addresses are known the references in what was written.
 */
import type { ContentMaker, ImportFiles, ItemRef, MadeItem } from "lectern/contracts";
import type { EventTransaction, Upload } from "lectern/core";
import type { ArchiveNode } from "./archive_model.ts";
import { References } from "./references.ts";

/** What creating the items works with. */
export interface CreateOptions {
  readonly makers: readonly ContentMaker[];
  readonly stores: readonly ImportFiles[];
  /** A file of the archive by its name there; throws where it is gone. */
  readonly fileOf: (name: string, of: ArchiveNode) => Upload;
}

/** Makes an item with all that lies in it, and answers it as it is in the end. Throws what making it throws. */
export async function createItems(
  options: CreateOptions,
  top: ArchiveNode,
  parent: ItemRef | undefined,
  tx: EventTransaction,
): Promise<MadeItem> {
  const references = new References();
  const made: ItemRef[] = [];
  const item = await createItem({ ...options, references, made }, top, parent, tx);
  let { shown } = item;
  for (const { kind, id } of made) {
    const changed = await makerOf(options, kind).refill(id, (text) => references.filled(text), tx);
    if (kind === item.kind && id === item.id) shown = { ...shown, ...changed };
  }
  return { ...item, shown };
}

interface CreateState extends CreateOptions {
  readonly references: References;
  /** All that may hold references. */
  readonly made: ItemRef[];
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
  state.made.push({ kind, id: item.id });
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

/** Chapters stand before pages of the same priority, as in the archive. */
function byPriority(a: ArchiveNode, b: ArchiveNode): number {
  return (a.priority ?? 0) - (b.priority ?? 0);
}
