import type { ContentMaker, ContentRecord } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { ChaptersContext } from "./_context.ts";
import type { Chapter, ChapterDraft } from "./contract.ts";
import { chapterUrl } from "./urls.ts";
import { writing } from "./write.ts";

/** Makes chapters for imports, as if a request had asked for them. */
export function chapterMaker(context: ChaptersContext, records: () => readonly ContentRecord[]): ContentMaker {
  const { insert } = writing(context);
  const { baseUrl, contracts } = context;
  return {
    kind: "chapter",
    async make({ name, description_html = "", tags }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the chapter "${name}": it needs a book`);
      const draft: ChapterDraft = { name, description_html, tags, book_id: parent.id };
      const chapter = await tx.perform("chapter_create", draft, (final, inner) =>
        insert(final, inner, { id: final.book_id, slug: "" }),
      );
      const { tags: _tags, description_html: _html, book_slug, acl_id, name_key, deleted_at, ...shown } = chapter;
      return { kind: "chapter", id: chapter.id, url: chapterUrl(baseUrl, book_slug, chapter.slug), shown };
    },
    async refill(id, replace, tx) {
      const [chapter] = await rows<Chapter>(tx.db, sql`select * from chapters where id = ${id}::integer for update`);
      const before = chapter?.description_html ?? "";
      const described = contracts.markup.describe({ description_html: replace(before) });
      if (!described || described.description_html === before) return undefined;
      await rows(
        tx.db,
        sql`update chapters set description = ${described.description},
          description_html = ${described.description_html} where id = ${id}::integer`,
      );
      const change = { before, after: described.description_html };
      for (const record of records()) await record.changed({ kind: "chapter", id }, change, tx);
      return { description: described.description };
    },
  };
}
