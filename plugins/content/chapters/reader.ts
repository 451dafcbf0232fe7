import type { ItemReader } from "lectern/contracts";
import { type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { itemFinder } from "../_items/queries.ts";
import {
  addressFinder,
  bookIn,
  bookInAnyCase,
  type FoundFields,
  fieldsOfRow,
  type SlugParameters,
} from "../_items/reader.ts";
import { CHAPTER, type Chapter, type ChaptersContext } from "./contract.ts";
import { chapterPresenter } from "./presenter.ts";

const findBySlug = prepared("chapters.findBySlug", (db, p: SlugParameters & { book: RawBuilder<number> }) =>
  db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .selectAll("chapters")
    .select(["books.slug as book_slug", p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where("chapters.book_id", "=", p.book)
    .where("chapters.slug", "=", p.slug)
    .where(p.visible),
);

/** Reads chapters for other plugins. */
export function chapterReader(context: ChaptersContext): ItemReader<"chapter"> {
  const { read } = chapterPresenter(context);
  const find = addressFinder<Chapter & Partial<FoundFields>>(context, CHAPTER, {
    id: itemFinder(context, CHAPTER),
    slug: (parameters, _viewer, within) =>
      findBySlug.executeTakeFirst(context.db, { ...parameters, book: bookIn(within) }),
    within: (within) => sql`chapters.book_id in ${bookInAnyCase(within)}`,
  });
  return {
    kind: "chapter",
    noun: CHAPTER.noun,
    async find(viewer, where) {
      const chapter = await find(viewer, where);
      return chapter && read(chapter, viewer, fieldsOfRow(context, CHAPTER.kind, chapter, viewer));
    },
  };
}
