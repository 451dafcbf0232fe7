import type { Owned } from "lectern/contracts";
import { definePlugin, denied, itemPermissions, mountResource, notFound, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ChaptersContext } from "./_context.ts";
import { about, examples } from "./about.ts";
import { type BookPlace, createRules, updateRules } from "./contract.ts";
import { chaptersInExports } from "./export.ts";
import { listing } from "./listing.ts";
import { chapterMaker } from "./make.ts";
import { migrations } from "./migrations.ts";
import { entriesOf, showing } from "./show.ts";
import { writing } from "./write.ts";

/**
 * Chapters: parts of a book that hold pages (content-api 7). They are created in a book, may move to another one, and go
 * into the bin with theirs. What happens to the pages in them is the business of pages, which join the events of chapters.
 */
export default definePlugin({
  name: "chapters",
  requires: ["access", "users", "tags", "markup"],
  permissions: { write: ["chapters"], read: ["books", "pages"] },
  migrations,
  events: ["chapter_create", "chapter_update", "chapter_move", "chapter_delete"],
  adds: itemPermissions("chapter"),
  setup(context) {
    const {
      contracts: { access },
      contribute,
      visibilityRule,
      on,
    } = context;
    const placeIn = placing(context);
    visibilityRule("chapters", () => sql`chapters.deleted_at is null`);
    visibilityRule("chapters", access.sees("chapter", "chapters"));
    contribute("searchable", { kind: "chapter", body: sql<string>`chapters.description` });
    contribute("content", {
      kind: "chapter",
      table: "chapters",
      segment: "chapters",
      parents: [{ kind: "book", column: "book_id" }],
      columns: Object.keys(listing.fields),
      path: sql<string>`(select '/books/' || holder.slug || '/chapter/' || chapters.slug from books as holder
        where holder.id = chapters.book_id)`,
      contents: entriesOf(context),
    });
    contribute("export_kind", chaptersInExports(context));
    contribute(
      "content_maker",
      chapterMaker(context, () => context.slot("content_record")),
    );
    on("book_delete", {
      // The same moment as the book's: the bin brings back what went together.
      async inTransaction(book, { db }) {
        await rows(db, sql`update chapters set deleted_at = now() where book_id = ${book.id} and deleted_at is null`);
      },
    });
    // A template that is gone for good is no template any more (content-api 4.7).
    contribute("dependents", {
      kind: "page",
      async destroy(ids, { db }) {
        await rows(
          db,
          sql`update chapters set default_template_id = null where default_template_id = any(${[...ids]}::integer[])`,
        );
      },
    });
    mountResource(
      context,
      {
        name: "chapter",
        noun: "Chapter",
        path: "/chapters",
        create: createRules,
        update: updateRules,
        bodyFirst: true,
        list: { ...listing, reach: access.reach("chapter", "chapters") },
        about,
        examples,
      },
      {
        ...showing(context),
        ...writing(context),
        may: (viewer, verb, chapter) => access.may(viewer, `chapter-${verb}`, chapter),
        async place(viewer, draft) {
          return placeIn(viewer, draft?.book_id ?? 0);
        },
        async arrange(viewer, chapter, { book_id }) {
          if (book_id === undefined || book_id === chapter.book_id) return;
          if (!(await access.may(viewer, "chapter-delete", chapter))) throw denied();
          await placeIn(viewer, book_id);
        },
      },
    );
  },
});

/** Finds a book that shall hold a chapter: 404 unless the viewer sees it, 403 unless they may create chapters there. */
function placing({
  contracts: { access },
  db,
  visible,
}: ChaptersContext): (viewer: Viewer, bookId: number) => Promise<BookPlace> {
  return async (viewer, bookId) => {
    const [book] = await rows<BookPlace & Owned>(
      db,
      sql`
      select books.* from books where books.id = ${bookId} and ${visible.where("books", viewer)}`,
    );
    if (!book) throw notFound("Book");
    await access.need(viewer, "chapter-create", book);
    return { id: book.id, slug: book.slug };
  };
}
