/**
 * The routes of copies and conversions. Checks come in this order, as in creates of pages: the item, the body, the parent, the
 * permission. A new item is answered as its read answers it, with what is in it; a copy in the background by its progress, with 202.
 */
import { findItem, type MadeItem } from "lectern/contracts";
import { endpoint, idOf, notFound, rules, type Static, type Viewer } from "lectern/core";
import {
  COPIED,
  type Convertible,
  type CopiesContext,
  type CopyRow,
  copyRules,
  copySchema,
  createdItemSchema,
} from "./contract.ts";
import { convertBook, convertChapter } from "./conversions.ts";
import { about, examples } from "./docs.ts";
import { findOriginal, parentIn } from "./plan.ts";
import { kindOf, visibleItem } from "./queries.ts";
import { startCopy } from "./runs.ts";

const permit = "access-api";

/** Mounts the routes. */
export function mountCopies(context: CopiesContext): void {
  const { app, validate, visible } = context;
  for (const [segment, kind] of Object.entries(COPIED) as [keyof typeof COPIED, (typeof COPIED)[keyof typeof COPIED]][])
    app.post(
      `/${segment}/:id/copy`,
      async ({ viewer, params, input, set }) => {
        const original = await findOriginal(context, viewer, { kind, id: idIn(context, kind, params.id) });
        const { name, ...place } = await validate(copyRules[kind], input, viewer);
        const started = await startCopy(context, viewer, original, { name, parent: parentIn(place) });
        if ("made" in started) return shownItem(context, viewer, kind, started.made.made);
        const progress = presentCopy(context, started.row);
        set.status = 202;
        set.headers.location = progress.url;
        return progress;
      },
      {
        permit,
        response: { 200: createdItemSchema, 202: copySchema },
        ...endpoint(segment, "copy", {
          about: about[kind],
          rules: copyRules[kind],
          example: examples[kind],
          takes: "long",
        }),
      },
    );

  app.get(
    "/copies/:id",
    async ({ viewer, params }) => {
      const row = await visible("content_copies", viewer)
        .selectAll()
        .where("id", "=", idOf(params.id, "Copy"))
        .executeTakeFirst();
      if (!row) throw notFound("Copy");
      return presentCopy(context, row);
    },
    {
      permit,
      response: copySchema,
      ...endpoint("copies", "read", { about: about.read, example: examples.read }),
    },
  );

  app.post(
    "/chapters/:id/convert-to-book",
    async ({ viewer, params }) => {
      const chapter = await mayConvert(context, viewer, "chapter", params.id, ["book-create-all"]);
      const { id } = await convertChapter(context, viewer, chapter);
      return shownItem(context, viewer, "book", { id });
    },
    {
      permit,
      response: createdItemSchema,
      ...endpoint("chapters", "convert-to-book", {
        about: about.convertChapter,
        rules: rules({}),
        example: examples.convertChapter,
        takes: "long",
      }),
    },
  );

  app.post(
    "/books/:id/convert-to-shelf",
    async ({ viewer, params }) => {
      const book = await mayConvert(context, viewer, "book", params.id, ["bookshelf-create-all", "book-create-all"]);
      const { id } = await convertBook(context, viewer, book);
      return shownItem(context, viewer, "bookshelf", { id });
    },
    {
      permit,
      response: createdItemSchema,
      ...endpoint("books", "convert-to-shelf", {
        about: about.convertBook,
        rules: rules({}),
        example: examples.convertBook,
        takes: "long",
      }),
    },
  );
}

/** The id of a path. Throws the 404 of the kind. */
function idIn(context: CopiesContext, kind: string, id: string): number {
  return idOf(id, kindOf(context, kind).labels?.one ?? "Item");
}

/** An item that the viewer may convert. Throws its 404, and 403. */
async function mayConvert(
  context: CopiesContext,
  viewer: Viewer,
  kind: "book" | "chapter",
  id: string,
  creates: readonly string[],
): Promise<Convertible> {
  const { access } = context.contracts;
  const ref = { kind, id: idIn(context, kind, id) };
  const { name } = await findOriginal(context, viewer, ref);
  const item = await visibleItem(context, viewer, ref);
  for (const verb of ["update", "delete"]) await access.need(viewer, `${kind}-${verb}`, item);
  for (const permission of creates) await access.need(viewer, permission);
  return { id: ref.id, name };
}

/** A new item as its read answers it; with its name alone where its copied permissions hide it from the viewer. */
async function shownItem(
  { slot }: CopiesContext,
  viewer: Viewer,
  kind: "page" | "chapter" | "book" | "bookshelf",
  { id, shown }: { readonly id: number; readonly shown?: MadeItem["shown"] },
): Promise<Static<typeof createdItemSchema>> {
  const item = await findItem(slot("item_reader"), kind, viewer, { id });
  return item ?? { id, name: String(shown?.name ?? ""), slug: String(shown?.slug ?? "") };
}

function presentCopy({ baseUrl }: CopiesContext, row: CopyRow): Static<typeof copySchema> {
  const { parent_kind: _, parent_id: __, run: ___, scope: ____, created_by: _____, ...shown } = row;
  return { ...shown, url: `${baseUrl}/api/copies/${row.id}` };
}
