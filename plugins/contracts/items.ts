/**
 * Reads of items within the process. A plugin of content contributes a reader of its kind to the slot `item_reader`; plugins that
 * show items of others, such as screens, get them as objects, without a request to the API. A reader answers what the API
 * answers for the viewer: the same rows, the same fields, those of the slot `response_fields` included.
 */
import { deepFreeze, type ItemFields, type Items, notFound, type SlotSpecs, type Viewer } from "lectern/core";

/** A kind of item that has a reader. */
export type ItemName = Extract<keyof Items, string>;

/** Whether an item is read alone, with all its fields, or as a row of a listing. */
type ReadMoment = "read" | "listed";

type AddedFields<Name extends string> = {
  readonly [Key in keyof ItemFields as Key extends `${Name}.${infer Field}` ? Field : never]: ItemFields[Key];
};

/** An item as the API answers it, with the fields that other plugins declare in `ItemFields`. */
export type Item<Kind extends ItemName, Moment extends ReadMoment = "read"> =
  Items[Kind] extends Record<Moment, infer Own>
    ? Omit<Own, keyof AddedFields<`${Kind}.${Moment}`>> & AddedFields<`${Kind}.${Moment}`>
    : never;

/**
 * An item as its reader returns it: the fields of `ItemFields` come from contributions to the slot `response_fields`, so that the
 * reader, whose plugin does not know them, need not have them.
 */
export type ReadItem<Kind extends ItemName, Moment extends ReadMoment = "read"> =
  Items[Kind] extends Record<Moment, infer Own>
    ? Omit<Own, keyof AddedFields<`${Kind}.${Moment}`>> & Partial<AddedFields<`${Kind}.${Moment}`>>
    : never;

/** Which item: by its id, or by its slug and the id or slug of what contains it. A slug is found in any case. */
export type ItemAddress = { readonly id: number } | { readonly slug: string; readonly within?: number | string };

/** Which items: those with the ids, in their order, or those within the item of another kind with this id. */
export type ItemsAddress = { readonly ids: readonly number[] } | { readonly within: number };

/** What a reader returns: at once where it is cached. */
type AtOnce<Found> = Found | Promise<Found>;

/** Reads items of a kind on behalf of viewers. */
export interface ItemReader<Kind extends ItemName = ItemName> {
  readonly kind: Kind;
  /** As messages spell it: "Book" in "Book not found". */
  readonly noun: string;
  /** The answer of the single read; undefined where there is no such item or the viewer does not see it. */
  find?(viewer: Viewer, where: ItemAddress): AtOnce<ReadItem<Kind> | undefined>;
  /** The items that the viewer sees, as listings answer them. */
  list?(viewer: Viewer, where: ItemsAddress): AtOnce<readonly ReadItem<Kind, "listed">[]>;
}

declare module "lectern/core" {
  interface Slots {
    item_reader: AnyItemReader;
  }
}

/**
 * The reader of some kind.
 * @example
 * context.contribute("item_reader", {
 *   kind: "note",
 *   noun: "Note",
 *   find: (viewer, where) =>
 *     "id" in where
 *       ? context.visible("notes", viewer).select(["id", "name"]).where("id", "=", where.id).executeTakeFirst()
 *       : Promise.resolve(undefined),
 * });
 */
export type AnyItemReader = { readonly [Kind in ItemName]: ItemReader<Kind> }[ItemName];

/**
 * The item at an address; undefined where there is none or the viewer does not see it.
 * @example
 * const note = await findItem(context.slot("item_reader"), "note", viewer, { slug: "milk" });
 */
export async function findItem<Kind extends ItemName>(
  readers: readonly AnyItemReader[],
  kind: Kind,
  viewer: Viewer,
  where: ItemAddress,
): Promise<Item<Kind> | undefined> {
  // With the fields that plugins declare in `ItemFields`: readers merge the contributions to `response_fields`.
  return (await readerOf(readers, kind)?.find?.(viewer, where)) as Item<Kind> | undefined;
}

/**
 * The item at an address. Throws the 404 of its kind where there is none or the viewer does not see it.
 * @example
 * const note = await readItem(context.slot("item_reader"), "note", viewer, { id: 1 });
 */
export async function readItem<Kind extends ItemName>(
  readers: readonly AnyItemReader[],
  kind: Kind,
  viewer: Viewer,
  where: ItemAddress,
): Promise<Item<Kind>> {
  const item = await findItem(readers, kind, viewer, where);
  if (!item) throw notFound(readerOf(readers, kind)?.noun ?? "Item");
  return item;
}

/**
 * The items at an address that the viewer sees, as listings answer them.
 * @example
 * const notes = await listItems(context.slot("item_reader"), "note", viewer, { ids: [1, 2] });
 */
export async function listItems<Kind extends ItemName>(
  readers: readonly AnyItemReader[],
  kind: Kind,
  viewer: Viewer,
  where: ItemsAddress,
): Promise<readonly Item<Kind, "listed">[]> {
  // As in `findItem`.
  return ((await readerOf(readers, kind)?.list?.(viewer, where)) ?? []) as readonly Item<Kind, "listed">[];
}

/** The reader of a kind; undefined where its plugin is not loaded, so that there are no such items. */
function readerOf<Kind extends ItemName>(readers: readonly AnyItemReader[], kind: Kind): ItemReader<Kind> | undefined {
  const name: string = kind;
  // Without plugins there are no kinds, and no reader has a type.
  const known: readonly { readonly kind: string }[] = readers;
  // The compiler does not narrow a union by a type parameter.
  return known.find((reader) => reader.kind === name) as ItemReader<Kind> | undefined;
}

/** What is known of these slots beside their types. */
export const itemReaderSlots = deepFreeze({
  item_reader: { members: { kind: "text", noun: "text", find: "optional_function", list: "optional_function" } },
} as const satisfies SlotSpecs);
