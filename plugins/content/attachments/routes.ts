/**
 * The five routes of attachments. Rights on an attachment follow from its page: creating one requires `page-update`, and an
 * update checks the page that the attachment moves to before the attachment itself (content-api 1.5).
 */
import type { Owned } from "lectern/contracts";
import { type InputObject, isUpload, mountResource, notFound, type PluginContext, type Viewer } from "lectern/core";
import { changeAttachment, insertAttachment, removeAttachment } from "./changes.ts";
import {
  type AttachmentRow,
  type AttachmentsContext,
  attachmentAnswers,
  type FoundAttachment,
  rulesFor,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { presentAttachment, savedAttachment } from "./presenter.ts";
import { findAttachment, findPage, listing, pageExists } from "./queries.ts";

/** Mounts the five routes of attachments, with the order of checks of content-api 1.5. */
export function mountAttachmentRoutes(
  plugin: Pick<PluginContext, "app" | "list" | "validate" | "perform">,
  context: AttachmentsContext,
  limitMb: number,
): void {
  const { access } = context.contracts;
  const { create, update } = rulesFor(limitMb);
  const lookups = { exists: (_args: readonly string[], id: unknown) => pageExists(context, Number(id)) };
  const withLookups = {
    ...plugin,
    validate: ((spec, input, viewer) =>
      plugin.validate(spec, withoutEmptyLink(input), viewer, lookups)) as typeof plugin.validate,
  };
  mountResource<FoundAttachment, typeof create, typeof update, undefined, typeof attachmentAnswers>(
    withLookups,
    {
      name: "attachment",
      noun: "Attachment",
      path: "/attachments",
      create,
      update,
      bodyFirst: true,
      permits: { create: "attachment-create-all" },
      list: listing,
      answers: attachmentAnswers,
      errors: { create: [404], read: [500] },
      about,
      examples,
    },
    {
      find: (viewer, id) => findAttachment(context, viewer, id),
      // The permission to update depends on the page that the attachment moves to: `arrange` checks it.
      may: async (viewer, verb, row) => verb === "update" || access.may(viewer, "attachment-delete", ownedAs(row)),
      async place(viewer, draft) {
        await needPage(context, viewer, draft?.uploaded_to ?? 0);
        return undefined;
      },
      async arrange(viewer, row, draft) {
        await needPage(context, viewer, draft.uploaded_to ?? row.uploaded_to);
        // Moving an attachment also changes the page it leaves.
        if (draft.uploaded_to !== undefined) await needPage(context, viewer, row.uploaded_to);
        await access.need(viewer, "attachment-update", ownedAs(row));
      },
      insert: (draft, tx) => insertAttachment(context, draft, tx),
      change: (row, draft, tx) => changeAttachment(context, row, draft, tx),
      remove: (row, tx) => removeAttachment(context, row, tx),
      show: async (row, _viewer, moment) =>
        moment === "saved" ? savedAttachment(row) : presentAttachment(context, row),
    },
  );
}

/** The creator of an attachment owns it. Attachments have no permissions of their own, hence the 0. */
function ownedAs({ id, created_by }: AttachmentRow): Owned {
  return { id, owned_by: created_by, acl_id: 0 };
}

/** Throws ApiError 404 unless the viewer sees the page, 403 unless the viewer may update it. */
async function needPage(context: AttachmentsContext, viewer: Viewer, id: number): Promise<void> {
  const page = await findPage(context, viewer, id);
  if (!page) throw notFound("Page");
  await context.contracts.access.need(viewer, "page-update", page);
}

/** Removes an empty link that is sent beside a file, as forms send all their fields. */
function withoutEmptyLink(input: InputObject): InputObject {
  if (input.link !== "" || !isUpload(input.file)) return input;
  const { link: _, ...rest } = input;
  return rest;
}
