/**
 * How comments are found and shown (content-api 10): rows of listings, single reads with their direct replies, and all
 * comments of a page as trees. Content is filtered each time it is shown, as that of pages is. Who sees a comment is
 * decided by its page alone, through the rule the plugin gives to `visibilityRule`.
 */
import type { UserRef } from "lectern/contracts";
import { type Contracts, type ListSpec, type RawBuilder, sql, type Viewer, yieldToEventLoop } from "lectern/core";
import { type Db, prepared, rows } from "lectern/db";
import type { CommentRow, FoundComment } from "./contract.ts";
import { type Tree, treesOf } from "./tree.ts";

/** What the parts of this plugin share. */
export interface Parts {
  readonly db: Pick<Db, "executeQuery">;
  readonly contracts: Pick<Contracts, "access" | "markup" | "users">;
  /** Bytes of a comment's HTML. */
  readonly maxBytes: number;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: "comments" | "pages", viewer: Viewer) => RawBuilder<boolean>;
}

/** All there are: only pages can be commented on. */
const TYPE = "page";

/** The listing of comments (content-api 3, 10.1). */
export const listing: ListSpec = {
  table: "comments",
  fields: {
    id: "integer",
    commentable_id: { type: "integer", column: sql.ref("comments.page_id") },
    commentable_type: { type: "code", column: sql`${sql.lit(TYPE)}::text` },
    parent_id: { type: "integer", nullable: true },
    local_id: "integer",
    content_ref: "code",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: sql`comments.id, comments.page_id as commentable_id, ${sql.lit(TYPE)}::text as commentable_type,
    comments.parent_id, comments.local_id, comments.content_ref, comments.created_by, comments.updated_by,
    comments.created_at, comments.updated_at`,
};

/** The comment with those direct replies the viewer sees, if they see the page it is on. */
export async function findComment(parts: Parts, viewer: Viewer, id: number): Promise<FoundComment | undefined> {
  const { users } = parts.contracts;
  const found = await rows<FoundComment>(
    parts.db,
    sql`select comments.*, case when comments.id = asked.id then json_build_object(
      'created_by', ${users.ref(sql.ref("comments.created_by"))},
      'updated_by', ${users.ref(sql.ref("comments.updated_by"))}) end as people
    from comments as asked join comments on comments.page_id = asked.page_id
      and (comments.id = asked.id or comments.parent_id = asked.local_id)
    where asked.id = ${id}::integer and ${parts.sees("comments", viewer)}
    order by comments.created_at, comments.id`,
  );
  const itself = found.find((row) => row.id === id);
  return itself && { ...itself, replies: found.filter((row) => row !== itself) };
}

/** The HTML of rows as it is shown, where it was made already. */
const SHOWN = new WeakMap<object, string>();

/** Makes the HTML of a row as it is shown, once for all that show the row; what is long in a child process. */
export async function makeShown(parts: Parts, row: CommentRow, viewer: Viewer): Promise<void> {
  if (!SHOWN.has(row)) SHOWN.set(row, await parts.contracts.markup.filtered(row.html, { viewer }));
}

/** Remembers the HTML of a row as it is shown, for the answer and whoever is told of it. */
export function rememberShown(row: CommentRow, html: string): void {
  SHOWN.set(row, html);
}

/** The HTML of a row as it is shown. */
export function shownHtml({ contracts: { markup } }: Parts, row: CommentRow): string {
  return SHOWN.get(row) ?? markup.safe(row.html);
}

/** A comment as answers show it after a save (content-api 10.1). */
export function savedComment(parts: Parts, row: CommentRow) {
  return {
    id: row.id,
    commentable_id: row.page_id,
    commentable_type: TYPE,
    parent_id: row.parent_id,
    local_id: row.local_id,
    content_ref: row.content_ref,
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    html: shownHtml(parts, row),
    archived: row.archived,
  };
}

type Saved = ReturnType<typeof savedComment>;

/** Comments as answers show them. There may be many, and others are let in between them. */
async function allShown<Row extends CommentRow>(
  parts: Parts,
  found: readonly Row[],
  viewer: Viewer,
): Promise<Map<Row, Saved>> {
  const shown = new Map<Row, Saved>();
  const yieldNow = yieldToEventLoop();
  for (const row of found) {
    await makeShown(parts, row, viewer);
    shown.set(row, savedComment(parts, row));
    await yieldNow();
  }
  return shown;
}

/** A comment in full, with direct replies (content-api 10.4). */
export async function readComment(parts: Parts, { people, replies = [], ...row }: FoundComment, viewer: Viewer) {
  const shown = await allShown(parts, replies, viewer);
  await makeShown(parts, row, viewer);
  return { ...savedComment(parts, row), ...people, replies: [...shown.values()] };
}

/** A comment as it stands in the tree of a page (content-api 10.5). */
type Shown = ReturnType<typeof savedComment> | { readonly created_by: UserRef | null };

/** Reads the comments of pages as their reads show them to a viewer, by page. */
export function commentsReader(parts: Parts) {
  const author = parts.contracts.users.ref(sql.ref("comments.created_by"));
  const head = prepared(sql`select comments.*, ${author} as author from comments`);
  return async (
    pageIds: readonly number[],
    viewer: Viewer,
  ): Promise<Map<number, { comments: { active: Tree<Shown>[]; archived: Tree<Shown>[] } }>> => {
    const found = await rows<CommentRow & { author: UserRef | null }>(
      parts.db,
      sql`${head} where page_id = any(${[...pageIds]}::integer[]) and ${parts.sees("comments", viewer)}
        order by created_at, id`,
    );
    const shown = await allShown(parts, found, viewer);
    const byPage = Map.groupBy(found, ({ page_id }) => page_id);
    return new Map(
      pageIds.map((id) => {
        const trees = treesOf(byPage.get(id) ?? [], (row) => ({
          ...(shown.get(row) as Saved),
          created_by: row.author,
        }));
        return [id, { comments: trees }];
      }),
    );
  };
}
