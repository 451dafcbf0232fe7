import type { ContentMaker } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { insertPage } from "./changes.ts";
import type { PageCreate, PagesContext } from "./contract.ts";
import { type NamedParent, parentIn } from "./parents.ts";
import { lockPage } from "./queries.ts";
import { pageUrl } from "./urls.ts";

/** Creates pages for imports, with the event and rules of a request. */
export function pageMaker(context: PagesContext): ContentMaker {
  return {
    kind: "page",
    async make({ name, html = "", markdown = "", tags }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the page "${name}": it needs a book or chapter`);
      const place = parent.kind === "chapter" ? { chapter_id: parent.id } : { book_id: parent.id };
      const draft: PageCreate = { name, tags, ...place, ...(markdown === "" ? { html } : { markdown }) };
      const page = await tx.perform("page_create", draft, (final, inner) =>
        insertPage(context, final, parentIn(final) as NamedParent, inner),
      );
      const [book] = await rows<{ slug: string }>(tx.db, sql`select slug from books where id = ${page.book_id}`);
      const { html: _html, markdown: _markdown, text, rendered, acl_id, name_key, deleted_at, ...shown } = page;
      return { kind: "page", id: page.id, url: pageUrl(context.baseUrl, book?.slug ?? "", page), shown };
    },
    async refill(id, replace, tx) {
      const page = await lockPage(id, tx);
      const source = page.markdown === "" ? page.html : page.markdown;
      const filled = replace(source);
      if (filled === source) return undefined;
      const stored = await context.contracts.markup.store(
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
      for (const record of context.slot("content_record"))
        await record.changed({ kind: "page", id }, { before: page.html, after: html }, tx);
      return undefined;
    },
  };
}
