/**
 * Drafts: what somebody types into an editor, kept on the server while they type, so that neither a closed window nor a
 * conflict loses it. A draft is its author's alone; others learn only that somebody is at work. Ours: the original keeps
 * such drafts for its own editor and shows none over its API.
 */
import { definePlugin, endpoint, idOf, notFound, type Owned, sql, t, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { draftRules, type PageDraft, previewRules } from "./contract.ts";
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
  requires: ["access", "markup", "tags", "users"],
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
  setup(context) {
    const { app, contracts, contribute, every, on, settings, valid, visible } = context;
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
    const shown = sql`slot, name, html, markdown, tags, base_revision, updated_at`;

    app.get(
      "/drafts/:kind/:id",
      async ({ viewer, params, asked }) => {
        const item = await itemOf(viewer, params);
        const own = await rows<PageDraft>(
          db,
          sql`select ${shown} from page_drafts where ${of(item, viewer)} order by updated_at desc limit ${MOST}`,
        );
        const slot = slotIn(asked.slot);
        const draft = own.find((one) => one.slot === slot);
        const drafts = own.map(({ slot: name, name: title, updated_at }) => ({ slot: name, name: title, updated_at }));
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
            "slot tells several new pages in one place apart; drafts lists what you have there.\n" +
            "others names who else has worked on the page within the last hour without saving.",
        }),
      },
    );
    app.put(
      "/drafts/:kind/:id",
      async ({ viewer, params, input }) => {
        const item = await itemOf(viewer, params);
        const sent = await valid(draftRules, input, viewer);
        const { name = "", html = "", markdown = "", base_revision = null } = sent;
        const tags = JSON.stringify(contracts.tags.read(sent.tags ?? []));
        const [draft] = await rows(
          db,
          sql`insert into page_drafts (user_id, kind, item_id, slot, name, html, markdown, tags, base_revision)
            values (${viewer.id}, ${item.kind}, ${item.id}, ${slotIn(sent.slot)}, ${name}, ${html}, ${markdown},
              ${tags}::text::jsonb, ${base_revision})
            on conflict (kind, item_id, user_id, slot) do update set name = excluded.name, html = excluded.html,
              markdown = excluded.markdown, tags = excluded.tags, base_revision = excluded.base_revision,
              updated_at = clock_timestamp()
            returning ${shown}`,
        );
        return { draft };
      },
      {
        permit: "access-api",
        ...endpoint("drafts", "save", { about: "Keeps your draft in place of the one before.", rules: draftRules }),
      },
    );
    app.delete(
      "/drafts/:kind/:id",
      async ({ viewer, params, asked, set }) => {
        const item = await itemOf(viewer, params);
        await rows(db, sql`delete from page_drafts where ${of(item, viewer)} and slot = ${slotIn(asked.slot)}`);
        set.status = 204;
      },
      { permit: "access-api", ...endpoint("drafts", "delete", { about: "Throws your draft away." }) },
    );
    app.post(
      "/drafts/preview",
      async ({ viewer, input }) => {
        const { html, markdown } = await valid(previewRules, input, viewer);
        const stored = await contracts.markup.store(markdown === undefined ? { html: html ?? "" } : { markdown }, {
          // Pictures within the text are shown as they are; they are kept when it is saved.
          saveImage: async ({ bytes, extension }) =>
            `data:image/${extension};base64,${Buffer.from(bytes).toString("base64")}`,
        });
        return { html: stored.rendered ?? contracts.markup.safe(stored.html) };
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

    contribute("hanging", {
      async destroy(ids, work, kind) {
        await rows(
          work.db,
          sql`delete from page_drafts where kind = ${kind} and item_id = any(${[...ids]}::integer[])`,
        );
      },
    });
    on("user_delete", {
      async join({ id }, work) {
        await rows(work.db, sql`delete from page_drafts where user_id = ${id}::integer`);
      },
    });
    every("forget", DAY_MS, async () => {
      await rows(db, sql`delete from page_drafts where updated_at < now() - ${settings.days} * interval '1 day'`);
    });
  },
});
