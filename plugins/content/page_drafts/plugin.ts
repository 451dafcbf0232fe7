/**
 * Drafts: what somebody types into an editor, kept on the server while they type, so that neither a closed window nor a
 * conflict loses it. A draft is its author's alone; others learn only that somebody is at work. Ours: the original keeps
 * such drafts for its own editor and shows none over its API. The draft of a new page has a draft page, as in the original.
 */
import type { Owned } from "lectern/contracts";
import { definePlugin, endpoint, idOf, notFound, SYSTEM, sql, t, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { discardDrafts, followPage, hasDraftPage, keepDraft } from "./changes.ts";
import { type DraftKey, draftRules, type PageDraft, previewRules } from "./contract.ts";
import { migrations } from "./migrations.ts";

const KINDS = {
  page: { table: "pages", noun: "Page", permission: "page-update" },
  chapter: { table: "chapters", noun: "Chapter", permission: "page-create" },
  book: { table: "books", noun: "Book", permission: "page-create" },
} as const;
type Kind = keyof typeof KINDS;

const DAY_MS = 86_400_000;
const SLOT = /^[A-Za-z0-9_-]{1,40}$/;
/** Drafts of new pages in one place that are told of. */
const MOST = 20;
/** Minutes for which an author counts as being at work. */
const AT_WORK = 60;

export default definePlugin({
  name: "page_drafts",
  requires: ["access", "markup", "pages", "tags", "users"],
  permissions: { read: ["pages", "chapters", "books", "users"], write: ["page_drafts"] },
  settings: t.Object({
    days: t.Integer({
      default: 90,
      minimum: 1,
      env: "DRAFT_DAYS",
      description: "Days for which drafts that nobody touches are kept",
    }),
  }),
  migrations,
  events: ["page_draft_save", "page_draft_discard"],
  setup(context) {
    const { app, contracts, contribute, every, on, perform, settings, validate, visible } = context;
    const db = context.db as unknown as Db;

    /** What a draft is about, for who may write there. Throws 404 and 403 as writing itself would. */
    async function itemOf(viewer: Viewer, params: { kind: string; id: string }): Promise<{ kind: Kind; id: number }> {
      if (!Object.hasOwn(KINDS, params.kind)) throw notFound("Draft");
      const kind = params.kind as Kind;
      const { table, noun, permission } = KINDS[kind];
      const id = idOf(params.id, noun);
      const [item] = await rows<Owned>(
        db,
        sql`select id, owned_by, acl_id from ${sql.table(table)} where id = ${id}::integer and ${visible.where(table, viewer)}`,
      );
      if (!item) throw notFound(noun);
      await contracts.access.need(viewer, permission, item);
      return { kind, id };
    }

    const of = ({ kind, id }: { kind: Kind; id: number }, viewer: Viewer) =>
      sql`kind = ${kind} and item_id = ${id}::integer and user_id = ${viewer.id}::integer`;
    const slotIn = (sent: unknown): string => (typeof sent === "string" && SLOT.test(sent) ? sent : "");
    const draftPage = sql`(select pages.id from pages where pages.id = page_drafts.page_id and pages.draft
      and pages.deleted_at is null) as page_id`;
    const shown = sql`slot, name, html, markdown, tags, base_revision, ${draftPage}, updated_at`;
    const discard = async (viewer: Viewer, drafts: readonly DraftKey[]) => {
      await perform("page_draft_discard", viewer, { drafts }, async (final, tx) => {
        await discardDrafts(contracts.pages, final.drafts, tx);
        return final;
      });
    };

    app.get(
      "/drafts/:kind/:id",
      async ({ viewer, params, asked }) => {
        const item = await itemOf(viewer, params);
        const slot = slotIn(asked.slot);
        const pageId = /^\d{1,9}$/.test(String(asked.page_id)) ? Number(asked.page_id) : null;
        const isAsked = pageId === null ? sql`slot = ${slot}` : sql`page_id is not distinct from ${pageId}::integer`;
        const found = await rows<PageDraft & { readonly is_asked: boolean }>(
          db,
          sql`select ${shown}, ${isAsked} as is_asked from page_drafts where ${of(item, viewer)}
            order by is_asked desc, updated_at desc limit ${MOST}`,
        );
        const own = found.map(({ is_asked, ...one }) => one);
        const draft = found[0]?.is_asked ? own[0] : undefined;
        const drafts = own.map(({ slot: name, name: title, page_id, updated_at }) => ({
          slot: name,
          name: title,
          page_id,
          updated_at,
        }));
        const others = await rows(
          db,
          sql`select ${contracts.users.ref(sql.ref("page_drafts.user_id"))} as user, updated_at from page_drafts
            where kind = ${item.kind} and kind = 'page' and item_id = ${item.id}::integer
              and user_id <> ${viewer.id}::integer and updated_at > now() - ${AT_WORK} * interval '1 minute'
            order by updated_at desc`,
        );
        return { draft: draft ?? null, drafts, others };
      },
      {
        permit: "access-api",
        ...endpoint("drafts", "read", {
          about:
            "Shows your draft of a page (kind page), or of a new page in a book or chapter; null where there is none.\n" +
            "slot tells several new pages in one place apart, as page_id does; drafts lists what you have there.\n" +
            "others names who else has worked on the page within the last hour without saving.",
        }),
      },
    );
    app.put(
      "/drafts/:kind/:id",
      async ({ viewer, params, input }) => {
        const item = await itemOf(viewer, params);
        const sent = await validate(draftRules, input, viewer);
        const { name = "", html = "", markdown = "", base_revision = null, kept_at } = sent;
        const key = { user_id: viewer.id, kind: item.kind, item_id: item.id, slot: slotIn(sent.slot) };
        const tags = contracts.tags.read(sent.tags ?? []);
        const prepared = hasDraftPage(item.kind, viewer)
          ? await contracts.markup.prepare(markdown === "" ? { html } : { markdown }, { viewer })
          : undefined;
        await perform(
          "page_draft_save",
          viewer,
          { ...key, name, html, markdown, tags, base_revision, kept_at },
          (final, tx) => {
            const isSame = final.html === html && final.markdown === markdown;
            return keepDraft(contracts.pages, final, tx, isSame ? prepared : undefined);
          },
        );
        const [draft] = await rows(
          db,
          sql`select ${shown} from page_drafts where ${of(item, viewer)} and slot = ${key.slot}`,
        );
        return { draft };
      },
      {
        permit: "access-api",
        ...endpoint("drafts", "save", {
          about:
            "Keeps your draft in place of the one before. A new page becomes a draft page that only you see: page_id, " +
            "which pictures can be uploaded to and which is published by creating a page with that draft_id.\n" +
            "With kept_at, the updated_at of the draft before or none, it is refused with 409 where another window has kept one " +
            "since, or has published or thrown away that of a new page.",
          rules: draftRules,
        }),
      },
    );
    app.delete(
      "/drafts/:kind/:id",
      async ({ viewer, params, asked, set }) => {
        const item = await itemOf(viewer, params);
        await discard(viewer, [{ user_id: viewer.id, kind: item.kind, item_id: item.id, slot: slotIn(asked.slot) }]);
        set.status = 204;
      },
      {
        permit: "access-api",
        ...endpoint("drafts", "delete", {
          about: "Throws your draft away, with its draft page; pictures that were uploaded to it stay in the gallery.",
        }),
      },
    );
    app.post(
      "/drafts/preview",
      async ({ viewer, input }) => {
        const { html, markdown } = await validate(previewRules, input, viewer);
        const content = markdown === undefined ? { html: html ?? "" } : { markdown };
        return { html: await contracts.markup.preview(content, { viewer }) };
      },
      {
        permit: "access-api",
        ...endpoint("drafts", "preview", {
          about:
            "Shows what HTML or Markdown will look like as a page, without saving it. Includes are left as they are.",
          rules: previewRules,
        }),
      },
    );

    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await rows(
          tx.db,
          sql`delete from page_drafts where (kind = ${kind} and item_id = any(${[...ids]}::integer[]))
            or (${kind} = 'page' and page_id = any(${[...ids]}::integer[]))`,
        );
      },
    });
    // A draft page that is published is no draft any more.
    on("page_create", {
      async inTransaction({ id }, tx) {
        await rows(tx.db, sql`delete from page_drafts where page_id = ${id}::integer`);
      },
    });
    on("page_update", {
      async inTransaction(page, tx) {
        if (page.draft) await followPage(page, tx);
      },
    });
    const keys = sql`select user_id, kind, item_id, slot from page_drafts`;
    on("user_delete", {
      async inTransaction({ id }, tx) {
        const own = await rows<DraftKey>(tx.db, sql`${keys} where user_id = ${id}::integer`);
        await discardDrafts(contracts.pages, own, tx);
      },
    });
    every("forget", DAY_MS, async () => {
      const old = await rows<DraftKey>(db, sql`${keys} where updated_at < now() - ${settings.days} * interval '1 day'`);
      // One by one, so that none holds the locks of all.
      for (const draft of old) await discard(SYSTEM, [draft]);
    });
  },
});
