/**
 * How items leave Lectern as files, in three lists that plugins fill: kinds of content that can be exported, formats
 * they can be exported in, and files that content names by address. The plugin "exports" brings the three together for
 * one viewer and knows none of them by name; a new format works for every kind, and a new kind in every format.
 */
import type { StoredFile } from "../files/file_store.ts";
import type { Viewer } from "../viewer.ts";
import type { Tag } from "./tags.ts";

/** An item by its kind and id. */
export interface ItemRef {
  /** As events spell it: "page". */
  readonly kind: string;
  readonly id: number;
}

/** What an export says of an item, without its content. */
export interface ExportEntry extends ItemRef {
  readonly name: string;
  readonly slug: string;
  /** The item's absolute address. */
  readonly url: string;
  readonly priority: number;
  readonly tags: readonly Tag[];
  /** Description as shown, filtered, and as plain text; absent where the kind has content instead. */
  readonly description_html?: string;
  readonly description?: string;
  /** What it lies in, nearest first. */
  readonly parents: readonly ItemRef[];
}

/** An item with all that lies in it and that the viewer sees, in the order of a book's contents. */
export interface ExportItem extends ExportEntry {
  readonly children: readonly ExportItem[];
}

/** The content of an item that has some, as its viewer sees it. */
export interface ExportContent {
  /** As the viewer is shown it: includes resolved, filtered, and with what themes make of it. */
  readonly html: string;
  /** The same without what is added when it is shown, for what is read in again; `html` where absent. */
  readonly bare?: string;
  /** Its source where it is written in Markdown, else "". */
  readonly markdown: string;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Names of users; null where they are gone. */
  readonly created_by: string | null;
  readonly updated_by: string | null;
}

/** A kind of content that can be exported; it must be in the slot `content`. */
export interface ExportKind {
  readonly kind: string;
  /** The item if the viewer sees it. */
  find(viewer: Viewer, id: number): Promise<ExportEntry | undefined>;
  /** Items that lie in another one, at any depth, as far as the viewer sees them; drafts are left out. */
  within?(viewer: Viewer, parent: ItemRef): Promise<ExportEntry[]>;
  /** Contents by id; what the viewer does not see (any more) is missing. */
  contents?(viewer: Viewer, ids: readonly number[]): Promise<ReadonlyMap<number, ExportContent>>;
}

/** A file of this instance that content names, or that hangs on an item. */
export interface ExportFile {
  /** The list of its item that portable archives name it in: "images", "attachments"; "cover" for the one of its item. */
  readonly list: string;
  /** As references spell it: "image", "attachment". */
  readonly object: string;
  readonly id: number;
  readonly name: string;
  /** The item it hangs on. */
  readonly of: ItemRef;
  /** Whether the viewer sees what it hangs on, so that it may go along by itself. */
  readonly seen: boolean;
  /** Further keys of its entry in a portable archive, such as `type` or `link`. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Of the file's name, without a dot; may be empty. */
  readonly extension: string;
  /** Media type where it is a picture, such as "image/png". */
  readonly picture?: string;
  /** The file itself; absent for links. Undefined where the store of files has lost it. */
  readonly open?: () => Promise<StoredFile | undefined>;
  /** The file at the address that named it, where that is a smaller form. */
  readonly openShown?: () => Promise<StoredFile | undefined>;
}

/** Finds files for exports. */
export interface ExportFiles {
  /** By address, those that are files of this instance and that the viewer may fetch; the others are missing. */
  named(viewer: Viewer, addresses: readonly string[]): Promise<ReadonlyMap<string, ExportFile>>;
  /** Those that hang on items and go along even if nothing names them. */
  dependents?(viewer: Viewer, kind: string, ids: readonly number[]): Promise<readonly ExportFile[]>;
}

/** What a format works with. */
export interface Exporting {
  readonly viewer: Viewer;
  readonly item: ExportItem;
  /** Address of the instance without a final slash. */
  readonly baseUrl: string;
  /** The content of an item; undefined for kinds without, and where the viewer sees it no more. Ask in reading order. */
  content(item: ExportItem): Promise<ExportContent | undefined>;
  /** All lists of files as one. */
  readonly files: Required<Pick<ExportFiles, "dependents">> & {
    named(addresses: readonly string[]): Promise<ReadonlyMap<string, ExportFile>>;
  };
  /** Kinds that may lie in an item of a kind, directly or deeper, by their segment: chapters, pages. */
  holds(kind: string): readonly { readonly kind: string; readonly segment: string }[];
}

/** A format of exports. */
export interface ExportFormat {
  /** The last part of its addresses: "html". */
  readonly name: string;
  /** Of its files, without a dot. */
  readonly extension: string;
  /** The file, piece by piece. What it throws as ApiError is answered. */
  write(asked: Exporting): AsyncIterable<string | Uint8Array>;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    export_kind: ExportKind;
    export_format: ExportFormat;
    export_files: ExportFiles;
  }
  interface Permissions {
    /** Take content out as files. */
    "content-export": true;
    /** Bring content in as files. */
    "content-import": true;
  }
}
