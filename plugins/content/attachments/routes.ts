/**
 * The five routes of attachments. What an attachment needs follows from its page: who may change the page may hang
 * something on it, and an update asks for the page it moves to before it asks for the attachment (content-api 1.5).
 */
/**
 * The routes of attachments below /api. An attachment is seen by whoever sees its page, and changed by whoever may change
 * both; the page is therefore part of every statement and never looked up by itself. Files go into the store before
 * their row is written and are taken out again where the transaction fails. Reading and sending them is `serve`'s part.
 */

import type { Owned } from "lectern/contracts";
import {
  type InputObject,
  isUpload,
  type ListSpec,
  mountResource,
  notFound,
  type PluginContext,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import type { AttachmentRow, FoundAttachment } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { rulesFor } from "./rules.ts";
import { findAttachment, LISTED, readAttachment, savedAttachment } from "./show.ts";
import { changeAttachment, insertAttachment, removeAttachment } from "./write.ts";

const list: ListSpec = {
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
  columns: LISTED,
};

/** Mounts the five routes of attachments, with the order of checks of content-api 1.5. */
export function mountAttachments(
  context: Pick<PluginContext, "app" | "list" | "validate" | "perform">,
  parts: Parts,
  limitMb: number,
): void {
  const { access } = parts.contracts;
  const { create, update } = rulesFor(limitMb);
  const lookups = { exists: (_args: readonly string[], id: unknown) => isPage(parts, Number(id)) };
  const judged = {
    ...context,
    validate: ((spec, input, viewer) =>
      context.validate(spec, withoutEmptyLink(input), viewer, lookups)) as typeof context.validate,
  };
  mountResource<FoundAttachment, typeof create, typeof update, undefined>(
    judged,
    {
      name: "attachment",
      noun: "Attachment",
      path: "/attachments",
      create,
      update,
      bodyFirst: true,
      permits: { create: "attachment-create-all" },
      list,
      about,
      examples,
    },
    {
      find: (viewer, id) => findAttachment(parts, viewer, id),
      // What an update needs depends on the page it moves to: `arrange` asks for it.
      may: async (viewer, verb, row) => verb === "update" || access.may(viewer, "attachment-delete", ownedAs(row)),
      async place(viewer, draft) {
        await needPage(parts, viewer, draft?.uploaded_to ?? 0);
        return undefined;
      },
      async arrange(viewer, row, draft) {
        await needPage(parts, viewer, draft.uploaded_to ?? row.uploaded_to);
        // Taking an attachment away changes the page it was on as well.
        if (draft.uploaded_to !== undefined) await needPage(parts, viewer, row.uploaded_to);
        await access.need(viewer, "attachment-update", ownedAs(row));
      },
      insert: (draft, tx) => insertAttachment(parts, draft, tx),
      change: (row, draft, tx) => changeAttachment(parts, row, draft, tx),
      remove: (row, tx) => removeAttachment(parts, row, tx),
      listed: (records) => [...records],
      show: async (row, _viewer, moment) => (moment === "saved" ? savedAttachment(row) : readAttachment(parts, row)),
    },
  );
}

/** Whoever made an attachment owns it; overrides reach no further than pages. */
function ownedAs({ id, created_by }: AttachmentRow): Owned {
  return { id, owned_by: created_by, acl_id: 0 };
}

/** Throws 404 unless the viewer sees the page, 403 unless they may change it. */
async function needPage(parts: Parts, viewer: Viewer, id: number): Promise<void> {
  const [page] = await rows<Owned>(
    parts.db,
    sql`select pages.id, pages.owned_by, pages.acl_id from pages where pages.id = ${id}::integer and ${parts.sees("pages", viewer)}`,
  );
  if (!page) throw notFound("Page");
  await parts.contracts.access.need(viewer, "page-update", page);
}

async function isPage(parts: Parts, id: number): Promise<boolean> {
  return (await rows(parts.db, sql`select 1 from pages where id = ${id}::integer`)).length > 0;
}

/** Forms send empty fields along; beside a file, an empty link says nothing. */
function withoutEmptyLink(input: InputObject): InputObject {
  if (input.link !== "" || !isUpload(input.file)) return input;
  const { link: _, ...rest } = input;
  return rest;
}
