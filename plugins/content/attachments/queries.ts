import type { FileClaim, Owned } from "lectern/contracts";
import { type ListSpec, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
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

/** An attachment with its author and last editor; undefined unless the viewer sees its page. */
export async function findAttachment(
  context: AttachmentsContext,
  viewer: Viewer,
  id: number,
): Promise<FoundAttachment | undefined> {
  const { users } = context.contracts;
  const [found] = await rows<FoundAttachment>(
    context.db,
    sql`select attachments.*, json_build_object(
      'created_by', ${users.ref(sql.ref("attachments.created_by"))},
      'updated_by', ${users.ref(sql.ref("attachments.updated_by"))}) as people
    from attachments where attachments.id = ${id}::integer and ${context.visibleTo("attachments", viewer)}`,
  );
  return found;
}

/** The attachments with one of the ids, by their own id or that of their page, as far as the viewer sees them. */
export function findAttachments(
  context: AttachmentsContext,
  viewer: Viewer,
  column: "id" | "uploaded_to",
  ids: readonly number[],
): Promise<AttachmentRow[]> {
  return rows<AttachmentRow>(
    context.db,
    sql`select attachments.* from attachments where ${sql.ref(`attachments.${column}`)} = any(${[...ids]}::integer[])
        and ${context.visibleTo("attachments", viewer)} order by attachments.sort_order, attachments.id`,
  );
}

/** A page, if the viewer sees it. */
export async function findPage(context: AttachmentsContext, viewer: Viewer, id: number): Promise<Owned | undefined> {
  const [page] = await rows<Owned>(
    context.db,
    sql`select pages.id, pages.owned_by, pages.acl_id from pages where pages.id = ${id}::integer and ${context.visibleTo("pages", viewer)}`,
  );
  return page;
}

/** Whether a page exists, visible or not. */
export async function pageExists({ db }: AttachmentsContext, id: number): Promise<boolean> {
  return (await rows(db, sql`select 1 from pages where id = ${id}::integer`)).length > 0;
}

/** Those of the keys that some attachment names, for the sweep of orphaned files. */
export async function usedFileKeys(
  { db }: AttachmentsContext,
  keys: Parameters<FileClaim["used"]>[0],
): Promise<string[]> {
  const used = await rows<{ file_key: string }>(
    db,
    sql`select file_key from attachments where file_key = any(${[...keys]}::text[])`,
  );
  return used.map(({ file_key }) => file_key);
}
