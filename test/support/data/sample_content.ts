/** Content as rows of the tables, written and read without the API: trees by the hundred, and what the store holds. */
import { sql } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import type { PlainEntry, PlainItem } from "../harness/permission_evaluator.ts";

/** The tables of content by kind. */
export const TABLES = { bookshelf: "bookshelves", book: "books", chapter: "chapters", page: "pages" } as const;

/** All items and entries of a store. */
export interface SampleContent {
  readonly items: readonly PlainItem[];
  readonly entries: readonly PlainEntry[];
}

/** Writes content into an empty store, without access lists. */
export async function writeContent(db: Db, { items, entries }: SampleContent): Promise<void> {
  for (const table of [...Object.values(TABLES), "entity_permissions"])
    await rows(db, sql`delete from ${sql.table(table)}`);
  for (const [kind, table] of Object.entries(TABLES)) {
    const own = items.filter((item) => item.kind === kind);
    if (own.length === 0) continue;
    const more = {
      bookshelf: [],
      book: [],
      chapter: ["book_id"],
      page: ["book_id", "chapter_id", "draft", "html", "markdown", "text", "priority", "editor"],
    }[kind as keyof typeof TABLES];
    const columns = sql.join(["id", "name", "slug", "owned_by", "deleted_at", ...more].map((name) => sql.id(name)));
    const values = own.map(({ deleted, ...item }) => ({
      ...{ name: `${kind} ${item.id}`, slug: `${kind}-${item.id}`, html: "", markdown: "", text: "", priority: 0 },
      ...{ editor: "wysiwyg", draft: false, deleted_at: deleted ? "2026-01-01" : null },
      ...item,
    }));
    await rows(
      db,
      sql`insert into ${sql.table(table)} (${columns}) select ${columns}
      from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(values)}::text::jsonb)`,
    );
  }
  await rows(
    db,
    sql`insert into entity_permissions (kind, item_id, role_id, view, "create", update, delete)
    select kind, item_id, role_id, view, "create", update, delete
    from jsonb_populate_recordset(null::entity_permissions, ${JSON.stringify(entries)}::text::jsonb)`,
  );
}

/** What the store holds. */
export async function readContent(db: Db): Promise<SampleContent> {
  const columns: Record<string, string> = {
    chapter: ", book_id",
    page: ", book_id, chapter_id, draft",
  };
  const kinds = await Promise.all(
    (Object.entries(TABLES) as [PlainItem["kind"], TableName][]).map(async ([kind, table]) => {
      const more = sql.raw(columns[kind] ?? "");
      const found = await rows<Omit<PlainItem, "kind">>(
        db,
        sql`select id, owned_by, deleted_at is not null as deleted ${more} from ${sql.table(table)}`,
      );
      return found.map((item): PlainItem => ({ ...item, kind }));
    }),
  );
  const entries = await rows<PlainEntry>(db, sql`select * from entity_permissions`);
  return { items: kinds.flat(), entries };
}
