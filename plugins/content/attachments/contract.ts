import type { Generated, Selectable } from "kysely";
import type { UserRef } from "lectern/contracts";
import type { Input } from "lectern/core";
import type { rulesFor } from "./rules.ts";

/** Files and links of pages. */
export interface AttachmentsTable {
  id: Generated<number>;
  /** The page. */
  uploaded_to: number;
  name: string;
  /** Of the file as the client named it, without a dot; "" for links. */
  extension: string;
  /** Whether it is a link and no file. */
  external: boolean;
  /** The link, else "". */
  link: string;
  /** Where the file is, within this plugin's files; null for links. Another content has another key. */
  file_key: string | null;
  /** What answers call `order`: the place on the page, from 1. */
  sort_order: number;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** An attachment as the table holds it; the result of the events of attachments. */
export type AttachmentRow = Selectable<AttachmentsTable>;

/** An attachment with who made and changed it. */
export interface FoundAttachment extends AttachmentRow {
  readonly people?: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null };
}

/** A new attachment as asked for; a link wins over a file. */
export type AttachmentCreate = Input<ReturnType<typeof rulesFor>["create"]>;
/** A change of an attachment as asked for. */
export type AttachmentUpdate = Input<ReturnType<typeof rulesFor>["update"]>;

/** What roles may hold about attachments (platform 2.1). */
export type AttachmentPermission = `attachment-${"create" | "update" | "delete"}-${"all" | "own"}`;

declare module "lectern/db" {
  interface Tables {
    attachments: AttachmentsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    attachment_create: { draft: AttachmentCreate; result: AttachmentRow };
    /** The draft's row is the locked one, as it was before. */
    attachment_update: { draft: { row: AttachmentRow; draft: AttachmentUpdate }; result: AttachmentRow };
    attachment_delete: { draft: AttachmentRow; result: AttachmentRow };
  }
  interface Permissions extends Record<AttachmentPermission, true> {}
}
