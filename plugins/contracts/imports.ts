/**
 * Imports of items from files and copies of items, within the transaction of the importer or copier: plugins create items of their
 * kind and store files, so that these know neither tables nor rules. They check permissions; events are performed as for a
 * request.
 */
import { deepFreeze, type EventTransaction, type SlotSpecs, type Upload, type Viewer } from "lectern/core";
import type { ItemRef } from "./exports.ts";

/** An item that was just created. */
export interface MadeItem extends ItemRef {
  /** Absolute URL. */
  readonly url: string;
  /** The item as the answer of an import shows it: user ids as integers, no relations. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** The fields of a new item. */
export interface NewItem {
  readonly name: string;
  /** Plain text, where there is no `description_html`. */
  readonly description?: string;
  readonly description_html?: string;
  readonly default_template_id?: number | null;
  readonly html?: string;
  readonly markdown?: string;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Creates items of a kind, for imports and, where it has `read`, for copies.
 * @example
 * context.contribute("content_maker", {
 *   kind: "note",
 *   async make({ name }, _parent, tx) {
 *     const slug = await freeSlug(tx.db, "notes", name);
 *     const values = { name, slug, text: "" };
 *     const made = await tx.db.insertInto("notes").values(values).returning("id").executeTakeFirstOrThrow();
 *     return { kind: "note", id: made.id, url: `${context.baseUrl}/notes/${slug}`, shown: { id: made.id, name } };
 *   },
 *   async refill() {
 *     return undefined; // notes hold no addresses
 *   },
 *   async read(ids, { db }, viewer) {
 *     const found = db.selectFrom("notes").select(["id", "name"]).where("id", "in", [...ids]).where(context.visible.where("notes", viewer));
 *     return new Map((await found.execute()).map(({ id, name }) => [id, { name, tags: [] }]));
 *   },
 * });
 */
export interface ContentMaker {
  readonly kind: string;
  /** Creates an item as the last one in its parent. Throws what its create endpoint would throw. */
  make(item: NewItem, parent: ItemRef | undefined, tx: EventTransaction): Promise<MadeItem>;
  /**
   * Replaces text in an item created in this transaction, such as addresses that were unknown before: no event, no
   * revision, but a call of the slot `content_record`. Returns the fields of `shown` that differ since, or undefined.
   */
  refill(id: number, replace: (text: string) => string, tx: EventTransaction): Promise<MadeItem["shown"] | undefined>;
  /**
   * Existing items by id, as `make` creates them again: texts as stored, without those that the viewer does not see. Items of a
   * kind without this function are not copied.
   */
  read?(ids: readonly number[], tx: EventTransaction, viewer: Viewer): Promise<ReadonlyMap<number, NewItem>>;
}

/** A file that came with an import. */
export interface ImportedFile {
  readonly name: string;
  /** Further fields of its entry, such as `type` of a picture. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** The address of a link, which has no file. */
  readonly link?: string;
  readonly file?: Upload;
}

/**
 * Stores files of one kind that came with an import.
 * @example
 * context.contribute("import_files", {
 *   list: "recordings",
 *   object: "recording",
 *   async store({ name, file }, { id }, tx) {
 *     const key = `${id}/${name}`;
 *     tx.onRollback(() => context.files.remove(key));
 *     if (file) await context.files.put(key, file);
 *     return { id, url: `${context.baseUrl}/recordings/${key}` };
 *   },
 * });
 */
export interface ImportFiles {
  /** Its list in the archive's entry of the item: "images", "attachments"; "cover" for a single file. */
  readonly list: string;
  /** As in references: "image", "attachment"; covers have none. */
  readonly object: string;
  /** The permission that the viewer needs. */
  readonly permission?: string;
  /** Stores a file for an item; undoes the rest with `tx.onRollback`. Returns the target of references to it. */
  store(file: ImportedFile, of: ItemRef, tx: EventTransaction): Promise<{ readonly id: number; readonly url: string }>;
}

/**
 * Tracks content, such as its links; called where content changes without an event.
 * @example
 * context.contribute("content_record", {
 *   async changed({ kind, id }, { before, after }) {
 *     if (before !== after) context.log.info("Content was rewritten", { kind, id });
 *   },
 * });
 */
export interface ContentRecord {
  changed(
    item: ItemRef,
    content: { readonly before: string; readonly after: string },
    tx: EventTransaction,
  ): Promise<void>;
}

declare module "lectern/core" {
  interface Slots {
    content_maker: ContentMaker;
    import_files: ImportFiles;
    content_record: ContentRecord;
  }
}

/** What is known of these slots beside their types. */
export const importSlots = deepFreeze({
  content_maker: {
    members: { kind: "text", make: "function", refill: "function", read: "optional_function" },
    ships: ["make", "refill", "read"],
    limit: "long",
  },
  content_record: { members: { changed: "function" }, ships: ["changed"], limit: "long" },
  import_files: {
    members: { list: "text", object: "text", permission: "optional_text", store: "function" },
    ships: ["store"],
    limit: "long",
  },
} as const satisfies SlotSpecs);
