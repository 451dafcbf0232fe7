/**
 * The routes of the recycle bin (content-api 13): listing, restoring, deleting for good, and emptying. Each of them needs the
 * permissions settings-manage and restrictions-manage-all.
 */
import { type EventTransaction, endpoint, idOf, requirePermission, rules, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { destroyEntry, lockEntry } from "./changes.ts";
import {
  type Deletion,
  type DeletionOutcome,
  deletionListingSchema,
  destroyedSchema,
  emptiedSchema,
  type NamedDeletion,
  type RecycleBinContext,
  restoredSchema,
} from "./contract.ts";
import { about, examples } from "./docs.ts";
import { kindNames } from "./hierarchy.ts";
import { listing, withItems } from "./presenter.ts";
import { purgeUnlessKept } from "./purge.ts";
import { restoreEntry } from "./restore.ts";

/** The routes need this permission and `restrictions-manage-all` (platform 7). */
const PERMIT = "settings-manage";

const allEntries = prepared("recycle_bin.allEntries", (db, _p: Record<never, never>) =>
  db.selectFrom("deletions").select(["id", "deletable_type"]).orderBy("id"),
);

/** Mounts the routes of the recycle bin. */
export function mountRecycleBin(context: RecycleBinContext): void {
  mountList(context);
  mountEmpty(context);
  mountEntries(context);
}

function requireSecondPermission(viewer: Viewer): void {
  requirePermission(viewer, "restrictions-manage-all");
}

function mountList({ app, db, list, slot }: RecycleBinContext): void {
  app.get(
    "/recycle-bin",
    async ({ viewer, nestedQuery }) => {
      requireSecondPermission(viewer);
      const { data, total } = await list<Deletion>(listing, viewer, nestedQuery);
      return { data: await withItems(db, slot("content"), data), total };
    },
    {
      permit: PERMIT,
      response: deletionListingSchema,
      ...endpoint("recycle-bin", "list", { about: about.list, example: examples.list }),
    },
  );
}

/**
 * Emptying removes each entry in a transaction of its own, as the purge of expired entries does. Entries that cannot be removed, as
 * the plugin of their kind or of rows that refer to them is not installed, stay; the answer counts them.
 */
function mountEmpty(context: RecycleBinContext): void {
  const { app, db, perform } = context;
  app.delete(
    "/maintenance/recycle-bin",
    async ({ viewer }) => {
      requireSecondPermission(viewer);
      await perform("recycle_bin_empty", viewer, {}, async (final) => final);
      let delete_count = 0;
      const entries = await allEntries.execute(db, {});
      const kinds = kindNames(context);
      let kept_count = 0;
      for (const { id, deletable_type } of entries) {
        const count = kinds.includes(deletable_type) ? await purgeUnlessKept(context, id, viewer) : undefined;
        if (count === undefined) kept_count++;
        else delete_count += count;
      }
      return { delete_count, ...(kept_count > 0 && { kept_count }) };
    },
    { permit: PERMIT, response: emptiedSchema, ...endpoint("recycle-bin", "empty", { about: about.empty }) },
  );
}

function mountEntries(context: RecycleBinContext): void {
  const { app, perform } = context;
  const actions: Readonly<
    Record<"restore" | "destroy", (entry: NamedDeletion, tx: EventTransaction) => Promise<number>>
  > = {
    restore: (entry, tx) => restoreEntry(context, entry, tx),
    destroy: (entry, tx) => destroyEntry(context, entry, tx),
  };
  const run = async (action: "restore" | "destroy", viewer: Viewer, param: string): Promise<number> => {
    requireSecondPermission(viewer);
    const draft = { id: idOf(param, "Deletion") };
    // The entry is locked within the action: of two concurrent requests for it, the second one answers 404.
    const { count } = await perform(
      `recycle_bin_${action}`,
      viewer,
      draft,
      async ({ id }, tx): Promise<DeletionOutcome> => {
        const entry = await lockEntry(context, id, tx);
        return { ...entry, count: await actions[action](entry, tx) };
      },
    );
    return count;
  };
  const described = (action: "restore" | "destroy") =>
    ({
      permit: PERMIT,
      ...endpoint("recycle-bin", action, {
        about: about[action],
        example: examples[action],
        errors: [409],
        ...(action === "restore" && { rules: rules({}) }),
      }),
    }) as const;
  app.put(
    "/recycle-bin/:id",
    async ({ viewer, params }) => ({ restore_count: await run("restore", viewer, params.id) }),
    { ...described("restore"), response: restoredSchema },
  );
  app.delete(
    "/recycle-bin/:id",
    async ({ viewer, params }) => ({ delete_count: await run("destroy", viewer, params.id) }),
    { ...described("destroy"), response: destroyedSchema },
  );
}
