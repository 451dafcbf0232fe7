/**
 * Makes everything an archive holds, within one transaction (platform 8.6): items from the top down in the order of
 * their priorities, files of each right after it, and when all addresses are known the references in what was written.
 */
import type { ContentMaker, ImportFiles, ItemRef, MadeItem, Upload, Work } from "lectern/core";
import type { Parcel } from "./model.ts";
import { References } from "./references.ts";

/** What unfolding works with. */
export interface Unfolding {
  readonly makers: readonly ContentMaker[];
  readonly stores: readonly ImportFiles[];
  /** A file of the archive by its name there; throws where it is gone. */
  readonly fileOf: (name: string, of: Parcel) => Upload;
}

/** Makes an item with all that lies in it, and answers it as it is in the end. Throws what making it throws. */
export async function unfold(
  unfolding: Unfolding,
  top: Parcel,
  parent: ItemRef | undefined,
  work: Work,
): Promise<MadeItem> {
  const references = new References();
  const made: ItemRef[] = [];
  const item = await make({ ...unfolding, references, made }, top, parent, work);
  let { shown } = item;
  for (const { kind, id } of made) {
    const changed = await makerOf(unfolding, kind).refill(id, (text) => references.filled(text), work);
    if (kind === item.kind && id === item.id) shown = { ...shown, ...changed };
  }
  return { ...item, shown };
}

interface Making extends Unfolding {
  readonly references: References;
  /** All that may hold references. */
  readonly made: ItemRef[];
}

async function make(making: Making, parcel: Parcel, parent: ItemRef | undefined, work: Work): Promise<MadeItem> {
  const { kind, id, name, texts, lists } = parcel;
  const { tags = [], attachments = [], images = [], ...inner } = lists;
  const item = await makerOf(making, kind).make(
    { name, ...texts, tags: tags.map((tag) => ({ name: tag.name, value: tag.texts.value ?? "" })) },
    parent,
    work,
  );
  making.references.add(kind, id, item);
  making.made.push({ kind, id: item.id });
  const cover: Parcel[] =
    texts.cover === undefined ? [] : [{ kind: "cover", name, texts: { file: texts.cover }, lists: {} }];
  for (const [list, files] of Object.entries({ cover, images, attachments }))
    for (const file of files) await storeFile(making, list, file, item, work);
  for (const child of Object.values(inner).flat().sort(byPriority)) await make(making, child, item, work);
  return item;
}

async function storeFile(making: Making, list: string, parcel: Parcel, of: ItemRef, work: Work): Promise<void> {
  const { name, texts } = parcel;
  const store = making.stores.find((one) => one.list === list);
  if (!store) throw new Error(`Cannot import "${name}": no plugin stores ${list}`);
  const stored = await store.store(
    {
      name,
      entry: texts,
      ...(texts.link !== undefined && { link: texts.link }),
      ...(texts.file !== undefined && { file: making.fileOf(texts.file, parcel) }),
    },
    { kind: of.kind, id: of.id },
    work,
  );
  making.references.add(store.object, parcel.id, stored);
}

function makerOf({ makers }: Pick<Unfolding, "makers">, kind: string): ContentMaker {
  const maker = makers.find((one) => one.kind === kind);
  if (!maker) throw new Error(`Cannot import a ${kind}: no plugin makes any`);
  return maker;
}

/** Chapters stand before pages of the same priority, as in the archive. */
function byPriority(a: Parcel, b: Parcel): number {
  return (a.priority ?? 0) - (b.priority ?? 0);
}
