/** What the plugin of the texts of attachments declares: its table, its jobs, and what its files share. */
import type { Generated } from "kysely";
import type { FileKeeper, Search } from "lectern/contracts";
import type { Log } from "lectern/core";
import type { Db } from "lectern/db";
import type { ExtractionLimits } from "./extraction/extractor.ts";
import type { Reason } from "./extraction/order.ts";

/**
 * How far the text of an attachment is read: "waiting" for the job, "read", "none" for links, pictures and the like, "failed" for what
 * could not be read.
 */
export type TextState = "waiting" | "read" | "none" | "failed";

/** What the search finds of attachments: one row each, derived from the attachment, so it can be made again at any time. */
export interface AttachmentTextsTable {
  attachment_id: number;
  /** The page of the attachment. */
  page_id: number;
  name: string;
  /** The file that the state is about; null for links. */
  file_key: string | null;
  state: TextState;
  /** Why it failed; "cut" where more is in the file than `text` has. */
  reason: Reason | null;
  /** How often the file was begun to be read. */
  tries: Generated<number>;
  text: string | null;
  /** Words of the name and the text. */
  words: string | null;
  /** When the state became a final one. */
  read_at: Generated<string | null>;
}

/** What the files of this plugin share. */
export interface TextsContext {
  readonly db: Db;
  readonly log: Log;
  readonly search: Search;
  readonly limits: ExtractionLimits & {
    /** Larger files are not read. */
    readonly fileMegabytes: number;
  };
  /** Queues the reading of an attachment that was there before. */
  readonly enqueueReading: (id: number) => Promise<void>;
  /** Reads files of attachments; undefined where the plugin of attachments is left out. */
  readonly keeper: () => FileKeeper | undefined;
}

declare module "lectern/db" {
  interface Tables {
    attachment_texts: AttachmentTextsTable;
  }
}

declare module "lectern/core" {
  interface Jobs {
    /** Reads the text of an attachment that waits, or brings the words of a renamed one up to date. */
    attachment_text: { readonly id: number };
    /** Forgets the words of a deleted attachment, in the form of a tsvector, that nothing else has. */
    attachment_words: { readonly words: string };
    /** Enters attachments without a current row, from the id after `after`. */
    attachment_texts_fill: { readonly after: number };
  }
}
