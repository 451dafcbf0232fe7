import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { ExportContent, ExportEntry, ExportKind, Tag } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, prepared, type Statement, type Tables } from "lectern/db";
import type { PagesContext } from "./contract.ts";
import { renderIncludes } from "./includes.ts";
import { postRendered } from "./presenter.ts";
import { pageUrl } from "./urls.ts";

interface EntryParameters {
  readonly id: number;
  readonly tags: RawBuilder<Tag[]>;
  readonly visible: RawBuilder<boolean>;
}

/** A statement that reads pages for entries. */
const entriesWhere = (
  name: string,
  where: (eb: ExpressionBuilder<Tables, "pages">, id: number) => Expression<SqlBool>,
) =>
  prepared(name, (db, p: EntryParameters) =>
    db
      .selectFrom("pages")
      .innerJoin("books", "books.id", "pages.book_id")
      .select(["pages.id", "pages.name", "pages.slug", "pages.priority", "pages.book_id", "pages.chapter_id"])
      .select(["pages.draft", "books.slug as book_slug", p.tags.as("tags")])
      .where((eb) => where(eb, p.id))
      .where(p.visible)
      .orderBy("pages.priority")
      .orderBy("pages.id"),
  );

const exported = entriesWhere("pages.exported", (eb, id) => eb("pages.id", "=", id));
const exportedWithin = {
  book: entriesWhere("pages.exportedOfBook", (eb, id) =>
    eb.and([eb("pages.book_id", "=", id), eb.not(eb.ref("pages.draft"))]),
  ),
  chapter: entriesWhere("pages.exportedOfChapter", (eb, id) =>
    eb.and([eb("pages.chapter_id", "=", id), eb.not(eb.ref("pages.draft"))]),
  ),
};

/** A page, as it is read for an entry. */
type FoundEntry = typeof exported extends Statement<never, infer Row> ? Row : never;

const exportedContents = prepared(
  "pages.exportedContents",
  (db, p: { ids: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("pages")
      .select(["pages.id", "pages.html", "pages.rendered", "pages.markdown", "pages.revision_count"])
      .select((eb) => [
        "pages.created_at",
        "pages.updated_at",
        eb.selectFrom("users").select("name").whereRef("users.id", "=", "pages.created_by").as("author"),
        eb.selectFrom("users").select("name").whereRef("users.id", "=", "pages.updated_by").as("editor"),
      ])
      .where("pages.id", "=", sql<number>`any(${p.ids}::integer[])`)
      .where(p.visible),
);

/** Finds pages for exports. Drafts are exported on their own, never with their book or chapter (content-api 15.2). */
export function pageExports(context: PagesContext): ExportKind {
  const tags = flattened(context.contracts.tags.of("page", sql.ref("pages.id")));
  const entries = async (statement: typeof exported, viewer: Viewer, id: number): Promise<ExportEntry[]> => {
    const visible = context.visible.where("pages", viewer);
    const found = await statement.execute(context.db, { id, tags, visible });
    return found.map((page) => entryOf(context, page));
  };
  return {
    kind: "page",
    find: async (viewer, id) => (await entries(exported, viewer, id))[0],
    within: async (viewer, { kind, id }) =>
      kind === "book" || kind === "chapter" ? entries(exportedWithin[kind], viewer, id) : [],
    contents: (viewer, ids) => contentsOf(context, viewer, ids),
  };
}

function entryOf(
  { baseUrl }: PagesContext,
  { book_slug, book_id, chapter_id, draft, ...page }: FoundEntry,
): ExportEntry {
  const book = { kind: "book", id: book_id };
  return {
    kind: "page",
    ...page,
    url: pageUrl(baseUrl, book_slug, { id: page.id, slug: page.slug, draft }),
    parents: chapter_id === null ? [book] : [{ kind: "chapter", id: chapter_id }, book],
  };
}

async function contentsOf(
  context: PagesContext,
  viewer: Viewer,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ExportContent>> {
  const visible = context.visible.where("pages", viewer);
  const found = await exportedContents.execute(context.db, { ids: [...ids], visible });
  const contents = new Map<number, ExportContent>();
  for (const page of found) {
    const bare = page.rendered ?? (await renderIncludes(context, page, viewer));
    contents.set(page.id, {
      html: await postRendered(context, page.id, bare),
      bare,
      markdown: page.markdown,
      revision: page.revision_count,
      created_at: page.created_at,
      updated_at: page.updated_at,
      created_by: page.author,
      updated_by: page.editor,
    });
  }
  return contents;
}
