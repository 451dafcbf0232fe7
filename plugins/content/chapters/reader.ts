import type { QueryCreator } from "kysely";
import type { ItemReader } from "lectern/contracts";
import { type RawBuilder, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import {
  addressFinder,
  bookIn,
  bookInAnyCase,
  type FindParameters,
  type FoundFields,
  fieldsOfRow,
} from "../_items/reader.ts";
import { CHAPTER, type Chapter, type ChaptersContext } from "./contract.ts";
import { chapterPresenter } from "./presenter.ts";

const findById = prepared("chapters.findById", (db, p: FindParameters & { id: number }) =>
  visibleChapters(db, p).where("chapters.id", "=", p.id),
);

const findBySlug = prepared(
  "chapters.findBySlug",
  (db, p: FindParameters & { slug: string; book: RawBuilder<number> }) =>
    visibleChapters(db, p).where("chapters.book_id", "=", p.book).where("chapters.slug", "=", p.slug),
);

const slugOwner = prepared("chapters.slugOwner", (db, p: { slug: string; book: RawBuilder<number> }) =>
  db
    .selectFrom("chapters")
    .select(["chapters.id", "chapters.book_id"])
    .where("chapters.book_id", "=", p.book)
    .where("chapters.slug", "=", p.slug)
    .where("chapters.deleted_at", "is", null),
);

function visibleChapters(db: QueryCreator<Tables>, p: FindParameters) {
  return db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .selectAll("chapters")
    .select(["books.slug as book_slug", p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where(p.visible);
}

/** Reads chapters, for the API and for other plugins. */
export function chapterReader(context: ChaptersContext) {
  const { whole } = chapterPresenter(context);
  const find = addressFinder<Chapter & FoundFields>(context, CHAPTER, {
    id: (parameters) => findById.executeTakeFirst(context.db, parameters),
    slug: (parameters, _viewer, within) =>
      findBySlug.executeTakeFirst(context.db, { ...parameters, book: bookIn(within) }),
    within: (within) => sql`chapters.book_id in ${bookInAnyCase(within)}`,
  });
  return {
    kind: "chapter",
    noun: CHAPTER.noun,
    async find(viewer, where) {
      const chapter = await find(viewer, where);
      return chapter && whole(chapter, fieldsOfRow(context, CHAPTER.kind, chapter, viewer));
    },
  } satisfies ItemReader<"chapter">;
}

/** The chapter with a slug as written in a book, whoever sees it. */
export function chapterOfSlug({ db }: ChaptersContext) {
  return ({ slug, within }: { readonly slug: string; readonly within?: number | string }) =>
    slugOwner.executeTakeFirst(db, { slug, book: bookIn(within) });
}
