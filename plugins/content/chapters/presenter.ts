import type { FieldsById } from "lectern/contracts";
import { itemPresenter } from "../_items/presenter.ts";
import { CHAPTER, type Chapter, type ChaptersContext } from "./contract.ts";

/** What answers show of a chapter itself (content-api 7). */
const FIELDS = [
  ...(["id", "book_id", "slug", "name", "description", "priority", "created_at", "updated_at", "created_by"] as const),
  ...(["updated_by", "owned_by", "description_html", "default_template_id", "book_slug", "tags"] as const),
];

/** Shows chapters. A single read has `pages`, which the plugin of pages fills through the slot `response_fields`. */
export function chapterPresenter(context: ChaptersContext) {
  const { slot } = context;
  const { saved, read } = itemPresenter<Chapter, (typeof FIELDS)[number]>(context, CHAPTER, FIELDS, () =>
    slot("response_fields"),
  );
  return {
    saved,
    whole: (chapter: Chapter, fields: Promise<FieldsById>) => read(chapter, { pages: [] }, fields),
  };
}
