/**
 * Copies pages with their content and comments, in one transaction each. The stored HTML of the source is used instead of
 * rendering its Markdown again, since comments and links refer to ids in it; it is stored like that of requests, which derives
 * further columns and extracts embedded images. No API provides earlier revisions; the current state becomes the only
 * revision, with the number it has at the source.
 */
import type { Json } from "lectern/cli";
import type { EmbeddedPicture } from "lectern/contracts";
import type { EventTransaction } from "lectern/core";
import { sql } from "lectern/core";
import { type ItemWrite, isUnchanged, performMigration, type Row, updateRow, writeWithin } from "./changes.ts";
import { commentsIn, copyComments } from "./comments.ts";
import {
  type ContentWrite,
  type History,
  historyOf,
  overridesOf,
  type PageContent,
  rewriteText,
  slugFor,
  writeContent,
} from "./content.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { fetchUnlistedImages, writeUnlistedImages } from "./images.ts";
import type { StateEntry } from "./state.ts";
import { idIn, numberOf, tagsOf, textOf } from "./values.ts";

/** The parent of a page here. */
interface Parent {
  readonly book_id: number;
  readonly chapter_id: number | null;
}

/** Copies a page, given in full, with its comments. Returns undefined where its book or chapter was not copied. */
export async function copyPage(context: MigrateContext, id: number, page: Json): Promise<Outcome | undefined> {
  const { state, report } = context;
  const parent = parentOf(context, page);
  if (!parent) return undefined;
  const desired = await desiredPage(context, id, page, parent);
  const isPageUnchanged = isUnchanged(context, "page", id, desired);
  const label = `page "${desired.name}"`;
  const unlisted = isPageUnchanged ? [] : await fetchUnlistedImages(context, `${desired.html}\n${desired.markdown}`);
  const html = rewriteText(context, label, desired.html);
  const comments = await commentsIn(context, page, label);
  if (isPageUnchanged && comments.every((one) => isUnchanged(context, "comment", one.id, one.desired))) {
    for (const _ of comments) report.count("comment", "skipped");
    for (const comment of comments) await state.markProcessed("comment", comment.id);
    await state.markProcessed("page", id);
    return "skipped";
  }
  return performMigration(context, "page", id, async (tx) => {
    const itemWrite: ItemWrite<"page"> = {
      kind: "page",
      id,
      desired,
      async write(facts) {
        await writePage(context, { ...facts, desired, html, label }, tx);
        await writeUnlistedImages(context, { id: facts.id, columns: historyOf(context, page) }, unlisted, tx);
      },
    };
    const outcome = await writeWithin(context, itemWrite, tx, undefined);
    if (outcome !== "removed") await copyComments(context, id, comments, tx);
    return outcome;
  });
}

type DesiredPage = Awaited<ReturnType<typeof desiredPage>>;

/** The state of a page at the source, with the ids of referenced items here. Throws AnswerError. */
async function desiredPage(context: MigrateContext, id: number, page: Json, parent: Parent) {
  const name = textOf(page.name);
  const markdown = textOf(page.markdown);
  const columns = {
    name,
    ...parent,
    ...historyOf(context, page),
    priority: numberOf(page.priority) ?? 0,
    template: page.template === true,
    editor: textOf(page.editor) || (markdown === "" ? "wysiwyg" : "markdown"),
    revision_count: numberOf(page.revision_count) ?? 1,
  };
  return {
    name,
    columns,
    parent,
    slug: textOf(page.slug),
    html: typeof page.raw_html === "string" ? textOf(page.raw_html) : textOf(page.html),
    markdown,
    tags: tagsOf(page.tags),
    overrides: await overridesOf(context, "page", id, `page "${name}"`),
  };
}

/** A page to write: its desired state, and its HTML with addresses rewritten. */
interface PageFacts {
  readonly existing: Row<"page"> | undefined;
  readonly id: number;
  readonly entry: StateEntry;
  readonly desired: DesiredPage;
  readonly html: ReturnType<typeof rewriteText>;
  readonly label: string;
}

async function writePage(
  context: MigrateContext,
  { existing, id, entry, desired, html, label }: PageFacts,
  tx: EventTransaction,
): Promise<void> {
  const { parent, name, tags, overrides } = desired;
  const slug = await slugIn(parent, { slug: entry.slug, name, id }, tx);
  const current = existing && (await moveIfNeeded(existing, parent, slug, tx));
  const markdown = context.addresses.rewrite(desired.markdown).text;
  const { priority } = desired.columns;
  const content: ContentWrite = {
    kind: "page",
    existing: current,
    id,
    sourceSlug: entry.source_slug,
    columns: { ...desired.columns, slug },
    tags,
    overrides,
    links: html.links,
    draft: { html: html.text, markdown, priority, ...(!existing && draftParent(parent)) },
    finalColumns: (final, inner) => contentOf(context, label, id, final, inner),
  };
  await writeContent(context, content, tx);
  await writeRevision(id, desired.columns, tx);
}

function parentOf({ state }: MigrateContext, page: Json): Parent | undefined {
  const bookId = state.targetIdOf("book", idIn(page.book_id));
  if (bookId === undefined) return undefined;
  const chapter = idIn(page.chapter_id) ?? 0;
  if (chapter === 0) return { book_id: bookId, chapter_id: null };
  const chapterId = state.targetIdOf("chapter", chapter);
  return chapterId === undefined ? undefined : { book_id: bookId, chapter_id: chapterId };
}

function draftParent({ book_id, chapter_id }: Parent): object {
  return chapter_id === null ? { book_id } : { chapter_id };
}

/** Locks the parent of a page, and determines the page's slug. Throws where the parent was deleted here. */
async function slugIn(
  { book_id, chapter_id }: Parent,
  { slug, name, id }: { slug: string; name: string; id: number },
  tx: EventTransaction,
): Promise<string> {
  const { db } = tx;
  const parent =
    chapter_id === null
      ? db.selectFrom("books").select("id").where("id", "=", book_id).where("deleted_at", "is", null)
      : db
          .selectFrom("chapters")
          .select("id")
          .where("id", "=", chapter_id)
          .where("book_id", "=", book_id)
          .where("deleted_at", "is", null);
  if (!(await parent.forShare().executeTakeFirst())) throw new Error("its book or chapter was deleted here");
  return slugFor({ table: "pages", slug, name, id, bookId: book_id }, tx);
}

async function moveIfNeeded(
  existing: Row<"page">,
  parent: Parent,
  slug: string,
  tx: EventTransaction,
): Promise<Row<"page">> {
  if (existing.book_id === parent.book_id && existing.chapter_id === parent.chapter_id) return existing;
  const move = (_: unknown, inner: EventTransaction) => updateRow(inner, "pages", existing.id, { ...parent, slug });
  return tx.perform("page_move", { row: existing, parent }, move);
}

/** The columns of the content, after extracting embedded images. */
async function contentOf(
  context: MigrateContext,
  label: string,
  id: number,
  final: Json,
  tx: EventTransaction,
): Promise<PageContent> {
  const keeper = context.pictureKeeper();
  const saveImage = async (picture: EmbeddedPicture) => keeper?.keep(picture, id, tx);
  const html = textOf(final.html);
  const markdown = textOf(final.markdown);
  // Images embedded in Markdown can be extracted only by rendering the HTML from it.
  const hasPictures = /data:image\//i.test(markdown);
  const stored = await context.contracts.markup.store(hasPictures ? { markdown } : { html }, { saveImage });
  if (!hasPictures && stored.html !== html && !/data:image\//i.test(html))
    tx.afterCommit(() => context.report.add("html", label));
  return {
    html: stored.html,
    markdown: hasPictures ? stored.markdown : markdown,
    text: stored.text,
    rendered: stored.rendered,
  };
}

async function writeRevision(id: number, { updated_by, updated_at }: History, tx: EventTransaction): Promise<void> {
  await tx.db
    .insertInto("page_revisions")
    .columns([
      ...(["page_id", "number", "name", "slug", "book_slug", "html", "markdown", "text"] as const),
      ...(["summary", "created_by", "created_at"] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom("pages")
        .leftJoin("books", "books.id", "pages.book_id")
        .select(({ fn }) => [
          "pages.id as page_id",
          "pages.revision_count as number",
          "pages.name",
          "pages.slug",
          fn.coalesce("books.slug", sql.lit("")).as("book_slug"),
          "pages.html",
          "pages.markdown",
          "pages.text",
          sql.lit("Copied from another server").as("summary"),
          sql<number | null>`${updated_by}::integer`.as("created_by"),
          sql<string>`${updated_at}::timestamptz`.as("created_at"),
        ])
        .where("pages.id", "=", id),
    )
    .execute();
}
