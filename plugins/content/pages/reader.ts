import { fieldsOfRead, type ItemReader, mergeResponseFields, responseFieldsOf } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { addressFinder, bookIn, bookInAnyCase, type FoundFields, type SlugParameters } from "../_items/reader.ts";
import type { FoundPage, PagesContext } from "./contract.ts";
import { NO_COMMENTS, presentPage } from "./presenter.ts";
import { pageFinder } from "./queries.ts";

/** A page as it is found; `fields` where it was found by its slug. */
type Found = FoundPage & Partial<FoundFields>;

const PAGE = { kind: "page", table: "pages" } as const;

const findBySlug = prepared("pages.findBySlug", (db, p: SlugParameters & { book: RawBuilder<number> }) =>
  db
    .selectFrom("pages")
    .select(["id", "book_id", "chapter_id", "name", "slug", "html", "markdown", "rendered", "priority", "draft"])
    .select(["template", "revision_count", "editor", "created_by", "updated_by", "owned_by", "acl_id"])
    .select(["created_at", "updated_at", "deleted_at"])
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where("pages.book_id", "=", p.book)
    .where("pages.slug", "=", p.slug)
    .where(p.visible),
);

/** Reads pages for other plugins. */
export function pageReader(context: PagesContext): ItemReader<"page"> {
  const { db, slot } = context;
  const find = addressFinder<Found>(context, PAGE, {
    id: pageFinder(context).visible,
    slug: (parameters, _viewer, within) => findBySlug.executeTakeFirst(db, { ...parameters, book: bookIn(within) }),
    within: (within) => sql`pages.book_id in ${bookInAnyCase(within)}`,
  });
  const fieldsOf = ({ id, fields }: Found, viewer: Viewer) =>
    fields
      ? fieldsOfRead(slot("response_fields"), PAGE.kind, { id, selected: fields }, viewer)
      : responseFieldsOf(slot("response_fields"), PAGE.kind, "read", [id], viewer);
  return {
    kind: "page",
    noun: "Page",
    async find(viewer, where) {
      const row = await find(viewer, where);
      if (!row) return undefined;
      const [page, fields] = await Promise.all([presentPage(context, row, viewer), fieldsOf(row, viewer)]);
      const whole = { ...page, comments: NO_COMMENTS };
      const [shown = whole] = mergeResponseFields([whole], fields);
      return shown;
    },
  };
}
