import type { Pages } from "lectern/core";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { PageRow } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { writeWithRevision } from "./revisions.ts";

/** The contract `pages`. */
export function pagesContract(parts: Parts): Pages {
  return {
    async rewrite(id, { html, markdown }, summary, work) {
      // Whether there are includes does not change, and with them nothing may be rendered ahead.
      const [page] = await rows<{ plain: boolean }>(
        work.db,
        sql`select rendered is not null as plain from pages where id = ${id}::integer`,
      );
      if (!page) return;
      const rendered = page.plain ? parts.contracts.markup.safe(html) : null;
      await writeWithRevision(
        parts,
        sql<PageRow>`update pages set html = ${html}, markdown = ${markdown}, rendered = ${rendered},
        revision_count = revision_count + 1, updated_at = clock_timestamp() where id = ${id}::integer returning *`,
        summary,
        work,
      );
    },
  };
}
