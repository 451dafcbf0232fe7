/**
 * Makes the items of a copy within one transaction, from the top down, with the makers of the slot `content_maker`: the events and
 * rules are those of creates. What the copier may not create in a copy is left out with what is in it, as in BookStack; pictures and
 * attachments stay with the original, whose addresses the content keeps. Links between copied items then lead to the copies, and the
 * items' own permissions are copied last, where the copier may manage those of both items: before, they could prevent the rest.
 */
import type { ContentMaker, ItemRef, MadeItem } from "lectern/contracts";
import { type EventTransaction, type Upload, uploadOf, type Viewer } from "lectern/core";
import type { CopiedPair, CopiesContext } from "./contract.ts";
import type { CopyPlan, PlannedItem } from "./plan.ts";
import { itemOf, kindNotFound } from "./queries.ts";
import { type AddressedPair, linksToCopies } from "./references.ts";

/** What a copy has beside its plan. */
export interface CopyParts {
  readonly plan: CopyPlan;
  readonly cover: Upload | undefined;
  /** Called with the number of items that are made, after each of them. What it throws ends the copy. */
  readonly onMade?: (done: number) => void;
}

/** The outcome of a copy. */
export interface MadeCopy {
  readonly made: MadeItem;
  /** All items that were copied, the item itself first. */
  readonly copies: readonly CopiedPair[];
}

/** The cover of an item, which is read before the transaction; undefined where it has none. */
export async function coverOf(
  { slot }: Pick<CopiesContext, "slot">,
  viewer: Viewer,
  { kind, id }: ItemRef,
): Promise<Upload | undefined> {
  const files = await Promise.all(slot("export_files").map((one) => one.dependents?.(viewer, kind, [id]) ?? []));
  const cover = files.flat().find(({ list }) => list === "cover");
  const stored = await cover?.open?.();
  if (!cover || !stored) return undefined;
  const bytes = new Uint8Array(await stored.bytes());
  return uploadOf(new Blob([bytes]), { name: `${cover.name}.${cover.extension}`, type: cover.picture ?? "" });
}

/** Gives an item a cover. */
export async function storeCover(
  { slot }: Pick<CopiesContext, "slot">,
  of: ItemRef,
  cover: Upload,
  tx: EventTransaction,
): Promise<void> {
  const store = slot("import_files").find(({ list }) => list === "cover");
  await store?.store({ name: cover.name, entry: {}, file: cover }, of, tx);
}

/** Makes the items of a plan. Throws the 404 of the item where it is gone or hidden by now, and what the makers throw. */
export async function copyItems(
  context: CopiesContext,
  { plan, cover, onMade }: CopyParts,
  tx: EventTransaction,
): Promise<MadeCopy> {
  const { top, draft } = plan;
  const copied: AddressedPair[] = [];
  const linked: ItemRef[] = [];
  const onItem = (pair: AddressedPair, hasAddresses: boolean) => {
    copied.push(pair);
    if (hasAddresses) linked.push(pair.to);
    onMade?.(copied.length);
  };
  const made = await copyItem({ context, tx, onItem }, { ...top, name: draft.name }, draft.parent);
  if (!made) throw kindNotFound(context, top.kind);
  if (cover) await storeCover(context, made, cover, tx);
  const replace = linksToCopies(context.baseUrl, copied);
  let { shown } = made;
  for (const { kind, id } of linked) {
    const changed = await makerOf(context, kind).refill(id, replace, tx);
    if (kind === made.kind && id === made.id) shown = { ...shown, ...changed };
  }
  await context.contracts.overrides?.copy(copied, tx, { ifManaged: true });
  return { made: { ...made, shown }, copies: copied.map(({ from, to }) => ({ from, to })) };
}

interface CopyState {
  readonly context: CopiesContext;
  readonly tx: EventTransaction;
  readonly onItem: (pair: AddressedPair, hasAddresses: boolean) => void;
}

/** Copies an item with what is in it; undefined where it is gone or hidden by now. */
async function copyItem(
  state: CopyState,
  { kind, id, name, url, children }: PlannedItem,
  parent: ItemRef | undefined,
): Promise<MadeItem | undefined> {
  const { context, tx } = state;
  const maker = makerOf(context, kind);
  const source = (await maker.read?.([id], tx, tx.viewer))?.get(id);
  if (!source) return undefined;
  const made = await maker.make({ ...source, name }, parent, tx);
  const texts = [source.description, source.description_html, source.html, source.markdown];
  state.onItem(
    { from: { kind, id }, to: { kind, id: made.id }, url, copyUrl: made.url },
    texts.some((text) => text?.includes(context.baseUrl)),
  );
  const createable = new Map<string, boolean>();
  for (const child of children) {
    const mayCreate = createable.get(child.kind) ?? (await mayCreateIn(state, child.kind, made));
    createable.set(child.kind, mayCreate);
    if (mayCreate) await copyItem(state, child, made);
  }
  return made;
}

async function mayCreateIn({ context, tx }: CopyState, kind: string, parent: ItemRef): Promise<boolean> {
  const item = await itemOf(context, tx.db, parent);
  return item !== undefined && context.contracts.access.may(tx.viewer, `${kind}-create`, item);
}

/** The maker of a kind. Throws where no plugin makes any, which the plan rules out. */
export function makerOf({ slot }: Pick<CopiesContext, "slot">, kind: string): ContentMaker {
  const maker = slot("content_maker").find((one) => one.kind === kind);
  if (!maker) throw new Error(`Cannot copy a ${kind}: no plugin makes any`);
  return maker;
}
