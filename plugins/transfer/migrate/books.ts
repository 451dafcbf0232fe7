/**
 * Copies books, then their chapters, and then shelves, which refer to books. Covers are copied unchanged and keep the address
 * they have at the source.
 */
import type { Json } from "lectern/cli";
import type { EventTransaction } from "lectern/core";
import { sql } from "lectern/core";
import { type Row, updateRow, writeItem } from "./changes.ts";
import { descriptionOf, historyOf, overridesOf, slugFor, sourceTexts, writeContent } from "./content.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { fetchCover, writeCover } from "./covers.ts";
import { idIn, listOf, numberOf, tagsOf, textOf } from "./values.ts";

/** Copies a book or shelf, given in full. */
export async function copyBookOrShelf(
  context: MigrateContext,
  kind: "book" | "bookshelf",
  id: number,
  item: Json,
): Promise<Outcome> {
  const name = textOf(item.name);
  const label = `${kind} "${name}"`;
  const { columns, links } = descriptionOf(context, label, item);
  const template = context.targets.page(idIn(item.default_template_id) ?? 0)?.id ?? null;
  const cover = await fetchCover(context, item.cover);
  if ((cover && !cover.desired) || isTemplateMissing(item, template)) context.marks.leaveOpen(kind, id);
  const facts = {
    name,
    ...columns,
    ...historyOf(context, item),
    ...(kind === "book" && { default_template_id: template }),
  };
  const books =
    kind === "bookshelf"
      ? listOf(item.books).flatMap((book) => context.state.targetIdOf("book", idIn(book)) ?? [])
      : [];
  const tags = tagsOf(item.tags);
  const overrides = await overridesOf(context, kind, id, label);
  return writeItem(context, {
    kind,
    id,
    desired: { ...facts, ...sourceTexts(item), tags, overrides, books, cover: cover?.desired },
    async write({ existing, id: targetId, entry }, tx) {
      const table = kind === "book" ? "books" : "bookshelves";
      const slug = await slugFor({ table, slug: entry.slug, name, id: targetId }, tx);
      const draft = { description_html: columns.description_html };
      const sourceSlug = entry.source_slug;
      const content = {
        kind,
        existing,
        id: targetId,
        sourceSlug,
        columns: { ...facts, slug },
        tags,
        overrides,
        links,
        draft,
      };
      await writeContent(context, content, tx);
      await writeCover(context, { kind, id: targetId }, cover, tx);
      if (kind === "bookshelf") await fillShelf(targetId, books, tx);
    },
  });
}

async function fillShelf(id: number, books: readonly number[], tx: EventTransaction): Promise<void> {
  await tx.db.deleteFrom("bookshelf_books").where("shelf_id", "=", id).execute();
  await tx.db
    .insertInto("bookshelf_books")
    .columns(["shelf_id", "book_id", "position"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ book_id: number; position: number }>`unnest(${[...books]}::integer[]) with ordinality`.as<"sent">(
            sql`sent (book_id, position)`,
          ),
        )
        .select(({ fn }) => [sql<number>`${id}::integer`.as("shelf_id"), "book_id", fn.min("position").as("position")])
        .groupBy("book_id"),
    )
    .execute();
}

/** Whether an item has a template for new pages that is not copied, or not yet. */
function isTemplateMissing(item: Json, template: number | null): boolean {
  return template === null && (idIn(item.default_template_id) ?? 0) !== 0;
}

/** Copies a chapter, given in full. Returns undefined where its book was not copied. */
export async function copyChapter(context: MigrateContext, id: number, item: Json): Promise<Outcome | undefined> {
  const name = textOf(item.name);
  const bookId = context.state.targetIdOf("book", idIn(item.book_id));
  if (bookId === undefined) return undefined;
  const label = `chapter "${name}"`;
  const { columns, links } = descriptionOf(context, label, item);
  const facts = {
    name,
    ...columns,
    ...historyOf(context, item),
    book_id: bookId,
    priority: numberOf(item.priority) ?? 0,
    default_template_id: context.targets.page(idIn(item.default_template_id) ?? 0)?.id ?? null,
  };
  if (isTemplateMissing(item, facts.default_template_id)) context.marks.leaveOpen("chapter", id);
  const tags = tagsOf(item.tags);
  const overrides = await overridesOf(context, "chapter", id, label);
  return writeItem(context, {
    kind: "chapter",
    id,
    desired: { ...facts, ...sourceTexts(item), tags, overrides },
    async write({ existing, id: targetId, entry }, tx) {
      const book = await lockBook(bookId, tx);
      const slug = await slugFor({ table: "chapters", slug: entry.slug, name, id: targetId, bookId }, tx);
      const current = existing && (await moveIfNeeded(existing, { ...book, chapterSlug: slug }, tx));
      const draft = { book_id: bookId, description_html: columns.description_html, priority: facts.priority };
      const result = { book_slug: book.slug };
      const all = { ...facts, slug };
      const content = {
        kind: "chapter",
        existing: current,
        id: targetId,
        sourceSlug: entry.source_slug,
        columns: all,
      } as const;
      await writeContent(context, { ...content, tags, overrides, links, draft, result }, tx);
    },
  });
}

/** Moves a chapter with its pages where it is in another book at the source, by the event that moving it here performs. */
async function moveIfNeeded(
  existing: Row<"chapter">,
  to: { id: number; slug: string; chapterSlug: string },
  tx: EventTransaction,
): Promise<Row<"chapter">> {
  if (existing.book_id === to.id) return existing;
  const book = { id: to.id, slug: to.slug };
  const move = async (_: unknown, inner: EventTransaction) => {
    const row = await updateRow(inner, "chapters", existing.id, { book_id: to.id, slug: to.chapterSlug });
    return { ...row, book_slug: to.slug, tags: [] };
  };
  const from = await tx.db.selectFrom("books").select("slug").where("id", "=", existing.book_id).executeTakeFirst();
  const draft = { row: { ...existing, tags: [], book_slug: from?.slug ?? "" }, to: book };
  const row = await tx.perform("chapter_move", draft, move);
  return { ...existing, ...row };
}

/** Locks a book until the transaction ends. Throws where it was deleted here. */
async function lockBook(id: number, tx: EventTransaction): Promise<{ id: number; slug: string }> {
  const book = await tx.db
    .selectFrom("books")
    .select(["id", "slug"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (!book) throw new Error("its book was deleted here");
  return book;
}
