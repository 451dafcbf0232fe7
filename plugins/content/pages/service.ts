import type { Pages } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { PageRow, PagesContext } from "./contract.ts";
import { discardDraftPages, saveDraftPage } from "./draft_pages.ts";
import { writeWithRevision } from "./revisions.ts";

/** The contract `pages`. */
export function pagesService(context: PagesContext): Pages {
  return {
    keepDraft: (draft, tx) => saveDraftPage(context, draft, tx),
    discardDrafts: (ids, tx) => discardDraftPages(context, ids, tx),
    async rewrite(id, { html, markdown }, summary, tx) {
      // The new content has includes exactly where the old one has, and a page with includes stores no rendered HTML.
      const [page] = await rows<{ is_rendered: boolean }>(
        tx.db,
        sql`select rendered is not null as is_rendered from pages where id = ${id}::integer`,
      );
      if (!page) return;
      const { markup } = context.contracts;
      const rendered = page.is_rendered ? await markup.filtered(html, { viewer: tx.viewer }) : null;
      await writeWithRevision(
        context,
        sql<PageRow>`update pages set html = ${html}, markdown = ${markdown}, rendered = ${rendered},
        revision_count = revision_count + 1, updated_at = clock_timestamp() where id = ${id}::integer returning *`,
        summary,
        tx,
      );
    },
  };
}
