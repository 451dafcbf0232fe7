import type { ExportContent, ExportEntry, ExportKind } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { PageRow, PagesContext } from "./contract.ts";
import { renderIncludes } from "./includes.ts";
import { postRendered } from "./presenter.ts";
import { pageUrl } from "./urls.ts";

/** A page, as it is read for an entry. */
type FoundEntry = Pick<PageRow, "id" | "name" | "slug" | "priority" | "book_id" | "chapter_id" | "draft"> & {
  readonly book_slug: string;
  readonly tags: ExportEntry["tags"];
};

/** A page, as it is read for its content; author and editor are names of users. */
type FoundContent = Pick<
  PageRow,
  "id" | "html" | "rendered" | "markdown" | "revision_count" | "created_at" | "updated_at"
> & {
  readonly author: string | null;
  readonly editor: string | null;
};

/** The columns that name the parents of pages, by kind. */
const PARENT_COLUMNS = { book: "book_id", chapter: "chapter_id" } as const;

/** Finds pages for exports. Drafts are exported on their own, never with their book or chapter (content-api 15.2). */
export function pageExports(context: PagesContext): ExportKind {
  const { tags } = context.contracts;
  const entries = async (viewer: Viewer, where: RawBuilder<unknown>): Promise<ExportEntry[]> => {
    const found = await rows<FoundEntry>(
      context.db,
      sql`select pages.id, pages.name, pages.slug, pages.priority, pages.book_id, pages.chapter_id, pages.draft,
        books.slug as book_slug, ${tags.of("page", sql.ref("pages.id"))} as tags
      from pages join books on books.id = pages.book_id
      where ${where} and ${context.visible.where("pages", viewer)} order by pages.priority, pages.id`,
    );
    return found.map((page) => entryOf(context, page));
  };
  return {
    kind: "page",
    find: async (viewer, id) => (await entries(viewer, sql`pages.id = ${id}::integer`))[0],
    async within(viewer, { kind, id }) {
      if (!(kind in PARENT_COLUMNS)) return [];
      const column = sql.ref(`pages.${PARENT_COLUMNS[kind as keyof typeof PARENT_COLUMNS]}`);
      return entries(viewer, sql`${column} = ${id}::integer and not pages.draft`);
    },
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
  const name = (column: string) => sql`(select users.name from users where users.id = ${sql.ref(column)})`;
  const found = await rows<FoundContent>(
    context.db,
    sql`select pages.id, pages.html, pages.rendered, pages.markdown, pages.revision_count, pages.created_at,
      pages.updated_at, ${name("pages.created_by")} as author, ${name("pages.updated_by")} as editor
    from pages where pages.id = any(${[...ids]}::integer[]) and ${context.visible.where("pages", viewer)}`,
  );
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
