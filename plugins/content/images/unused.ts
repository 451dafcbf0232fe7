import { endpoint, type PluginContext, type RawBuilder, rules, SYSTEM, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { facts } from "./show.ts";
import { forget } from "./write.ts";

/** Pictures that an answer names; the rest is counted. */
const NAMED = 100;
const cleanupRules = rules({ ignore_revisions: ["boolean"] });

/** Days for which a picture is left alone: what was added today may stand in a page that is not saved yet. */
export const DAYS_OF_GRACE = 1;

/** Which pictures count as unused. */
export interface Unused {
  readonly ignoreRevisions: boolean;
  /** Younger pictures are left alone. */
  readonly days: number;
}

/** Pictures of the gallery whose file's name stands in no page, in the bin or not, nor in a kept revision. */
export function unusedImages(db: Pick<Db, "executeQuery">, { ignoreRevisions, days }: Unused): Promise<ImageRow[]> {
  const name = sql`substring(images.path from '[^/]+/[^/]+/[^/]+$')`;
  const stem = sql`split_part(${name}, '/', 1) || '/' || split_part(${name}, '/', 2) || '/'`;
  const file = sql`'/' || split_part(${name}, '/', 3)`;
  const shows = (table: string): RawBuilder<unknown> =>
    sql`exists (select from ${sql.table(table)} t where position(${stem} in t.html) > 0 and position(${file} in t.html) > 0)`;
  return rows<ImageRow>(
    db,
    sql`select * from images where type in ('gallery', 'drawio')
      and greatest(created_at, updated_at) <= now() - make_interval(days => ${days}::integer) and not ${shows("pages")}
      ${ignoreRevisions ? sql`` : sql`and not ${shows("page_revisions")}`} order by id`,
  );
}

/** Removes pictures with their files, once it has been told that somebody cleans up; `told` hears of each. */
export async function removeUnused(
  context: Pick<PluginContext, "files" | "perform">,
  unused: readonly ImageRow[],
  { viewer = SYSTEM, told }: { readonly viewer?: Viewer; told?(row: ImageRow): void } = {},
): Promise<void> {
  await context.perform("maintenance_action_run", viewer, { action: "cleanup-images" }, async (final) => final);
  for (const row of unused) {
    await remove(context, row, viewer);
    told?.(row);
  }
}

async function remove(
  { files, perform }: Pick<PluginContext, "files" | "perform">,
  row: ImageRow,
  viewer: Viewer,
): Promise<void> {
  await perform("image_delete", viewer, row, async (final, tx) => {
    await rows(tx.db, sql`delete from images where id = ${final.id}::integer`);
    tx.afterCommit(() => forget({ files }, final.file_key));
    return final;
  });
}

/** Mounts what those who manage settings ask and do about pictures that no page shows. */
export function mountUnused(
  context: Pick<PluginContext, "app" | "files" | "perform" | "validate">,
  { baseUrl, db }: Pick<Parts, "baseUrl" | "db">,
): void {
  const { app, validate } = context;
  app.get(
    "/image-gallery/unused",
    async ({ viewer, asked }) => {
      const { ignore_revisions } = await validate(cleanupRules, asked, viewer);
      const unused = await unusedImages(db, { ignoreRevisions: ignore_revisions === true, days: DAYS_OF_GRACE });
      return { data: unused.slice(0, NAMED).map((row) => facts(row, baseUrl)), total: unused.length };
    },
    { permit: "settings-manage", ...endpoint("image-gallery", "unused", { about: ABOUT, rules: cleanupRules }) },
  );
  app.delete(
    "/image-gallery/unused",
    async ({ viewer, input }) => {
      const { ignore_revisions } = await validate(cleanupRules, input, viewer);
      const unused = await unusedImages(db, { ignoreRevisions: ignore_revisions === true, days: DAYS_OF_GRACE });
      await removeUnused(context, unused, { viewer });
      return { delete_count: unused.length };
    },
    {
      permit: "settings-manage",
      ...endpoint("image-gallery", "deleteUnused", { about: ABOUT_DELETE, rules: cleanupRules }),
    },
  );
}

const ABOUT =
  "Counts pictures of the gallery that no page and no kept revision shows, and names the first hundred of them. " +
  "With `ignore_revisions`, those that revisions alone show are among them; those of the last day never are.";
const ABOUT_DELETE = "Removes the pictures that the request of the same path by GET counts, for good.";
