/**
 * What the plugin of imports declares: its table, the bodies and answers of its routes, its events, and what its files share
 * (content-api 15).
 */
import type { Generated, Selectable } from "kysely";
import type { MadeItem } from "lectern/contracts";
import {
  idSchema,
  listingSchema,
  nullable,
  type PluginContext,
  rules,
  type Static,
  t,
  timesFields,
  type Upload,
} from "lectern/core";

/** What the files of this plugin share. */
export interface ImportsContext
  extends Pick<
    PluginContext<"access", "imports" | "books" | "chapters">,
    "app" | "contracts" | "db" | "files" | "list" | "perform" | "slot" | "validate" | "visible"
  > {
  readonly settings: {
    /** Largest file in megabytes of 1000 kilobytes of 1024 bytes. */
    readonly fileLimit: number;
  };
}

/** Uploaded archives that are yet to be run. */
export interface ImportsTable {
  id: Generated<number>;
  /** Name of the item at the top of the archive. */
  name: string;
  /** Bytes of the archive. */
  size: number;
  /** "book", "chapter" or "page". */
  type: string;
  /** Key of the archive in this plugin's file store. */
  file_key: string;
  /** The archive's items without their content, as JSON (`detailsOf`). */
  details: string;
  created_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** A row of the table without its details. */
export type ImportRow = Omit<Selectable<ImportsTable>, "details">;

/** An upload whose archive has been validated. */
export interface ImportDraft {
  readonly file: Upload;
  readonly name: string;
  readonly type: string;
}

/** The columns of listings and answers. */
export const LISTED_COLUMNS = [
  "imports.id",
  "imports.name",
  "imports.size",
  "imports.type",
  "imports.created_by",
  "imports.created_at",
  "imports.updated_at",
] as const;

/** The rules for running an import of a chapter or page. */
export const parentRules = rules({
  parent_type: ["required", "string", "in:book,chapter"],
  parent_id: ["required", "int"],
});

const listedFields = {
  id: idSchema,
  name: t.String(),
  size: t.Integer({ description: "Bytes" }),
  type: t.String(),
  created_by: nullable(idSchema),
  ...timesFields,
};
const savedFields = { ...listedFields, path: t.String() };
const listed = t.Object(listedFields, { $id: "ImportListItem" });
const open = { additionalProperties: true } as const;
const importedItem = t.Object({ id: idSchema, name: t.String(), slug: t.String() }, { ...open, $id: "ImportedItem" });

const archived = { id: t.Optional(t.Integer()), name: t.String() };
const placed = { ...archived, priority: t.Optional(t.Integer()) };
const tagList = t.Optional(t.Array(t.Object({ name: t.String() }, open)));
const fileFields = { ...archived, file: t.Optional(t.String()), type: t.Optional(t.String()) };
const pageFields = {
  ...placed,
  attachments: t.Optional(t.Array(t.Object(archived, open))),
  images: t.Optional(t.Array(t.Object(fileFields, open))),
  tags: tagList,
};
const pages = t.Optional(t.Array(t.Object(pageFields, open)));
const chapters = t.Optional(t.Array(t.Object({ ...placed, pages, tags: tagList }, open)));
const details = t.Object(
  { ...pageFields, pages, chapters },
  { ...open, description: "The book, chapter or page of the archive, with what is in it" },
);

/** An error with what clients of the original API read beside it (platform 1.7). */
const importError = t.Object(
  {
    error: t.Object({
      code: t.Integer(),
      message: t.String(),
      validation: t.Optional(t.Record(t.String(), t.Array(t.String()), { description: "Messages by field" })),
    }),
    message: t.Optional(t.String({ description: "The same message; absent if fields of the request are wrong" })),
    status: t.Optional(t.Literal("error")),
  },
  { $id: "ImportError" },
);

/** The answers about imports (content-api 15). */
export const importAnswers = {
  list: listingSchema(listed),
  create: t.Object(savedFields, { $id: "SavedImport" }),
  read: t.Object({ ...savedFields, details }, { $id: "Import" }),
  run: importedItem,
  error: importError,
};

/** A row of the listing. */
export type ListedImport = Static<typeof listed>;

/** An item that an import created. */
export type ImportedItem = Static<typeof importedItem>;

/** The items of an archive. */
export type ImportDetails = Static<typeof importAnswers.read>["details"];

declare module "lectern/db" {
  interface Tables {
    imports: ImportsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    import_create: { draft: ImportDraft; result: ImportRow };
    /** The result has the created item, whose own events were performed before, in the same transaction. */
    import_run: { draft: ImportRow; result: ImportRow & { readonly made: MadeItem } };
    import_delete: { draft: ImportRow; result: ImportRow };
  }
}
