/**
 * Exports of items as files, by three slots: kinds of content, formats, and files that content refers to by address. The
 * plugin "exports" combines them for a viewer and knows none by name: a new format works for every kind, a new kind in
 * every format.
 */
import { deepFreeze, type SlotSpecs, type StoredFile, type Viewer } from "lectern/core";
import type { Tag } from "./tags.ts";

/** An item by its kind and id. */
export interface ItemRef {
  /** As in events: "page". */
  readonly kind: string;
  readonly id: number;
}

/** An item of an export, without its content. */
export interface ExportEntry extends ItemRef {
  readonly name: string;
  readonly slug: string;
  /** Absolute URL. */
  readonly url: string;
  readonly priority: number;
  readonly tags: readonly Tag[];
  /** The description as shown (filtered) and as plain text; absent where the kind has content instead. */
  readonly description_html?: string;
  readonly description?: string;
  /** Its parents, nearest first. */
  readonly parents: readonly ItemRef[];
}

/** An item with its visible descendants, in the order of a book's contents. */
export interface ExportItem extends ExportEntry {
  readonly children: readonly ExportItem[];
}

/** The content of an item as its viewer sees it. */
export interface ExportContent {
  /** As the viewer sees it: includes resolved, filtered, changed by themes. */
  readonly html: string;
  /** The same without what is added for display, for formats that are imported again; `html` by default. */
  readonly bare?: string;
  /** Its Markdown source; "" where it is written in HTML. */
  readonly markdown: string;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Names of users; null where they are gone. */
  readonly created_by: string | null;
  readonly updated_by: string | null;
}

/**
 * A kind of content that can be exported; it has to be in the slot `content`.
 * @example
 * context.contribute("export_kind", {
 *   kind: "note",
 *   async find(viewer, id) {
 *     const found = await context.visible("notes", viewer).select(["id", "name", "slug"]).where("id", "=", id).executeTakeFirst();
 *     const url = `${context.baseUrl}/notes/${found?.slug}`;
 *     return found && { ...found, kind: "note", url, priority: 0, tags: [], parents: [] };
 *   },
 *   async contents(viewer, ids) {
 *     const found = await context.visible("notes", viewer).selectAll().where("id", "in", [...ids]).execute();
 *     const people = { created_by: null, updated_by: null };
 *     return new Map(
 *       found.map(({ id, text, created_at, updated_at }) => {
 *         const content = { html: String(html`<p>${text}</p>`), markdown: text, revision: 1 };
 *         return [id, { ...content, ...people, created_at, updated_at }];
 *       }),
 *     );
 *   },
 * });
 */
export interface ExportKind {
  /** A kind of the slot `content`: GET /api/SEGMENT/:id/export/FORMAT is then there for each format. */
  readonly kind: string;
  /** The item if the viewer sees it. */
  find(viewer: Viewer, id: number): Promise<ExportEntry | undefined>;
  /** The visible items in another one, at any depth, without drafts. */
  within?(viewer: Viewer, parent: ItemRef): Promise<ExportEntry[]>;
  /** Contents by id, without those that the viewer does not see. */
  contents?(viewer: Viewer, ids: readonly number[]): Promise<ReadonlyMap<number, ExportContent>>;
}

/** A file of this instance that content refers to, or that belongs to an item. */
export interface ExportFile {
  /** Its list in the archive's entry of the item: "images", "attachments"; "cover" for a single file. */
  readonly list: string;
  /** As in references: "image", "attachment". */
  readonly object: string;
  readonly id: number;
  readonly name: string;
  /** The item it belongs to. */
  readonly of: ItemRef;
  /** Whether the viewer sees that item, so that the file may be exported without it. */
  readonly seen: boolean;
  /** Further fields of its entry in a portable archive, such as `type` or `link`. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Extension of the file name without a dot; may be empty. */
  readonly extension: string;
  /** Media type of a picture, such as "image/png". */
  readonly picture?: string;
  /** Opens the file; absent for links. Undefined where the file store has lost it. */
  readonly open?: () => Promise<StoredFile | undefined>;
  /** Opens the smaller version at the address that content refers to, if it is one. */
  readonly openShown?: () => Promise<StoredFile | undefined>;
}

/**
 * Finds files for exports.
 * @example
 * context.contribute("export_files", {
 *   async named(_viewer, addresses) {
 *     const own = addresses.filter((address) => address.startsWith(`${context.baseUrl}/recordings/`));
 *     const of = { kind: "page", id: 1 };
 *     const file = { list: "recordings", object: "recording", id: 1, name: "Talk", of, seen: true, entry: {}, extension: "mp3" };
 *     return new Map(own.map((address) => [address, { ...file, open: () => context.files.get(address) }]));
 *   },
 * });
 */
export interface ExportFiles {
  /** Files of this instance by address, without those that the viewer may not fetch. */
  named(viewer: Viewer, addresses: readonly string[]): Promise<ReadonlyMap<string, ExportFile>>;
  /** Files of items that are exported even if no content refers to them. */
  dependents?(viewer: Viewer, kind: string, ids: readonly number[]): Promise<readonly ExportFile[]>;
}

/** The input of a format. */
export interface Exporting {
  readonly viewer: Viewer;
  readonly item: ExportItem;
  /** URL of the instance without a final slash. */
  readonly baseUrl: string;
  /** The content of an item; undefined for kinds without, and where the viewer no longer sees it. Call it in reading order. */
  content(item: ExportItem): Promise<ExportContent | undefined>;
  /** All contributions of the slot `export_files` as one. */
  readonly files: Required<Pick<ExportFiles, "dependents">> & {
    named(addresses: readonly string[]): Promise<ReadonlyMap<string, ExportFile>>;
  };
  /** Kinds that items of a kind may contain at any depth, with their segment: chapters, pages. */
  holds(kind: string): readonly { readonly kind: string; readonly segment: string }[];
}

/**
 * A format of exports.
 * @example
 * context.contribute("export_format", {
 *   name: "titles",
 *   extension: "txt",
 *   async *write({ item }) {
 *     yield `${item.name}\n`;
 *     for (const child of item.children) yield `- ${child.name}\n`;
 *   },
 * });
 */
export interface ExportFormat {
  /** The last part of its paths: "html". */
  readonly name: string;
  /** File extension without a dot. */
  readonly extension: string;
  /** The file in chunks. An ApiError it throws is the answer. */
  write(exporting: Exporting): AsyncIterable<string | Uint8Array>;
}

declare module "lectern/core" {
  interface Slots {
    export_kind: ExportKind;
    export_format: ExportFormat;
    export_files: ExportFiles;
  }
  interface Permissions {
    /** Export content as files. */
    "content-export": true;
    /** Import content from files. */
    "content-import": true;
  }
}

/** What is known of these slots beside their types. */
export const exportSlots = deepFreeze({
  export_files: { members: { named: "function", dependents: "optional_function" }, limit: "long" },
  export_format: { members: { name: "text", extension: "text", write: "function" }, limit: "long" },
  export_kind: {
    members: { kind: "text", find: "function", within: "optional_function", contents: "optional_function" },
    limit: "long",
  },
} as const satisfies SlotSpecs);
