/**
 * How items come into Lectern from files, within one transaction that somebody else began: plugins say how an item of
 * their kind is made and how a file is stored, so that whoever imports knows neither their tables nor their rules.
 * Permissions are asked by the importer; events are performed as if a request had asked.
 */
import type { EventTransaction } from "../events/event_bus.ts";
import type { Upload } from "../input/uploads.ts";
import type { ItemRef } from "./exports.ts";

/** An item that was just made. */
export interface MadeItem extends ItemRef {
  /** Its absolute address. */
  readonly url: string;
  /** The item as answers about a run show it: integer ids of users, no relations. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** What a new item holds. */
export interface NewItem {
  readonly name: string;
  readonly description_html?: string;
  readonly html?: string;
  readonly markdown?: string;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

/** Makes items of a kind. */
export interface ContentMaker {
  readonly kind: string;
  /** Makes an item within another one, the last of those there. Throws what its create endpoint would throw. */
  make(item: NewItem, parent: ItemRef | undefined, tx: EventTransaction): Promise<MadeItem>;
  /**
   * Replaces text in what was made in this transaction, such as addresses that were not known before. It is part of the
   * making: no event, no revision. What keeps a record of content is told through the slot `content_record`. Answers the
   * keys of `response_fields` that are different since; nothing where none is.
   */
  refill(id: number, replace: (text: string) => string, tx: EventTransaction): Promise<MadeItem["shown"] | undefined>;
}

/** A file that came with an import. */
export interface ImportedFile {
  readonly name: string;
  /** Further keys of its entry, such as `type` of a picture. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Where it is a link and no file. */
  readonly link?: string;
  readonly file?: Upload;
}

/** Stores files of one kind that came with an import. */
export interface ImportFiles {
  /** The list of its item that archives name it in: "images", "attachments"; "cover" for the one of its item. */
  readonly list: string;
  /** As references spell it: "image", "attachment"; none refers to covers. */
  readonly object: string;
  /** What the viewer must hold, and how messages call it in the plural. */
  readonly permission?: string;
  /** Stores it for an item; whatever is not in the store goes with `tx.onRollback`. Answers what references to it become. */
  store(file: ImportedFile, of: ItemRef, tx: EventTransaction): Promise<{ readonly id: number; readonly url: string }>;
}

/** Keeps a record of what content says, such as its links; told where content changes without an event. */
export interface ContentRecord {
  changed(
    item: ItemRef,
    content: { readonly before: string; readonly after: string },
    tx: EventTransaction,
  ): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    content_maker: ContentMaker;
    import_files: ImportFiles;
    content_record: ContentRecord;
  }
}
