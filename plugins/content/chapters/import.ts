import { type ContentMaker, chapterPath } from "lectern/contracts";
import { importedItem, refillDescription } from "../_items/import.ts";
import { insertChapter } from "./changes.ts";
import { CHAPTER, type ChaptersContext } from "./contract.ts";

/** Creates chapters for imports, with the event and rules of a request. */
export function chapterMaker(context: ChaptersContext): ContentMaker {
  return {
    kind: CHAPTER.kind,
    async make({ name, description_html = "", tags }, parent, tx) {
      if (!parent) throw new Error(`Cannot make the chapter "${name}": it needs a book`);
      const draft = { name, description_html, tags, book_id: parent.id };
      const chapter = await tx.perform("chapter_create", draft, (final, inner) => insertChapter(context, final, inner));
      const url = context.baseUrl + chapterPath({ slug: chapter.book_slug }, chapter);
      return importedItem(CHAPTER, chapter, url);
    },
    refill: refillDescription(context, CHAPTER, () => context.slot("content_record")),
  };
}
