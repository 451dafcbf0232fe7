import type { ContentMaker } from "lectern/contracts";
import { sql } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { newItems, type SourceParameters } from "../_items/import.ts";
import { insertPage } from "./changes.ts";
import type { PageCreate, PagesContext } from "./contract.ts";
import { type NamedParent, parentIn } from "./parents.ts";
import { lockPage } from "./queries.ts";
import { pageUrl } from "./urls.ts";

const slugOfBook = prepared("pages.slugOfBook", (db, p: { id: number }) =>
  db.selectFrom("books").select("slug").where("id", "=", p.id),
);

const refill = prepared(
  "pages.refill",
  (db, p: { id: number; html: string; markdown: string; text: string; rendered: string | null }) =>
    db
      .with("kept", (query) =>
        query
          .updateTable("page_revisions")
          .set({ html: p.html, markdown: p.markdown, text: p.text })
          .where("page_id", "=", p.id),
      )
      .updateTable("pages")
      .set({ html: p.html, markdown: p.markdown, text: p.text, rendered: p.rendered })
      .where("id", "=", p.id),
);

const sources = prepared("pages.sources", (db, p: SourceParameters) =>
  db
    .selectFrom("pages")
    .select(["pages.id", "pages.name", "pages.html", "pages.markdown", p.tags.as("tags")])
    .where("pages.id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible),
);

/** Creates pages for imports and copies, with the event and rules of a request. */
export function pageMaker(context: PagesContext): ContentMaker {
  const ownTags = flattened(context.contracts.tags.of("page", refs("pages.id")));
  return {
    kind: "page",
    async make({ name, html = "", markdown = "", tags }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the page "${name}": it needs a book or chapter`);
      const place = parent.kind === "chapter" ? { chapter_id: parent.id } : { book_id: parent.id };
      const draft: PageCreate = { name, tags, ...place, ...(markdown === "" ? { html } : { markdown }) };
      const page = await tx.perform("page_create", draft, (final, inner) =>
        insertPage(context, final, parentIn(final) as NamedParent, inner),
      );
      const book = await slugOfBook.executeTakeFirst(tx.db, { id: page.book_id });
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
      const { html, markdown, text, rendered } = stored;
      await refill.execute(tx.db, { id, html, markdown, text, rendered });
      for (const record of context.slot("content_record"))
        await record.changed({ kind: "page", id }, { before: page.html, after: html }, tx);
      return undefined;
    },
    async read(ids, { db }, viewer) {
      return newItems(
        await sources.execute(db, { ids, tags: ownTags, visible: context.visible.where("pages", viewer) }),
      );
    },
  };
}
