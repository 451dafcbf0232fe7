/**
 * The routes of revisions: listing, reading, comparing, restoring, deleting. They are additions to BookStack's API, which has
 * revisions on its screens only. A viewer who sees a page and has the permission "revision-view-all" sees its revisions. A
 * restore is a `page_update`, so every handler of changes takes part in it. The newest revision is the present state of
 * the page and cannot be deleted.
 */
import { type UserRef, withResponseFields } from "lectern/contracts";
import {
  ApiError,
  endpoint,
  idOf,
  type ListSpec,
  listingSchema,
  noContent,
  notFound,
  type RawBuilder,
  rules,
  type Static,
  sql,
  type Viewer,
} from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { updatePage } from "./changes.ts";
import {
  comparisonRules,
  type FoundPage,
  type KeptRevision,
  type PageRow,
  type PagesContext,
  pageAnswers,
  revisionComparisonSchema,
  revisionListItemSchema,
  revisionSchema,
} from "./contract.ts";
import { revisionAbout, revisionExamples } from "./docs.ts";
import { renderIncludes } from "./includes.ts";
import { presentPage } from "./presenter.ts";
import { lockPage, pageFinder } from "./queries.ts";
import { compareRevisions } from "./revision_comparison.ts";

const FIELDS: ListSpec["fields"] = {
  id: "integer",
  number: "integer",
  name: "text",
  summary: "text",
  created_by: { type: "integer", nullable: true },
  created_at: "timestamp",
};

const PERMIT = "revision-view-all";
const NEWEST = new ApiError(409, "Cannot delete the latest revision.");

const isVisible = prepared("pages.isVisible", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("pages").where("pages.id", "=", p.id).where(p.visible),
);

const LISTED_COLUMNS = [
  ...(["page_revisions.id", "page_revisions.page_id", "page_revisions.number", "page_revisions.name"] as const),
  ...(["page_revisions.summary", "page_revisions.created_at"] as const),
] as const;

const findShown = prepared(
  "pages.findRevision",
  (db, p: { id: number; pageId: number; createdBy: RawBuilder<UserRef | null> }) =>
    db
      .selectFrom("page_revisions")
      .select(LISTED_COLUMNS)
      .select([p.createdBy.as("created_by"), "page_revisions.html", "page_revisions.markdown", "page_revisions.text"])
      .where("page_revisions.id", "=", p.id)
      .where("page_revisions.page_id", "=", p.pageId),
);

const findKept = prepared(
  "pages.findKeptRevision",
  (db, p: { id: number; pageId: number; pageSlug: string; bookId: number }) =>
    db
      .selectFrom("page_revisions")
      .selectAll("page_revisions")
      .select((eb) => [
        sql<string>`${p.pageSlug}::text`.as("page_slug"),
        eb.selectFrom("books").select("slug").where("id", "=", p.bookId).as("present_book_slug"),
      ])
      .where("id", "=", p.id)
      .where("page_id", "=", p.pageId)
      .$narrowType<{ present_book_slug: string }>(),
);

// The newest revision is the present state of the page.
const deleteUnlessNewest = prepared("pages.deleteRevision", (db, p: { id: number; pageId: number }) =>
  db
    .deleteFrom("page_revisions")
    .where("id", "=", p.id)
    .where("id", "<", (eb) =>
      eb
        .selectFrom("page_revisions")
        .select(({ fn }) => fn.max("id").as("newest"))
        .where("page_id", "=", p.pageId),
    )
    .returning("number"),
);

// A text that was made from the deleted one must not be merged as if it had been made from the one before.
const endBefore = prepared("pages.endRevisionBefore", (db, p: { pageId: number; number: number }) =>
  db
    .updateTable("page_revisions")
    .set({ until_number: sql<number>`${p.number}::integer - 1` })
    .where("until_number", "is", null)
    .where("id", "=", (eb) =>
      eb
        .selectFrom("page_revisions")
        .select(({ fn }) => fn.max("id").as("before"))
        .where("page_id", "=", p.pageId)
        .where("number", "<", p.number),
    ),
);

const newestOf = prepared("pages.newestRevision", (db, p: { pageId: number }) =>
  db.selectFrom("page_revisions").select("id").where("page_id", "=", p.pageId).orderBy("id", "desc").limit(1),
);

/** Mounts the listing, the single read and the comparison of revisions. */
export function mountRevisionReads(context: PagesContext): void {
  const { app, contracts, db, list, validate, visible } = context;
  const createdBy = flattened(contracts.users.ref(refs("page_revisions.created_by")));
  const columns = sql`${refs(...LISTED_COLUMNS)}, ${createdBy} as created_by`;

  async function visiblePageId(viewer: Viewer, param: string): Promise<number> {
    const id = idOf(param, "Page");
    if (!(await isVisible.executeTakeFirst(db, { id, visible: visible.where("pages", viewer) })))
      throw notFound("Page");
    return id;
  }

  async function shownRevision(viewer: Viewer, pageId: number, id: number) {
    const found = await findShown.executeTakeFirst(db, { id, pageId, createdBy });
    if (!found) throw notFound("Revision");
    const { html, markdown, text, ...revision } = found;
    return {
      revision,
      raw_html: html,
      markdown,
      text,
      html: await renderIncludes(context, { id: pageId, html }, viewer),
    };
  }

  app.get(
    "/pages/:id/revisions",
    async ({ viewer, params, nestedQuery }) => {
      const where = sql<boolean>`page_revisions.page_id = ${await visiblePageId(viewer, params.id)}::integer`;
      const spec = { table: "page_revisions", fields: FIELDS, columns, where } as const;
      return list<Static<typeof revisionListItemSchema>>(spec, viewer, nestedQuery);
    },
    {
      permit: PERMIT,
      response: listingSchema(revisionListItemSchema),
      ...endpoint("pages", "revisions", { about: revisionAbout.list, example: revisionExamples.list }),
    },
  );
  app.get(
    "/pages/:id/revisions/:revisionId",
    async ({ viewer, params }) => {
      const pageId = await visiblePageId(viewer, params.id);
      const { revision, ...content } = await shownRevision(viewer, pageId, idOf(params.revisionId, "Revision"));
      return { ...revision, ...content };
    },
    {
      permit: PERMIT,
      response: revisionSchema,
      ...endpoint("pages", "revision", { about: revisionAbout.read, example: revisionExamples.read }),
    },
  );
  app.get(
    "/pages/:id/revisions/:revisionId/compare",
    async ({ viewer, params, nestedQuery }) => {
      const pageId = await visiblePageId(viewer, params.id);
      const { to } = await validate(comparisonRules, nestedQuery, viewer);
      const later = to === undefined ? (await newestOf.executeTakeFirst(db, { pageId }))?.id : Number(to);
      const [before, after] = await Promise.all([
        shownRevision(viewer, pageId, idOf(params.revisionId, "Revision")),
        shownRevision(viewer, pageId, later ?? 0),
      ]);
      return compareRevisions(contracts.markup, before, after, viewer);
    },
    {
      permit: PERMIT,
      response: revisionComparisonSchema,
      ...endpoint("pages", "compareRevisions", {
        about: revisionAbout.compare,
        query: comparisonRules,
        example: revisionExamples.compare,
      }),
    },
  );
}

/** Mounts the routes that restore and delete a revision. */
export function mountRevisionChanges(context: PagesContext): void {
  const { app, contracts, perform, slot } = context;
  const { access } = contracts;
  const pages = pageFinder(context);
  const find = async (viewer: Viewer, params: { id: string; revisionId: string }) => {
    const page = await pages.visible(viewer, idOf(params.id, "Page"));
    if (!page) throw notFound("Page");
    return { page, revision: await findRevision(context, page, idOf(params.revisionId, "Revision")) };
  };
  app.post(
    "/pages/:id/revisions/:revisionId/restore",
    async ({ viewer, params }) => {
      const { page, revision } = await find(viewer, params);
      await access.need(viewer, "page-update", page);
      const { name, markdown, html } = revision;
      const draft = { name, ...(markdown === "" ? { html } : { markdown }) };
      // The filter of this plugin replaces the row by the locked one, which has all columns.
      const change = { row: page as PageRow & FoundPage, draft, restored: revision };
      const { id } = await perform("page_update", viewer, change, (final, tx) => updatePage(context, final, tx));
      const shown = await presentPage(context, await pages.written(id), viewer);
      const [saved = shown] = await withResponseFields(slot("response_fields"), "page", "saved", [shown], viewer);
      return saved;
    },
    {
      permit: PERMIT,
      response: pageAnswers.saved,
      ...endpoint("pages", "restoreRevision", { about: revisionAbout.restore, rules: rules({}), errors: [409] }),
    },
  );
  app.delete(
    "/pages/:id/revisions/:revisionId",
    async ({ viewer, params, set }) => {
      const { page, revision } = await find(viewer, params);
      await access.need(viewer, "page-delete", page);
      await perform("revision_delete", viewer, revision, async (final, tx) => {
        await lockPage(final.page_id, tx);
        const [deleted] = await deleteUnlessNewest.execute(tx.db, { id: final.id, pageId: final.page_id });
        if (!deleted) throw NEWEST;
        await endBefore.write(tx.db, { pageId: final.page_id, number: deleted.number });
        return final;
      });
      set.status = 204;
    },
    {
      permit: PERMIT,
      response: noContent,
      ...endpoint("pages", "deleteRevision", { about: revisionAbout.delete, errors: [409] }),
    },
  );
}

async function findRevision({ db }: PagesContext, page: FoundPage, id: number): Promise<KeptRevision> {
  const revision = await findKept.executeTakeFirst(db, {
    ...{ id, pageId: page.id },
    ...{ pageSlug: page.slug, bookId: page.book_id },
  });
  if (!revision) throw notFound("Revision");
  return revision;
}
