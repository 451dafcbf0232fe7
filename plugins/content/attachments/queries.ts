import type { FileClaim, Owned, UserRef } from "lectern/contracts";
import { type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { AttachmentRow, AttachmentsContext, FoundAttachment } from "./contract.ts";

/** The listing of attachments (content-api 3, 11). */
export const listing: ListSpec = {
  table: "attachments",
  fields: {
    id: "integer",
    name: { type: "text", key: "name_key" },
    extension: "code",
    uploaded_to: "integer",
    external: "boolean",
    order: { type: "integer", column: sql.ref("attachments.sort_order") },
    created_at: "timestamp",
    updated_at: "timestamp",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
  },
  columns: sql`attachments.id, attachments.name, attachments.extension, attachments.uploaded_to,
  attachments.external, attachments.sort_order as "order", attachments.created_at, attachments.updated_at,
  attachments.created_by, attachments.updated_by`,
};

interface FindParameters {
  readonly id: number;
  readonly createdBy: RawBuilder<UserRef | null>;
  readonly updatedBy: RawBuilder<UserRef | null>;
  readonly visible: RawBuilder<boolean>;
}

const find = prepared("attachments.find", (db, p: FindParameters) =>
  db
    .selectFrom("attachments")
    .selectAll("attachments")
    .select(
      sql<Required<FoundAttachment>["people"]>`json_build_object('created_by', ${p.createdBy},
        'updated_by', ${p.updatedBy})`.as("people"),
    )
    .where("attachments.id", "=", p.id)
    .where(p.visible),
);

/** A statement that reads attachments by a column, in the order of their page. */
const findBy = (name: string, column: "attachments.id" | "attachments.uploaded_to") =>
  prepared(name, (db, p: { ids: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("attachments")
      .selectAll("attachments")
      .where(column, "=", sql<number>`any(${p.ids}::integer[])`)
      .where(p.visible)
      .orderBy("attachments.sort_order")
      .orderBy("attachments.id"),
  );
const FIND_BY = {
  id: findBy("attachments.byIds", "attachments.id"),
  uploaded_to: findBy("attachments.ofPages", "attachments.uploaded_to"),
};

const findVisiblePage = prepared("attachments.findPage", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("pages")
    .select(["pages.id", "pages.owned_by", "pages.acl_id"])
    .where("pages.id", "=", p.id)
    .where(p.visible),
);

const isPage = prepared("attachments.isPage", (db, p: { id: number }) => db.selectFrom("pages").where("id", "=", p.id));

const usedKeys = prepared("attachments.usedKeys", (db, p: { keys: readonly string[] }) =>
  db
    .selectFrom("attachments")
    .select("file_key")
    .where("file_key", "=", sql<string>`any(${p.keys}::text[])`)
    .$narrowType<{ file_key: string }>(),
);

/** An attachment with its author and last editor; undefined unless the viewer sees its page. */
export async function findAttachment(
  context: AttachmentsContext,
  viewer: Viewer,
  id: number,
): Promise<FoundAttachment | undefined> {
  const { users } = context.contracts;
  return find.executeTakeFirst(context.db, {
    id,
    createdBy: users.ref(sql.ref("attachments.created_by")),
    updatedBy: users.ref(sql.ref("attachments.updated_by")),
    visible: context.visibleTo("attachments", viewer),
  });
}

/** The attachments with one of the ids, by their own id or that of their page, as far as the viewer sees them. */
export function findAttachments(
  context: AttachmentsContext,
  viewer: Viewer,
  column: "id" | "uploaded_to",
  ids: readonly number[],
): Promise<AttachmentRow[]> {
  return FIND_BY[column].execute(context.db, { ids: [...ids], visible: context.visibleTo("attachments", viewer) });
}

/** A page, if the viewer sees it. */
export async function findPage(context: AttachmentsContext, viewer: Viewer, id: number): Promise<Owned | undefined> {
  return findVisiblePage.executeTakeFirst(context.db, { id, visible: context.visibleTo("pages", viewer) });
}

/** Whether a page exists, visible or not. */
export async function pageExists({ db }: AttachmentsContext, id: number): Promise<boolean> {
  return (await isPage.executeTakeFirst(db, { id })) !== undefined;
}

/** Those of the keys that some attachment names, for the sweep of orphaned files. */
export async function usedFileKeys(
  { db }: AttachmentsContext,
  keys: Parameters<FileClaim["used"]>[0],
): Promise<string[]> {
  const used = await usedKeys.execute(db, { keys: [...keys] });
  return used.map(({ file_key }) => file_key);
}
