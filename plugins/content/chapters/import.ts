import { type ContentMaker, chapterPath } from "lectern/contracts";
import { sql } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { describedIn, importedItem, newItems, refillDescription, type SourceParameters } from "../_items/import.ts";
import { insertChapter } from "./changes.ts";
import { CHAPTER, type ChaptersContext } from "./contract.ts";

const sources = prepared("chapters.sources", (db, p: SourceParameters) =>
  db
    .selectFrom("chapters")
    .select(["chapters.id", "chapters.name", "chapters.description", "chapters.description_html"])
    .select(["chapters.default_template_id", p.tags.as("tags")])
    .where("chapters.id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible),
);

/** Creates chapters for imports and copies, with the event and rules of a request. */
export function chapterMaker(context: ChaptersContext): ContentMaker {
  const ownTags = flattened(context.contracts.tags.of(CHAPTER.kind, refs("chapters.id")));
  return {
    kind: CHAPTER.kind,
    async make({ name, default_template_id = null, tags, ...described }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the chapter "${name}": it needs a book`);
      const draft = { name, ...describedIn(described), default_template_id, tags, book_id: parent.id };
      const chapter = await tx.perform("chapter_create", draft, (final, inner) => insertChapter(context, final, inner));
      const url = context.baseUrl + chapterPath({ slug: chapter.book_slug }, chapter);
      return importedItem(CHAPTER, chapter, url);
    },
    refill: refillDescription(context, CHAPTER, () => context.slot("content_record")),
    async read(ids, { db }, viewer) {
      const visible = context.visible.where("chapters", viewer);
      return newItems(await sources.execute(db, { ids, tags: ownTags, visible }));
    },
  };
}
