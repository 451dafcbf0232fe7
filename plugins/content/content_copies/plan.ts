/**
 * What a copy consists of, found before anything is written: the item, what is in it as far as the copier sees it, and where the copy
 * goes. Only items whose direct parent is copied are copied: a page in a hidden chapter stays where it is, as in BookStack.
 */
import type { ExportEntry, ItemRef } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import type { CopiesContext, CopyDraft, CopyInput } from "./contract.ts";
import { kindNotFound, kindOf, visibleItem } from "./queries.ts";

/** An item that is to be copied, with what is in it, in order. */
export interface PlannedItem extends ItemRef {
  readonly name: string;
  readonly url: string;
  readonly children: readonly PlannedItem[];
}

/** What is to be copied. */
export interface CopyPlan {
  readonly top: PlannedItem;
  readonly draft: CopyDraft;
  /** Number of items. */
  readonly total: number;
  /** Number of those that no item can be in, such as pages. */
  readonly pages: number;
}

/** The item that is copied. Throws its 404 where the viewer does not see it. */
export async function findOriginal(
  context: CopiesContext,
  viewer: Viewer,
  { kind, id }: ItemRef,
): Promise<ExportEntry> {
  const entry = await context
    .slot("export_kind")
    .find((one) => one.kind === kind)
    ?.find(viewer, id);
  if (!entry) throw kindNotFound(context, kind);
  return entry;
}

/** The parent that a body names; the chapter where it names a book too, as in a create. */
export function parentIn({ book_id, chapter_id }: CopyInput): ItemRef | undefined {
  if (chapter_id !== undefined) return { kind: "chapter", id: chapter_id };
  return book_id === undefined ? undefined : { kind: "book", id: book_id };
}

/** Plans a copy. Throws the 404 of the parent and the 403 of a create there. */
export async function planCopy(
  context: CopiesContext,
  viewer: Viewer,
  original: ExportEntry,
  wanted: { readonly name?: string | undefined; readonly parent?: ItemRef | undefined },
): Promise<CopyPlan> {
  const { access } = context.contracts;
  const { kind, id } = original;
  const hasParents = kindOf(context, kind).parents.length > 0;
  const parent = hasParents ? (wanted.parent ?? original.parents[0]) : undefined;
  if (parent) await access.need(viewer, `${kind}-create`, await visibleItem(context, viewer, parent));
  else await access.need(viewer, `${kind}-create-all`);
  const top = await treeOf(context, viewer, original);
  const all = [...walk(top)];
  const name = wanted.name === undefined || wanted.name === "" ? original.name : wanted.name;
  const draft = { kind, id, name, ...(parent && { parent: { kind: parent.kind, id: parent.id } }) };
  return { top, draft, total: all.length, pages: all.filter((item) => !holdsItems(context, item.kind)).length };
}

async function treeOf(context: CopiesContext, viewer: Viewer, original: ExportEntry): Promise<PlannedItem> {
  const makers = new Map(context.slot("content_maker").map((maker) => [maker.kind, maker]));
  const kinds = context.slot("export_kind").filter(({ kind }) => makers.get(kind)?.read !== undefined);
  const found = await Promise.all(kinds.map((one) => one.within?.(viewer, original) ?? []));
  const order = kinds.map(({ kind }) => kind);
  const below = found
    .flat()
    .sort((a, b) => a.priority - b.priority || order.indexOf(a.kind) - order.indexOf(b.kind) || a.id - b.id);
  const byParent = Map.groupBy(below, ({ parents: [nearest] }) => nearest && keyOf(nearest));
  const withChildren = (entry: ExportEntry): PlannedItem => ({
    ...{ kind: entry.kind, id: entry.id, name: entry.name, url: entry.url },
    children: (byParent.get(keyOf(entry)) ?? []).map(withChildren),
  });
  return withChildren(original);
}

function holdsItems({ slot }: CopiesContext, kind: string): boolean {
  return slot("content").some(({ parents }) => parents.some((parent) => parent.kind === kind));
}

function* walk(item: PlannedItem): Generator<PlannedItem> {
  yield item;
  for (const child of item.children) yield* walk(child);
}

function keyOf({ kind, id }: ItemRef): string {
  return `${kind} ${id}`;
}
