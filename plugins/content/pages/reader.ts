/**
 * Reads pages, for the API and for other plugins: a page with its tags, people and the fields of other plugins in one statement. Its answer is
 * cached for all who see it; that of a page with includes for each reader, since what it includes is shown to those who see it.
 */
import type { QueryCreator } from "kysely";
import { type ItemAddress, mergeResponseFields } from "lectern/contracts";
import { type NoteRows, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, refs, type Tables } from "lectern/db";
import { cachedReader, cachedReads } from "../_items/cached.ts";
import {
  addressFinder,
  bookIn,
  bookInAnyCase,
  type FindParameters,
  type FoundFields,
  fieldsOfRow,
} from "../_items/reader.ts";
import type { FoundPage, PagesContext } from "./contract.ts";
import { noComments, presentPage } from "./presenter.ts";
import { READ_COLUMNS } from "./queries.ts";

const PAGE = { kind: "page", table: "pages" } as const;

const findById = prepared("pages.findById", (db, p: FindParameters & { id: number }) =>
  visiblePages(db, p).where("pages.id", "=", p.id),
);

const findBySlug = prepared("pages.findBySlug", (db, p: FindParameters & { slug: string; book: RawBuilder<number> }) =>
  visiblePages(db, p).where("pages.book_id", "=", p.book).where("pages.slug", "=", p.slug),
);

const slugOwner = prepared("pages.slugOwner", (db, p: { slug: string; book: RawBuilder<number> }) =>
  db
    .selectFrom("pages")
    .select(["pages.id", "pages.book_id"])
    .where("pages.book_id", "=", p.book)
    .where("pages.slug", "=", p.slug)
    .where("pages.deleted_at", "is", null),
);

function visiblePages(db: QueryCreator<Tables>, p: FindParameters) {
  return db
    .selectFrom("pages")
    .select(READ_COLUMNS)
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where(p.visible);
}

/** Reads pages, for the API and for other plugins. */
export function pageReader(context: PagesContext) {
  const { db } = context;
  const find = addressFinder<FoundPage & FoundFields>(context, PAGE, {
    id: (parameters) => findById.executeTakeFirst(db, parameters),
    slug: (parameters, _viewer, within) => findBySlug.executeTakeFirst(db, { ...parameters, book: bookIn(within) }),
    within: (within) => sql`pages.book_id in ${bookInAnyCase(within)}`,
  });
  return {
    kind: "page" as const,
    noun: "Page",
    /** `note` is called with the pages that it includes. */
    async find(viewer: Viewer, where: ItemAddress, note?: NoteRows) {
      const row = await find(viewer, where);
      if (!row) return undefined;
      const fieldsRead = fieldsOfRow(context, PAGE.kind, row, viewer);
      const [page, fields] = await Promise.all([presentPage(context, row, viewer, note), fieldsRead]);
      const whole = { ...page, comments: noComments() };
      const [shown = whole] = mergeResponseFields([whole], fields);
      return shown;
    },
  };
}

/** The cached single reads of pages. */
export function cachedPages(context: PagesContext, reader: ReturnType<typeof pageReader>) {
  const { slot } = context;
  const hooks = () => slot("page_content").filter(({ postRender, include }) => postRender || include);
  return cachedReads(context, PAGE, {
    dependsOn: () =>
      hooks().every(({ dependsOn }) => dependsOn) ? hooks().flatMap(({ dependsOn = [] }) => dependsOn) : undefined,
    load: (viewer, id, note) => reader.find(viewer, { id }, note),
    // Includes are resolved for each reader: such a page has no rendered HTML.
    shared: () =>
      hooks().length > 0
        ? undefined
        : { table: PAGE.table, isSame: sql<boolean>`${refs("pages.rendered")} is not null` },
  });
}

/** The reader whose single reads are the cached ones. */
export function cachedPageReader(
  { db }: PagesContext,
  reader: ReturnType<typeof pageReader>,
  reads: ReturnType<typeof cachedPages>,
) {
  return cachedReader(PAGE, reader, reads, ({ slug, within }) =>
    slugOwner.executeTakeFirst(db, { slug, book: bookIn(within) }),
  );
}
