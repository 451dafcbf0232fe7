import type { ContentMaker, ContentRecord } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { BooksContext } from "./_context.ts";
import type { Book, BookDraft } from "./contract.ts";
import { bookUrl } from "./urls.ts";
import { writing } from "./write.ts";

/** Makes books for imports, as if a request had asked for them. */
export function bookMaker(context: BooksContext, records: () => readonly ContentRecord[]): ContentMaker {
  const { insert } = writing(context);
  const { baseUrl, contracts } = context;
  return {
    kind: "book",
    async make({ name, description_html = "", tags }, _parent, tx) {
      const draft: BookDraft = { name, description_html, tags };
      const book = await tx.perform("book_create", draft, (final, inner) => insert(final, inner, true));
      const { tags: _tags, description_html: _html, acl_id, name_key, deleted_at, ...shown } = book;
      return { kind: "book", id: book.id, url: bookUrl(baseUrl, book.slug), shown };
    },
    async refill(id, replace, tx) {
      const [book] = await rows<Book>(tx.db, sql`select * from books where id = ${id}::integer for update`);
      const before = book?.description_html ?? "";
      const described = contracts.markup.describe({ description_html: replace(before) });
      if (!described || described.description_html === before) return undefined;
      await rows(
        tx.db,
        sql`update books set description = ${described.description},
          description_html = ${described.description_html} where id = ${id}::integer`,
      );
      const change = { before, after: described.description_html };
      for (const record of records()) await record.changed({ kind: "book", id }, change, tx);
      return { description: described.description };
    },
  };
}
