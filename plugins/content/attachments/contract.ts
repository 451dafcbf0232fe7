/**
 * What the plugin of attachments declares: its table, the bodies and answers of its routes, its events and permissions, and what
 * its files share (content-api 11).
 */
import type { Generated, Selectable } from "kysely";
import type { ListingOf, UserRef } from "lectern/contracts";
import {
  type Contracts,
  type FileStore,
  fileKilobytes,
  type Input,
  idSchema,
  nullable,
  personSchema,
  type RawBuilder,
  rules,
  type Static,
  t,
  timesFields,
  type Viewer,
} from "lectern/core";
import type { Executor } from "lectern/db";

/** What the files of this plugin share. */
export interface AttachmentsContext {
  readonly db: Executor;
  readonly contracts: Pick<Contracts, "access" | "users">;
  readonly files: FileStore;
  readonly baseUrl: string;
  /** SQL condition for the rows of a table that a viewer sees. */
  readonly visibleTo: (table: "attachments" | "pages", viewer: Viewer) => RawBuilder<boolean>;
}

/** Files and links attached to pages. */
export interface AttachmentsTable {
  id: Generated<number>;
  /** Id of the page. */
  uploaded_to: number;
  name: string;
  /** Extension of the uploaded file, without a dot; "" for links. */
  extension: string;
  /** Whether it is a link instead of a file. */
  external: boolean;
  /** The link; "" for files. */
  link: string;
  /** Key within this plugin's file store; null for links. A replaced file gets a new key. */
  file_key: string | null;
  /** Position on the page, from 1; answered as `order`. */
  sort_order: number;
  created_by: number | null;
  updated_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** A row of the table; the result of the events of attachments. */
export type AttachmentRow = Selectable<AttachmentsTable>;

/** An attachment with its author and last editor. */
export interface FoundAttachment extends AttachmentRow {
  readonly people?: { readonly created_by: UserRef | null; readonly updated_by: UserRef | null };
}

/**
 * The rules of both bodies (content-api 2.4), for a file size limit in megabytes; beyond BookStack's fields, `order` of an update:
 * the position on the page, from 1.
 */
export function rulesFor(limitMb: number) {
  const max = `max:${fileKilobytes(limitMb)}` as const;
  return {
    create: rules({
      name: ["required", "string", "min:1", "max:255"],
      uploaded_to: ["required", "integer", "exists:entities,id,type,page"],
      file: ["required_without:link", "file", max],
      link: ["required_without:file", "string", "min:1", "max:2000", "safe_url"],
    }),
    update: rules({
      name: ["string", "min:1", "max:255"],
      uploaded_to: ["integer", "exists:entities,id,type,page"],
      file: ["file", max],
      link: ["string", "min:1", "max:2000", "safe_url"],
      order: ["integer", "min:1"],
    }),
  };
}

/** The draft of a new attachment; a link takes precedence over a file. */
export type AttachmentCreate = Input<ReturnType<typeof rulesFor>["create"]>;
/** The draft of a change. */
export type AttachmentUpdate = Input<ReturnType<typeof rulesFor>["update"]>;

/** Permissions of roles on attachments (platform 2.1). */
export type AttachmentPermission = `attachment-${"create" | "update" | "delete"}-${"all" | "own"}`;

const savedFields = {
  id: idSchema,
  name: t.String(),
  extension: t.String({ description: 'Without a dot; "" for links' }),
  uploaded_to: t.Integer({ description: "Id of the page" }),
  external: t.Boolean({ description: "Whether it is a link instead of a file" }),
  order: t.Integer(),
  created_by: nullable(idSchema),
  updated_by: nullable(idSchema),
  ...timesFields,
};

/** The answers about attachments (content-api 11). */
export const attachmentAnswers = {
  listed: t.Object(savedFields, { $id: "AttachmentListItem" }),
  saved: t.Object(savedFields, { $id: "SavedAttachment" }),
  read: t.Object(
    {
      ...savedFields,
      created_by: personSchema,
      updated_by: personSchema,
      links: t.Object({ html: t.String(), markdown: t.String() }),
      content: t.String({ description: "The link, or the file as base64" }),
    },
    { $id: "Attachment" },
  ),
};

declare module "lectern/contracts" {
  interface Answers {
    "/api/attachments": ListingOf<typeof attachmentAnswers.listed>;
    "POST /api/attachments": Static<typeof attachmentAnswers.saved>;
    [attachment: `/api/attachments/${number}`]: Static<typeof attachmentAnswers.read>;
    [attachmentUpdate: `PUT /api/attachments/${number}`]: Static<typeof attachmentAnswers.saved>;
  }
}

declare module "lectern/db" {
  interface Tables {
    attachments: AttachmentsTable;
  }
}

declare module "lectern/core" {
  interface Items {
    attachment: { listed: Static<typeof attachmentAnswers.listed> };
  }
  interface Events {
    attachment_create: { draft: AttachmentCreate; result: AttachmentRow };
    /** `row` is locked, with the values before the change. */
    attachment_update: { draft: { row: AttachmentRow; draft: AttachmentUpdate }; result: AttachmentRow };
    attachment_delete: { draft: AttachmentRow; result: AttachmentRow };
  }
  interface Permissions extends Record<AttachmentPermission, true> {}
}
