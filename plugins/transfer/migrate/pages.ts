/**
 * Pages with their content and comments, in one transaction each. The stored HTML of the source is taken and not rendered
 * anew from Markdown, since comments and links name places in it; it goes through the runtime's own preparation, which sets
 * what is derived from it and takes pictures out that came inside. Earlier revisions no API gives; the present state
 * becomes the one revision, under the number it has at the source.
 */
import type { Json } from "lectern/cli";
import type { EmbeddedPicture } from "lectern/contracts";
import type { EventTransaction } from "lectern/core";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { commentsIn, copyComments } from "./comments.ts";
import { type Content, historyOf, overridesOf, rewritten, slugFor, writeContent } from "./content.ts";
import type { Outcome } from "./contract.ts";
import { type Columns, inTransaction, isKept, type Keeping, keepWithin, type Row, updateRow } from "./keep.ts";
import { fetchStrays, writeStrays } from "./pictures.ts";
import type { Run } from "./run_parts.ts";
import type { Entry } from "./state.ts";
import { idIn, numberOf, tagsOf, textOf } from "./values.ts";

/** Where a page lies here. */
interface Parent {
  readonly book_id: number;
  readonly chapter_id: number | null;
}

/** Copies a page, given in full, with its comments. Undefined where its book or chapter is not here. */
export async function copyPage(run: Run, id: number, page: Json): Promise<Outcome | undefined> {
  const { state, report } = run;
  const parent = parentOf(run, page);
  if (!parent) return undefined;
  const wanted = await wantedOf(run, id, page, parent);
  const isSame = isKept(run, "page", id, wanted);
  const what = `page "${wanted.name}"`;
  const strays = isSame ? [] : await fetchStrays(run, `${wanted.html}\n${wanted.markdown}`);
  const html = rewritten(run, what, wanted.html);
  const comments = await commentsIn(run, page, what);
  if (isSame && comments.every((one) => isKept(run, "comment", one.id, one.wanted))) {
    for (const _ of comments) report.count("comment", "skipped");
    for (const comment of comments) await state.pass("comment", comment.id);
    await state.pass("page", id);
    return "skipped";
  }
  return inTransaction(run, "page", id, async (tx) => {
    const keeping: Keeping = {
      kind: "page",
      id,
      wanted,
      async write(facts) {
        await writePage(run, { ...facts, wanted, html, what }, tx);
        await writeStrays(run, { id: facts.id, columns: historyOf(run, page) }, strays, tx);
      },
    };
    const outcome = await keepWithin(run, keeping, tx, undefined);
    if (outcome !== "removed") await copyComments(run, id, comments, tx);
    return outcome;
  });
}

type Wanted = Awaited<ReturnType<typeof wantedOf>>;

/** What a page is at the source, with what it names by number as that is here. Throws AnswerError. */
async function wantedOf(run: Run, id: number, page: Json, parent: Parent) {
  const name = textOf(page.name);
  const markdown = textOf(page.markdown);
  const columns = {
    name,
    ...parent,
    ...historyOf(run, page),
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
    overrides: await overridesOf(run, "page", id, `page "${name}"`),
  };
}

/** A page to write: what it shall be, and its HTML with the addresses of here. */
interface PageFacts {
  readonly own: Row | undefined;
  readonly id: number;
  readonly entry: Entry;
  readonly wanted: Wanted;
  readonly html: ReturnType<typeof rewritten>;
  readonly what: string;
}

async function writePage(
  run: Run,
  { own, id, entry, wanted, html, what }: PageFacts,
  tx: EventTransaction,
): Promise<void> {
  const { parent, name, tags, overrides } = wanted;
  const slug = await slugIn(parent, { slug: entry.slug, name, id }, tx);
  const placed = own && (await moved(own, parent, slug, tx));
  const markdown = run.addresses.rewrite(wanted.markdown).text;
  const { priority } = wanted.columns;
  const content: Content = {
    kind: "page",
    own: placed,
    id,
    sourceSlug: entry.source_slug,
    columns: { ...wanted.columns, slug },
    tags,
    overrides,
    links: html.links,
    draft: { html: html.text, markdown, priority, ...(!own && draftParent(parent)) },
    filled: (final, inner) => contentOf(run, what, id, final, inner),
  };
  await writeContent(run, content, tx);
  await writeRevision(id, wanted.columns, tx);
}

function parentOf({ state }: Run, page: Json): Parent | undefined {
  const bookId = state.written("book", idIn(page.book_id));
  if (bookId === undefined) return undefined;
  const chapter = idIn(page.chapter_id) ?? 0;
  if (chapter === 0) return { book_id: bookId, chapter_id: null };
  const chapterId = state.written("chapter", chapter);
  return chapterId === undefined ? undefined : { book_id: bookId, chapter_id: chapterId };
}

function draftParent({ book_id, chapter_id }: Parent): object {
  return chapter_id === null ? { book_id } : { chapter_id };
}

/** Locks what holds the page, and finds its slug there. Throws where that was removed here. */
async function slugIn(
  { book_id, chapter_id }: Parent,
  { slug, name, id }: { slug: string; name: string; id: number },
  tx: EventTransaction,
): Promise<string> {
  const held =
    chapter_id === null
      ? sql`select from books where id = ${book_id}::integer and deleted_at is null for share`
      : sql`select from chapters where id = ${chapter_id}::integer and book_id = ${book_id}::integer
          and deleted_at is null for share`;
  if ((await rows(tx.db, held)).length === 0) throw new Error("the book or chapter it lies in was removed here");
  return slugFor({ table: "pages", slug, name, id, bookId: book_id }, tx);
}

async function moved(own: Row, parent: Parent, slug: string, tx: EventTransaction): Promise<Row> {
  if (own.book_id === parent.book_id && own.chapter_id === parent.chapter_id) return own;
  const act = (_: unknown, inner: EventTransaction) => updateRow(inner, "pages", own.id, { ...parent, slug });
  return tx.perform("page_move", { row: own as never, parent }, act as never);
}

/** The columns of the content, pictures that came inside it kept for the page. */
async function contentOf(run: Run, what: string, id: number, final: Json, tx: EventTransaction): Promise<Columns> {
  const keeper = run.pictureKeeper();
  const saveImage = async (picture: EmbeddedPicture) => keeper?.keep(picture, id, tx);
  const html = textOf(final.html);
  const markdown = textOf(final.markdown);
  // Pictures inside Markdown can only be taken out where the HTML is made of it.
  const hasPictures = /data:image\//i.test(markdown);
  const stored = await run.contracts.markup.store(hasPictures ? { markdown } : { html }, { saveImage });
  if (!hasPictures && stored.html !== html && !/data:image\//i.test(html))
    tx.afterCommit(() => run.report.add("html", what));
  return {
    html: stored.html,
    markdown: hasPictures ? stored.markdown : markdown,
    text: stored.text,
    rendered: stored.rendered,
  };
}

async function writeRevision(id: number, { updated_by, updated_at }: Columns, tx: EventTransaction): Promise<void> {
  await rows(
    tx.db,
    sql`insert into page_revisions
      (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by, created_at)
    select pages.id, revision_count, pages.name, pages.slug, coalesce(books.slug, ''), html, markdown, text,
      'Copied from another server', ${updated_by}::integer, ${updated_at}
    from pages left join books on books.id = pages.book_id where pages.id = ${id}::integer`,
  );
}
