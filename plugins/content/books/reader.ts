/**
 * Reads books, for the API and for other plugins: a book with its tags, people, contents and the fields of other plugins in one
 * statement, and lists by ids. A slug alone leads to its book by a statement of its own, whose answer is cached.
 */
import type { QueryCreator } from "kysely";
import {
  type BookEntry,
  type Item,
  type ItemAddress,
  type ItemReader,
  NO_SELECTED_FIELDS,
  withResponseFields,
} from "lectern/contracts";
import { callContribution, callContributionNow, type RawBuilder, sql, type Viewer } from "lectern/core";
import { memoized, prepared, rows, type Tables } from "lectern/db";
import {
  addressFinder,
  type FindParameters,
  type FoundFields,
  fieldsOfRow,
  isId,
  perViewer,
} from "../_items/reader.ts";
import { BOOK, type Book, type BooksContext } from "./contract.ts";
import { bookPresenter } from "./presenter.ts";

/** Entries by kind of content; null for a kind that selects none. */
type SelectedContents = readonly (readonly BookEntry[] | null)[];
/** Lines of the outline by kind of content; null for a kind that selects none. */
type SelectedLines = readonly (string | null)[];

/** In place of what plugins select: their entries are read by `contents`. */
const NO_CONTENTS: RawBuilder<never[]> = sql`'[]'::json`;

type BookParameters = FindParameters & { readonly contents: RawBuilder<SelectedContents | SelectedLines> };

const findById = prepared("books.findById", (db, p: BookParameters & { id: number }) =>
  visibleBooks(db, p).where("books.id", "=", p.id),
);

const findBySlug = prepared("books.findBySlug", (db, p: BookParameters & { slug: string }) =>
  visibleBooks(db, p).where("books.slug", "=", p.slug),
);

const slugOwner = prepared("books.slugOwner", (db, p: { slug: string }) =>
  db.selectFrom("books").select("books.id").where("books.slug", "=", p.slug).where("books.deleted_at", "is", null),
);

function visibleBooks(db: QueryCreator<Tables>, p: BookParameters) {
  return db
    .selectFrom("books")
    .selectAll()
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields"), p.contents.as("contents")])
    .where(p.visible);
}

const listByIds = prepared("books.listByIds", (db, p: { ids: readonly number[]; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("books")
    .select(["id", "name", "slug", "description", "created_at", "updated_at", "created_by", "updated_by", "owned_by"])
    .where("books.id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible),
);

const COLUMNS = { id: sql.ref("books.id"), slug: sql.ref("books.slug") };

/** Finds books with what kinds of content select with them, by one of their members. */
function bookFinder<Selected>(context: BooksContext, member: "selectContents" | "selectOutline") {
  const { db, slot } = context;
  const contentsFor = perViewer((viewer) => {
    const kinds = slot("content").map(
      (kind) => callContributionNow(kind, (each) => each[member]?.(COLUMNS, viewer), "contents") ?? sql`null`,
    );
    return memoized(sql<SelectedContents | SelectedLines>`json_build_array(${sql.join(kinds)})`);
  });
  const withContents = <P extends FindParameters>(parameters: P, viewer: Viewer) => ({
    ...parameters,
    contents: parameters.fields === NO_SELECTED_FIELDS ? NO_CONTENTS : contentsFor(viewer),
  });
  // The contents are those of the member.
  type Found = Promise<(Book & FoundFields & { contents: Selected }) | undefined>;
  return addressFinder<Book & FoundFields & { contents: Selected }>(context, BOOK, {
    id: (parameters, viewer) => findById.executeTakeFirst(db, withContents(parameters, viewer)) as Found,
    slug: (parameters, viewer) => findBySlug.executeTakeFirst(db, withContents(parameters, viewer)) as Found,
    async recordFailed(viewer, { id }) {
      for (const kind of slot("content"))
        await callContribution(
          kind,
          async (each) => {
            const own = each[member]?.(COLUMNS, viewer);
            // A template: the contents are SQL of contributors, without a name in the types of the builder.
            if (own) await rows(db, sql`select ${own} from books where books.id = ${id}::integer`);
          },
          "contents",
        );
    },
  });
}

/** Reads books, for the API and for other plugins. */
export function bookReader(context: BooksContext) {
  const { db, slot, visible } = context;
  const { whole } = bookPresenter(context);
  const find = bookFinder<SelectedContents>(context, "selectContents");
  return {
    kind: "book",
    noun: BOOK.noun,
    async find(viewer, where) {
      const book = await find(viewer, where);
      return book && whole(book, viewer, fieldsOfRow(context, BOOK.kind, book, viewer), book.contents);
    },
    async list(viewer, where) {
      if (!("ids" in where)) return [];
      const found = await listByIds.execute(db, {
        ids: where.ids.filter(isId),
        visible: visible.where("books", viewer),
      });
      // The cover is null until the plugin of images fills it.
      const covered = found.map((book) => ({ ...book, cover: null }));
      const listed = await withResponseFields(slot("response_fields"), BOOK.kind, "listed", covered, viewer);
      const books = new Map(listed.map((book) => [book.id, book]));
      return where.ids.flatMap((id) => books.get(id) ?? []);
    },
  } satisfies ItemReader<"book">;
}

/** Reads books with outlines, for screens. */
export function outlineReader(context: BooksContext) {
  const { outlined } = bookPresenter(context);
  const find = bookFinder<SelectedLines>(context, "selectOutline");
  return {
    kind: "book_outline",
    noun: BOOK.noun,
    async find(viewer: Viewer, where: ItemAddress) {
      const book = await find(viewer, where);
      if (!book) return undefined;
      const shown = await outlined(book, viewer, fieldsOfRow(context, BOOK.kind, book, viewer), book.contents);
      // With the fields that contributions to "response_fields" declare for books.
      return shown as typeof shown & Item<"book_outline">;
    },
  } satisfies ItemReader<"book_outline">;
}

/** The book with a slug as written, whoever sees it. */
export function bookOfSlug({ db }: BooksContext) {
  return ({ slug }: { readonly slug: string }) => slugOwner.executeTakeFirst(db, { slug });
}
