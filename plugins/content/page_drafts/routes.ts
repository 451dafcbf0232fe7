/**
 * The routes of drafts: read, store, discard, and a preview of content that is not stored. Reading and storing answer as well what
 * others have done with the page meanwhile, so that an editor learns it without a request of its own.
 */
import { endpoint, noContent, type Viewer } from "lectern/core";
import { discardDrafts, hasDraftPage, keepDraft } from "./changes.ts";
import {
  type DraftKey,
  draftRules,
  draftsSchema,
  type PageDraftsContext,
  placeRules,
  previewRules,
  previewSchema,
  savedDraftSchema,
  slotRules,
} from "./contract.ts";
import { about } from "./docs.ts";
import { newsFor } from "./news.ts";
import { draftsFor, findDraft, findItem } from "./queries.ts";

const PATH = "/drafts/:kind/:id";
const PERMIT = "access-api";
const SLOT = /^[A-Za-z0-9_-]{1,40}$/;

/** Mounts the routes of drafts. */
export function mountDrafts(context: PageDraftsContext): void {
  const { app, contracts, perform, validate } = context;
  app.get(
    PATH,
    async ({ viewer, params, nestedQuery }) => {
      const item = await findItem(context, viewer, params);
      const pageId = /^\d{1,9}$/.test(String(nestedQuery.page_id)) ? Number(nestedQuery.page_id) : null;
      const { draft, drafts } = await draftsFor(context, viewer, item, { slot: slotIn(nestedQuery.slot), pageId });
      const asked = String(nestedQuery.base_revision);
      const base = /^\d{1,9}$/.test(asked) ? Number(asked) : (draft?.base_revision ?? null);
      return { draft, drafts, ...(await newsFor(context, viewer, item, base)) };
    },
    { permit: PERMIT, response: draftsSchema, ...endpoint("drafts", "read", { about: about.read, query: placeRules }) },
  );
  app.put(
    PATH,
    async ({ viewer, params, input }) => {
      const item = await findItem(context, viewer, params);
      const sent = await validate(draftRules, input, viewer);
      const { name = "", html = "", markdown = "", merged = false, kept_at } = sent;
      const base_revision = sent.base_revision ?? item.revision_count;
      const key = { user_id: viewer.id, kind: item.kind, item_id: item.item_id, slot: slotIn(sent.slot) };
      const tags = contracts.tags.read(sent.tags ?? []);
      const base_tags = sent.base_tags === undefined ? null : contracts.tags.read(sent.base_tags);
      const prepared = hasDraftPage(item.kind, viewer)
        ? await contracts.markup.prepare(markdown === "" ? { html } : { markdown }, { viewer })
        : undefined;
      const draft = { ...key, name, html, markdown, tags, base_revision, base_tags, merged, kept_at };
      await perform("page_draft_save", viewer, draft, (final, tx) => {
        const isPrepared = final.html === html && final.markdown === markdown;
        return keepDraft(contracts.pages, final, tx, isPrepared ? prepared : undefined);
      });
      const saved = await findDraft(context, viewer, item, key.slot);
      const news = await newsFor(context, viewer, item, saved?.base_revision ?? base_revision);
      return saved ? { draft: saved, ...news } : news;
    },
    {
      permit: PERMIT,
      response: savedDraftSchema,
      ...endpoint("drafts", "save", { about: about.save, rules: draftRules, errors: [409] }),
    },
  );
  app.delete(
    PATH,
    async ({ viewer, params, nestedQuery, set }) => {
      const item = await findItem(context, viewer, params);
      await performDiscard(context, viewer, [
        { user_id: viewer.id, kind: item.kind, item_id: item.item_id, slot: slotIn(nestedQuery.slot) },
      ]);
      set.status = 204;
    },
    { permit: PERMIT, response: noContent, ...endpoint("drafts", "delete", { about: about.delete, query: slotRules }) },
  );
  app.post(
    "/drafts/preview",
    async ({ viewer, input }) => {
      const { html, markdown } = await validate(previewRules, input, viewer);
      const content = markdown === undefined ? { html: html ?? "" } : { markdown };
      return { html: await contracts.markup.preview(content, { viewer }) };
    },
    {
      permit: PERMIT,
      response: previewSchema,
      ...endpoint("drafts", "preview", { about: about.preview, rules: previewRules }),
    },
  );
}

/** Discards drafts in an event of their own. */
export async function performDiscard(
  { contracts, perform }: Pick<PageDraftsContext, "contracts" | "perform">,
  viewer: Viewer,
  drafts: readonly DraftKey[],
): Promise<void> {
  await perform("page_draft_discard", viewer, { drafts }, async (final, tx) => {
    await discardDrafts(contracts.pages, final.drafts, tx);
    return final;
  });
}

function slotIn(sent: unknown): string {
  return typeof sent === "string" && SLOT.test(sent) ? sent : "";
}
