/**
 * Chapters: parts of a book that contain pages (content-api 7). A chapter is created in a book, can be moved to another
 * one, and is deleted with its book. The plugin of pages handles the events of chapters for the pages in them.
 */

import { itemPermissions } from "lectern/contracts";
import { definePlugin, denied, mountResource, sql } from "lectern/core";
import { refs } from "lectern/db";
import { cachedReader, cachedReads } from "../_items/cached.ts";
import { clearedTemplates, templateDependents } from "../_items/default_template.ts";
import { deleteKindsBelow } from "../_items/kinds_below.ts";
import { itemHandlers, itemResource, registerItemKind } from "../_items/resource.ts";
import { insertChapter, lockForUpdate, updateChapter } from "./changes.ts";
import { selectChapters, selectOutline } from "./contents.ts";
import { CHAPTER, chapterAnswers, createRules, listing, updateRules } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { chapterExports } from "./export.ts";
import { chapterMaker } from "./import.ts";
import { migrations } from "./migrations.ts";
import { chapterPresenter } from "./presenter.ts";
import { bookForChapter, chaptersOfBook } from "./queries.ts";
import { chapterOfSlug, chapterReader } from "./reader.ts";

const clearTemplates = clearedTemplates("chapters");

export default definePlugin({
  name: "chapters",
  requires: ["access", "users", "tags", "markup"],
  grants: { write: ["chapters", "books"], read: ["books", "pages", "tags", "users"], contentTables: ["write"] },
  optionalTables: ["tags", "users"],
  migrations,
  events: ["chapter_create", "chapter_update", "chapter_move", "chapter_delete"],
  permissions: itemPermissions("chapter"),
  setup(context) {
    const { access } = context.contracts;
    const [presenter, reader] = [chapterPresenter(context), chapterReader(context)];
    registerItemKind(context, CHAPTER, {
      segment: "chapters",
      labels: { one: "Chapter", many: "Chapters", icon: "chapter" },
      parents: [{ kind: "book", column: "book_id" }],
      path: sql<string>`(select '/books/' || holder.slug || '/chapter/' || ${refs("chapters.slug")} from books as holder
        where holder.id = ${refs("chapters.book_id")})`,
      contents: (viewer, bookId) => chaptersOfBook(context, viewer, bookId),
      selectContents: (book, viewer) => selectChapters(context, book, viewer),
      selectOutline: (book, viewer) => selectOutline(context, book, viewer),
      contentsDependOn: [{ table: "chapters", column: "book_id", shown: true }],
      listing,
    });
    const reads = cachedReads(context, CHAPTER, {
      dependsOn: () => [],
      // The slug of the book, which is also that of the chapter's pages.
      notes: [{ table: "books", column: "id" }],
      async load(viewer, id, note) {
        const chapter = await reader.find(viewer, { id });
        if (chapter) note("books", "id", [chapter.book_id]);
        return chapter;
      },
      shared: () => ({ table: "chapters" }),
    });
    context.contribute("item_reader", cachedReader(CHAPTER, reader, reads, chapterOfSlug(context)));
    context.contribute("export_kind", chapterExports(context));
    context.contribute("content_maker", chapterMaker(context));
    context.contribute("dependents", templateDependents(clearTemplates));
    deleteKindsBelow(context, "chapter");
    context.on("chapter_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockForUpdate({ row, draft }, tx), draft }),
    });
    const resource = itemResource(context, CHAPTER, listing);
    mountResource(
      context,
      {
        ...resource,
        path: "/chapters",
        create: createRules,
        update: updateRules,
        bodyFirst: true,
        answers: chapterAnswers,
        errors: { create: [404] },
        about,
        examples,
      },
      {
        read: reads.read,
        show: presenter.saved,
        ...itemHandlers(context, CHAPTER),
        place: (viewer, draft) => bookForChapter(context, viewer, draft?.book_id ?? 0),
        async arrange(viewer, chapter, { book_id }) {
          if (book_id === undefined || book_id === chapter.book_id) return;
          if (!(await access.may(viewer, "chapter-delete", chapter))) throw denied();
          await bookForChapter(context, viewer, book_id);
        },
        insert: (draft, tx) => insertChapter(context, draft, tx),
        change: (row, draft, tx) => updateChapter(context, { row, draft }, tx),
      },
    );
  },
});
