import { endpoint, type PluginContext, rules, type Viewer } from "lectern/core";
import { removeUnused } from "./changes.ts";
import { deletedImagesSchema, type ImageRow, type ImagesContext, unusedImagesSchema } from "./contract.ts";
import { about } from "./docs.ts";
import { imageSummary } from "./presenter.ts";
import { unusedImages } from "./queries.ts";

/** Images that the answer lists; `total` counts all. */
const MAX_LISTED = 100;
const cleanupRules = rules({ ignore_revisions: ["boolean"] });

/** Minimum age of unused images in days: a newer image may be in a page that is not saved yet. */
export const DEFAULT_MIN_AGE_DAYS = 1;

/** Mounts the routes that count and remove the images that no page shows. */
export function mountUnusedRoutes(
  plugin: Pick<PluginContext, "app" | "files" | "perform" | "validate">,
  { baseUrl, db }: Pick<ImagesContext, "baseUrl" | "db">,
): void {
  const { app, validate } = plugin;
  const findUnused = async (input: Parameters<typeof validate>[1], viewer: Viewer): Promise<ImageRow[]> => {
    const { ignore_revisions } = await validate(cleanupRules, input, viewer);
    return unusedImages(db, { ignoreRevisions: ignore_revisions === true, days: DEFAULT_MIN_AGE_DAYS });
  };
  app.get(
    "/image-gallery/unused",
    async ({ viewer, nestedQuery }) => {
      const unused = await findUnused(nestedQuery, viewer);
      return { data: unused.slice(0, MAX_LISTED).map((row) => imageSummary(row, baseUrl)), total: unused.length };
    },
    {
      permit: "settings-manage",
      response: unusedImagesSchema,
      ...endpoint("image-gallery", "unused", { about: about.unused, rules: cleanupRules }),
    },
  );
  app.delete(
    "/image-gallery/unused",
    async ({ viewer, input }) => {
      const unused = await findUnused(input, viewer);
      await removeUnused(plugin, unused, { viewer });
      return { delete_count: unused.length };
    },
    {
      permit: "settings-manage",
      response: deletedImagesSchema,
      ...endpoint("image-gallery", "deleteUnused", { about: about.deleteUnused, rules: cleanupRules }),
    },
  );
}
