/**
 * What is done with revisions beside reading them: a page goes back to one, or one is deleted. Going back is a change of
 * the page, so everything that takes part in changes takes part in it; the log tells of it as `page_restore` and
 * `revision_restore`, as the original does. The newest revision is what the page is now, and stays.
 */
import { type Activity, type ActivitySource, activityOf, withResponseFields } from "lectern/contracts";
import { ApiError, endpoint, idOf, notFound, type PluginContext, rules, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { FoundPage, KeptRevision, PageRow } from "./contract.ts";
import { lockPage, pageFinder } from "./find.ts";
import type { Parts } from "./parts.ts";
import { changePage } from "./save.ts";
import { shownPage } from "./show.ts";

const PERMIT = "revision-view-all";
const NEWEST = new ApiError(409, "Cannot delete the latest revision.");

const about = {
  restore:
    "Makes a page what it was in a revision: its name and content, as a change that leaves a revision of its own. " +
    "Asks for the right to update the page.",
  delete: "Deletes a revision of a page, but not the latest one. Asks for the right to delete the page.",
} as const;

/** Mounts the two routes. */
export function mountRestore({ app, perform, slot }: Pick<PluginContext, "app" | "perform" | "slot">, parts: Parts) {
  const { access } = parts.contracts;
  const pages = pageFinder(parts);
  const found = async (viewer: Viewer, params: { id: string; revisionId: string }) => {
    const page = await pages.seen(viewer, idOf(params.id, "Page"));
    if (!page) throw notFound("Page");
    return { page, revision: await revisionOf(parts, page, idOf(params.revisionId, "Revision")) };
  };
  app.post(
    "/pages/:id/revisions/:revisionId/restore",
    async ({ viewer, params }) => {
      const { page, revision } = await found(viewer, params);
      await access.need(viewer, "page-update", page);
      const { name, markdown, html } = revision;
      const draft = { name, ...(markdown === "" ? { html } : { markdown }) };
      // What takes part first is the lock, which reads the page as it is stored.
      const change = { row: page as PageRow & FoundPage, draft, restored: revision };
      const { id } = await perform("page_update", viewer, change, (final, tx) => changePage(parts, final, tx));
      const shown = await shownPage(parts, await pages.written(id), viewer);
      return (await withResponseFields(slot("response_fields"), "page", "saved", [shown], viewer))[0];
    },
    { permit: PERMIT, ...endpoint("pages", "restoreRevision", { about: about.restore, rules: rules({}) }) },
  );
  app.delete(
    "/pages/:id/revisions/:revisionId",
    async ({ viewer, params, set }) => {
      const { page, revision } = await found(viewer, params);
      await access.need(viewer, "page-delete", page);
      await perform("revision_delete", viewer, revision, async (final, tx) => {
        await lockPage(final.page_id, tx);
        const gone = await rows(
          tx.db,
          sql`delete from page_revisions where id = ${final.id}::integer and id < (
            select max(id) from page_revisions where page_id = ${final.page_id}::integer) returning id`,
        );
        if (gone.length === 0) throw NEWEST;
        return final;
      });
      set.status = 204;
    },
    { permit: PERMIT, ...endpoint("pages", "deleteRevision", { about: about.delete }) },
  );
}

/** What the log tells of revisions, in place of the row that a change of a page leaves by itself. */
export const ACTIVITIES: readonly ActivitySource[] = [
  {
    ...activityOf("page_update", ({ draft: { restored }, result }) =>
      restored
        ? [
            { type: "page_restore", item: { kind: "page", id: result.id, row: { ...result } } },
            toldOf("revision_restore", restored, result.slug),
          ]
        : [],
    ),
    types: ["page_restore", "revision_restore"],
    instead: true,
  },
  activityOf("revision_delete", ({ result }) => [toldOf("revision_delete", result, result.page_slug)]),
];

async function revisionOf({ db }: Parts, page: FoundPage, id: number): Promise<KeptRevision> {
  const [revision] = await rows<KeptRevision>(
    db,
    sql`select page_revisions.*, ${page.slug} as page_slug,
        (select slug from books where id = ${page.book_id}::integer) as present_book_slug
      from page_revisions where id = ${id}::integer and page_id = ${page.id}::integer`,
  );
  if (!revision) throw notFound("Revision");
  return revision;
}

function toldOf(type: string, revision: KeptRevision, pageSlug: string): Activity {
  const { id, page_id, number, name, slug, book_slug, summary, created_by, created_at } = revision;
  const facts = { id, page_id, name, slug, book_slug, type: "version", summary, revision_number: number };
  return {
    type,
    detail: `Revision #${number} (ID: ${id}) for page ID ${page_id}`,
    related: { ...facts, created_by, created_at, updated_at: created_at },
    path: `/books/${revision.present_book_slug}/page/${pageSlug}/revisions/${id}`,
    subject: `page ${page_id}`,
  };
}
