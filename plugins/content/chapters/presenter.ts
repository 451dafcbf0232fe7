import type { FieldsById } from "lectern/contracts";
import type { Static, Viewer } from "lectern/core";
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
  const readWhole = (chapter: Chapter, viewer: Viewer, fields?: Promise<FieldsById>) =>
    read(chapter, viewer, { pages: [] }, fields);
  return {
    listed,
    read: readWhole,
    show: (chapter: Chapter, viewer: Viewer, moment: "saved" | "read") =>
      moment === "saved" ? saved(chapter, viewer) : readWhole(chapter, viewer),
  };
}
