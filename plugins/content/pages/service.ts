import type { Pages } from "lectern/contracts";
import { prepared } from "lectern/db";
import type { PagesContext } from "./contract.ts";
import { discardDraftPages, saveDraftPage } from "./draft_pages.ts";
import { deleteOlderRevisions, type RevisionParameters, revisionBy, withRevision } from "./revisions.ts";

const isRendered = prepared("pages.isRendered", (db, p: { id: number }) =>
  db
    .selectFrom("pages")
    .select((eb) => eb("rendered", "is not", null).as("is_rendered"))
    .where("id", "=", p.id),
);

const rewrite = prepared(
  "pages.rewrite",
  (db, p: { id: number; html: string; markdown: string; rendered: string | null } & RevisionParameters) =>
    withRevision(
      db,
      db
        .updateTable("pages")
        .set((eb) => ({
          html: p.html,
          markdown: p.markdown,
          rendered: p.rendered,
          revision_count: eb("revision_count", "+", eb.lit(1)),
          updated_at: eb.fn<string>("clock_timestamp"),
        }))
        .where("id", "=", p.id)
        .returningAll(),
      p,
    ),
);

/** The contract `pages`. */
export function pagesService(context: PagesContext): Pages {
  return {
    keepDraft: (draft, tx) => saveDraftPage(context, draft, tx),
    discardDrafts: (ids, tx) => discardDraftPages(context, ids, tx),
    async rewrite(id, { html, markdown }, summary, tx) {
      // The new content has includes exactly where the old one has, and a page with includes stores no rendered HTML.
      const page = await isRendered.executeTakeFirst(tx.db, { id });
      if (!page) return;
      const { markup } = context.contracts;
      const rendered = page.is_rendered ? await markup.filtered(html, { viewer: tx.viewer }) : null;
      const written = await rewrite.executeTakeFirst(tx.db, {
        ...{ id, html, markdown, rendered },
        ...revisionBy(tx, summary),
      });
      if (written) await deleteOlderRevisions(context, written, tx);
    },
  };
}
