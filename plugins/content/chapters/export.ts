import { chapterPath, type ExportEntry, type ExportKind } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { exportEntry } from "../_items/export.ts";
import { itemQueries } from "../_items/queries.ts";
import { CHAPTER, type Chapter, type ChaptersContext } from "./contract.ts";

const ORDER = sql`chapters.priority, chapters.id`;

/** Finds chapters for exports (content-api 15). */
export function chapterExports(context: ChaptersContext): ExportKind {
  const { list } = itemQueries<Chapter>(context, CHAPTER);
  const entries = async (viewer: Viewer, where: RawBuilder<unknown>): Promise<ExportEntry[]> => {
    const chapters = await list(viewer, where, ORDER);
    return chapters.map((chapter) => {
      const url = context.baseUrl + chapterPath({ slug: chapter.book_slug }, chapter);
      const parents = [{ kind: "book", id: chapter.book_id }];
      return exportEntry(context, CHAPTER, chapter, { url, priority: chapter.priority, parents });
    });
  };
  return {
    kind: CHAPTER.kind,
    find: async (viewer, id) => (await entries(viewer, sql`chapters.id = ${id}::integer`))[0],
    within: async (viewer, { kind, id }) =>
      kind === "book" ? entries(viewer, sql`chapters.book_id = ${id}::integer`) : [],
  };
}
