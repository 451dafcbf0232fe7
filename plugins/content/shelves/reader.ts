import type { QueryCreator } from "kysely";
import type { ItemReader } from "lectern/contracts";
import { prepared, type Tables } from "lectern/db";
import { addressFinder, type FindParameters, type FoundFields, fieldsOfRow } from "../_items/reader.ts";
import { SHELF, type Shelf, type ShelvesContext } from "./contract.ts";
import { shelfPresenter } from "./presenter.ts";

const findById = prepared("bookshelves.findById", (db, p: FindParameters & { id: number }) =>
  visibleShelves(db, p).where("bookshelves.id", "=", p.id),
);

const findBySlug = prepared("bookshelves.findBySlug", (db, p: FindParameters & { slug: string }) =>
  visibleShelves(db, p).where("bookshelves.slug", "=", p.slug),
);

const slugOwner = prepared("bookshelves.slugOwner", (db, p: { slug: string }) =>
  db
    .selectFrom("bookshelves")
    .select("bookshelves.id")
    .where("bookshelves.slug", "=", p.slug)
    .where("bookshelves.deleted_at", "is", null),
);

function visibleShelves(db: QueryCreator<Tables>, p: FindParameters) {
  return db
    .selectFrom("bookshelves")
    .selectAll()
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where(p.visible);
}

/** Reads shelves, for the API and for other plugins. */
export function shelfReader(context: ShelvesContext) {
  const { whole } = shelfPresenter(context);
  const find = addressFinder<Shelf & FoundFields>(context, SHELF, {
    id: (parameters) => findById.executeTakeFirst(context.db, parameters),
    slug: (parameters) => findBySlug.executeTakeFirst(context.db, parameters),
  });
  return {
    kind: "bookshelf",
    noun: SHELF.noun,
    async find(viewer, where) {
      const shelf = await find(viewer, where);
      return shelf && whole(shelf, viewer, fieldsOfRow(context, SHELF.kind, shelf, viewer));
    },
  } satisfies ItemReader<"bookshelf">;
}

/** The shelf with a slug as written, whoever sees it. */
export function shelfOfSlug({ db }: ShelvesContext) {
  return ({ slug }: { readonly slug: string }) => slugOwner.executeTakeFirst(db, { slug });
}
