import type { ContentMaker, ContentRecord } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { lockPage } from "./find.ts";
import { type NamedParent, parentIn } from "./parents.ts";
import type { Parts } from "./parts.ts";
import type { PageCreate } from "./rules.ts";
import { insertPage } from "./save.ts";
import { pageUrl } from "./urls.ts";

/** Makes pages for imports, as if a request had asked for them. */
export function pageMaker(parts: Parts, records: () => readonly ContentRecord[]): ContentMaker {
  return {
    kind: "page",
    async make({ name, html = "", markdown = "", tags }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the page "${name}": it needs a book or chapter`);
      const place = parent.kind === "chapter" ? { chapter_id: parent.id } : { book_id: parent.id };
      const draft: PageCreate = { name, tags, ...place, ...(markdown === "" ? { html } : { markdown }) };
      const page = await tx.perform("page_create", draft, (final, inner) =>
        insertPage(parts, final, parentIn(final) as NamedParent, inner),
      );
      const [book] = await rows<{ slug: string }>(tx.db, sql`select slug from books where id = ${page.book_id}`);
      const { html: _html, markdown: _markdown, text, rendered, acl_id, name_key, deleted_at, ...shown } = page;
      return { kind: "page", id: page.id, url: pageUrl(parts.baseUrl, book?.slug ?? "", page), shown };
    },
    async refill(id, replace, tx) {
      const page = await lockPage(id, tx);
      const source = page.markdown === "" ? page.html : page.markdown;
      const filled = replace(source);
      if (filled === source) return undefined;
      const stored = await parts.contracts.markup.store(
        page.markdown === "" ? { html: filled } : { markdown: filled },
        { viewer: tx.viewer },
      );
      const { html, markdown, text } = stored;
      await rows(
        tx.db,
        sql`with kept as (update page_revisions set html = ${html}, markdown = ${markdown}, text = ${text}
            where page_id = ${id}::integer)
          update pages set html = ${html}, markdown = ${markdown}, text = ${text}, rendered = ${stored.rendered}
          where id = ${id}::integer`,
      );
      for (const record of records())
        await record.changed({ kind: "page", id }, { before: page.html, after: html }, tx);
      return undefined;
    },
  };
}
