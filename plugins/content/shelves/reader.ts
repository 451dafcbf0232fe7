import type { ItemReader } from "lectern/contracts";
import { prepared } from "lectern/db";
import { itemFinder } from "../_items/queries.ts";
import { addressFinder, type FoundFields, fieldsOfRow, type SlugParameters } from "../_items/reader.ts";
import { SHELF, type Shelf, type ShelvesContext } from "./contract.ts";
import { shelfPresenter } from "./presenter.ts";

const findBySlug = prepared("bookshelves.findBySlug", (db, p: SlugParameters) =>
  db
    .selectFrom("bookshelves")
    .selectAll()
    .select([p.people.as("people"), p.tags.as("tags"), p.fields.as("fields")])
    .where("bookshelves.slug", "=", p.slug)
    .where(p.visible),
);

/** Reads shelves for other plugins. */
export function shelfReader(context: ShelvesContext): ItemReader<"bookshelf"> {
  const { read } = shelfPresenter(context);
  const find = addressFinder<Shelf & Partial<FoundFields>>(context, SHELF, {
    id: itemFinder(context, SHELF),
    slug: (parameters) => findBySlug.executeTakeFirst(context.db, parameters),
  });
  return {
    kind: "bookshelf",
    noun: SHELF.noun,
    async find(viewer, where) {
      const shelf = await find(viewer, where);
      return shelf && read(shelf, viewer, fieldsOfRow(context, SHELF.kind, shelf, viewer));
    },
  };
}
