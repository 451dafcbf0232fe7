import type { Dependents, Pages } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { PageRow } from "./contract.ts";
import { discardDrafts, keepDraft } from "./drafts.ts";
import type { Parts } from "./parts.ts";
import { writeWithRevision } from "./revisions.ts";

/** The contract `pages`. */
export function pagesContract(parts: Parts, dependents: () => readonly Dependents[]): Pages {
  return {
    keepDraft: (draft, tx) => keepDraft(parts, draft, tx),
    discardDrafts: (ids, tx) => discardDrafts(dependents(), ids, tx),
    async rewrite(id, { html, markdown }, summary, tx) {
      // Whether there are includes does not change, and with them nothing may be rendered ahead.
      const [page] = await rows<{ plain: boolean }>(
        tx.db,
        sql`select rendered is not null as plain from pages where id = ${id}::integer`,
      );
      if (!page) return;
      const rendered = page.plain ? await parts.contracts.markup.filtered(html, { viewer: tx.viewer }) : null;
      await writeWithRevision(
        parts,
        sql<PageRow>`update pages set html = ${html}, markdown = ${markdown}, rendered = ${rendered},
        revision_count = revision_count + 1, updated_at = clock_timestamp() where id = ${id}::integer returning *`,
        summary,
        tx,
      );
    },
  };
}
