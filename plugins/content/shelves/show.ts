import { withResponseFields } from "lectern/contracts";
import { peopleOf, type ResourceHandlers, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { ShelvesContext } from "./_context.ts";
import { booksOf } from "./books.ts";
import type { CreateRules, Shelf, UpdateRules } from "./contract.ts";

type Handlers = ResourceHandlers<Shelf, CreateRules, UpdateRules, true>;

/** How shelves are found and shown (content-api 6). */
export function showing(context: ShelvesContext): Pick<Handlers, "find" | "listed" | "show"> {
  const {
    contracts: { users, tags, markup },
    db,
    slot,
    visible,
  } = context;
  const people = peopleOf(users, "bookshelves");
  const ownTags = tags.of("bookshelf", sql.ref("bookshelves.id"));
  const saved = (shelf: Shelf) => ({
    id: shelf.id,
    name: shelf.name,
    slug: shelf.slug,
    description: shelf.description,
    description_html: markup.describeHtml(shelf.description_html, shelf.description),
    created_by: shelf.created_by,
    updated_by: shelf.updated_by,
    owned_by: shelf.owned_by,
    created_at: shelf.created_at,
    updated_at: shelf.updated_at,
    tags: shelf.tags,
    cover: null,
  });
  return {
    async find(viewer, id) {
      const [shelf] = await rows<Shelf>(
        db,
        sql`select bookshelves.*, ${people} as people, ${ownTags} as tags
        from bookshelves where bookshelves.id = ${id} and ${visible.where("bookshelves", viewer)}`,
      );
      return shelf;
    },
    listed: (records, viewer) =>
      withResponseFields(
        slot("response_fields"),
        "bookshelf",
        "listed",
        records.map((record) => ({ ...(record as { id: number }), cover: null })),
        viewer,
      ),
    async show(shelf, viewer, moment) {
      if (moment === "saved")
        return (await withResponseFields(slot("response_fields"), "bookshelf", "saved", [saved(shelf)], viewer))[0];
      const [[shown], books] = await Promise.all([
        withResponseFields(
          slot("response_fields"),
          "bookshelf",
          "read",
          [{ ...saved(shelf), ...shelf.people }],
          viewer,
        ),
        booksOf(context, shelf.id, viewer),
      ]);
      return { ...shown, books };
    },
  };
}
