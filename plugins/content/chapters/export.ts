import { chapterPath, type ExportEntry, type ExportKind } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { flattened, prepared } from "lectern/db";
import { exportEntry } from "../_items/export.ts";
import type { ReadParameters } from "../_items/statements.ts";
import { CHAPTER, type ChaptersContext, selectChapters } from "./contract.ts";

/** A statement that reads chapters with their tags. */
const chaptersBy = (name: string, column: "chapters.id" | "chapters.book_id") =>
  prepared(name, (db, p: ReadParameters) =>
    selectChapters(db)
      .select(p.tags.as("tags"))
      .where(column, "=", p.id)
      .where(p.visible)
      .orderBy("chapters.priority")
      .orderBy("chapters.id"),
  );
const exported = chaptersBy("chapters.exported", "chapters.id");
const exportedOfBook = chaptersBy("chapters.exportedOfBook", "chapters.book_id");

/** Finds chapters for exports (content-api 15). */
export function chapterExports(context: ChaptersContext): ExportKind {
  const tags = flattened(context.contracts.tags.of(CHAPTER.kind, sql.ref("chapters.id")));
  const entries = async (statement: typeof exported, viewer: Viewer, id: number): Promise<ExportEntry[]> => {
    const chapters = await statement.execute(context.db, {
      id,
      tags,
      visible: context.visible.where("chapters", viewer),
    });
    return chapters.map((chapter) => {
      const url = context.baseUrl + chapterPath({ slug: chapter.book_slug }, chapter);
      const parents = [{ kind: "book", id: chapter.book_id }];
      return exportEntry(context, CHAPTER, chapter, { url, priority: chapter.priority, parents });
    });
  };
  return {
    kind: CHAPTER.kind,
    find: async (viewer, id) => (await entries(exported, viewer, id))[0],
    within: async (viewer, { kind, id }) => (kind === "book" ? entries(exportedOfBook, viewer, id) : []),
  };
}
