import type { FieldsById } from "lectern/contracts";
import type { Static } from "lectern/core";
import { itemPresenter } from "../_items/presenter.ts";
import { CHAPTER, type Chapter, type ChaptersContext, type chapterAnswers } from "./contract.ts";

/** What answers show of a chapter itself (content-api 7). */
const FIELDS = [
  ...(["id", "book_id", "slug", "name", "description", "priority", "created_at", "updated_at", "created_by"] as const),
  ...(["updated_by", "owned_by", "description_html", "default_template_id", "book_slug", "tags"] as const),
];

/** Shows chapters. A single read has `pages`, which the plugin of pages fills through the slot `response_fields`. */
export function chapterPresenter(context: ChaptersContext) {
  const { slot } = context;
  const { listed, saved, read } = itemPresenter<Chapter, (typeof FIELDS)[number], Static<typeof chapterAnswers.listed>>(
    context,
    CHAPTER,
    FIELDS,
    () => slot("response_fields"),
  );
  return {
    listed,
    saved,
    whole: (chapter: Chapter, fields: Promise<FieldsById>) => read(chapter, { pages: [] }, fields),
  };
}
