import { endpoint, idOf, notFound, type PluginContext, type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { type ImagesContext, imageUsesSchema } from "./contract.ts";
import { about } from "./docs.ts";
import { findVisible, namesImage } from "./queries.ts";

/** Pages that the answer lists; `total` counts all. */
const MAX_LISTED = 100;

const uses = prepared("images.uses", (db, p: { path: string; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("pages")
    .select(["pages.id", "pages.name", "pages.slug", "pages.book_id"])
    .where((eb) => eb.and(namesImage(eb.ref("pages.html"), sql`${p.path}::text`)))
    .where(p.visible)
    .orderBy("pages.id"),
);

/** Mounts the route that says which pages show an image. */
export function mountUsesRoute({ app }: Pick<PluginContext, "app">, context: ImagesContext): void {
  app.get(
    "/image-gallery/:id/uses",
    async ({ viewer, params }) => {
      const row = await findVisible(context, viewer, { id: idOf(params.id, "Image") });
      if (!row) throw notFound("Image");
      const found = await uses.execute(context.db, { path: row.path, visible: context.visibleTo("pages", viewer) });
      return { data: found.slice(0, MAX_LISTED), total: found.length };
    },
    {
      permit: "access-api",
      response: imageUsesSchema,
      ...endpoint("image-gallery", "uses", { about: about.uses }),
    },
  );
}
