/**
 * The recycle bin (platform 7): what was deleted can be brought back or removed for good. Items are marked as deleted by
 * the plugins they belong to; the bin keeps one entry for each explicit delete and walks the kinds of content for what
 * lies below. What hangs on items that go for good is removed by whoever hung it there. Entries older than a setting go
 * by themselves.
 */
import { activityOf } from "lectern/contracts";
import {
  definePlugin,
  type EventTransaction,
  endpoint,
  idOf,
  type PluginContext,
  requirePermission,
  rules,
  sql,
  t,
  type Viewer,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import { about, examples } from "./about.ts";
import type { Deletion, Emptied, NamedDeletion } from "./contract.ts";
import { destroy } from "./destroy.ts";
import { lockEntry, putIn } from "./entries.ts";
import type { FindKind } from "./kinds.ts";
import { migrations } from "./migrations.ts";
import { hasDue, type PurgeParts, purge, purgeEntry } from "./purge.ts";
import { restore } from "./restore.ts";
import { listing, withItems } from "./show.ts";

const HOUR_MS = 3_600_000;
/** No more days than a timestamp can go back. */
const MAX_DAYS = 1_000_000;

type Context = Pick<PluginContext, "app" | "list" | "perform" | "slot"> & { readonly db: Pick<Db, "executeQuery"> };

export default definePlugin({
  name: "recycle_bin",
  permissions: { write: ["deletions"] },
  settings: t.Object({
    lifetime: t.Integer({
      default: 30,
      minimum: -1,
      maximum: MAX_DAYS,
      env: "RECYCLE_BIN_LIFETIME",
      description: "Days after which deleted items are removed for good; 0 at once, -1 never",
    }),
  }),
  migrations,
  events: ["recycle_bin_restore", "recycle_bin_destroy", "recycle_bin_empty", "recycle_bin_purge"],
  setup(context) {
    const { contribute, every, job, log, visibilityRule, on, onAny, settings, slot } = context;
    const parts: Context = { ...context, db: context.db as unknown as Context["db"] };
    const find: FindKind = (name) => slot("content").find(({ kind }) => kind === name);
    const remove = (entry: NamedDeletion, tx: EventTransaction) =>
      destroy({ kinds: slot("content"), find, dependents: slot("dependents") }, entry, tx);
    const purging: PurgeParts = { ...parts, log, remove };
    const { lifetime } = settings;

    visibilityRule("deletions", () => true);
    onAny({
      async inTransaction({ name, result }, tx) {
        const kind = name.endsWith("_delete") ? find(name.slice(0, -"_delete".length)) : undefined;
        if (!kind) return;
        const { id } = await putIn(kind, result as { id: number; name: string }, tx);
        // Others may still look at the item when they join; it goes once the delete has been committed.
        if (lifetime === 0) tx.afterCommit(() => purgeEntry(purging, id));
        else if (lifetime > 0 && (await hasDue(tx.db, lifetime)))
          await tx.enqueue("recycle_bin_purge", {}, { key: "due" });
      },
    });
    on("user_delete", {
      async inTransaction({ id }, { db }) {
        await rows(db, sql`update deletions set deleted_by = null where deleted_by = ${id}::integer`);
      },
    });
    for (const event of ["recycle_bin_restore", "recycle_bin_destroy"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [
          {
            type: event,
            detail: detailOf(result),
            path: `/settings/recycle-bin/${result.id}/restore`,
            subject: `${result.deletable_type} ${result.deletable_id}`,
          },
        ]),
      );
    contribute(
      "activity",
      activityOf("recycle_bin_empty", () => [{ type: "recycle_bin_empty", detail: "" }]),
    );
    job("recycle_bin_purge", () => purge(purging, lifetime));
    if (lifetime >= 0) every("purge", HOUR_MS, () => purge(purging, lifetime));

    mountList(parts, find);
    mountEmpty(parts, purging);
    mountEntries(parts, {
      restore: (entry, tx) => restore(slot("content"), find, entry, tx),
      destroy: remove,
    });
  },
});

/** Who looks after the bin needs both rights (platform 7). */
function needBoth(viewer: Viewer): void {
  requirePermission(viewer, "restrictions-manage-all");
}

function mountList({ app, db, list, slot }: Context, find: FindKind): void {
  app.get(
    "/recycle-bin",
    async ({ viewer, asked }) => {
      needBoth(viewer);
      const { data, total } = await list<Deletion>(listing, viewer, asked);
      return { data: await withItems(db, slot("content"), find, data), total };
    },
    { permit: "settings-manage", ...endpoint("recycle-bin", "list", { about: about.list, example: examples.list }) },
  );
}

/** Empties the bin, each entry in a transaction of its own as when it empties itself. */
function mountEmpty({ app, db }: Context, purging: PurgeParts): void {
  app.delete(
    "/maintenance/recycle-bin",
    async ({ viewer }) => {
      needBoth(viewer);
      await purging.perform("recycle_bin_empty", viewer, {}, async (final) => final);
      let delete_count = 0;
      for (const { id } of await rows<{ id: number }>(db, sql`select id from deletions order by id`))
        delete_count += await purgeEntry(purging, id, viewer);
      return { delete_count };
    },
    { permit: "settings-manage", ...endpoint("recycle-bin", "empty", { about: about.empty }) },
  );
}

function mountEntries(
  { app, perform, slot }: Context,
  run: Readonly<Record<"restore" | "destroy", (entry: NamedDeletion, tx: EventTransaction) => Promise<number>>>,
): void {
  const act = async (action: "restore" | "destroy", viewer: Viewer, param: string): Promise<number> => {
    needBoth(viewer);
    const draft = { id: idOf(param, "Deletion") } as NamedDeletion;
    // The entry is locked and named within the action, so that of two who restore it one finds it gone.
    const { count } = await perform(`recycle_bin_${action}`, viewer, draft, async ({ id }, tx): Promise<Emptied> => {
      const entry = await lockEntry(slot("content"), id, tx);
      return { ...entry, count: await run[action](entry, tx) };
    });
    return count;
  };
  const described = (action: "restore" | "destroy") =>
    ({
      permit: "settings-manage",
      ...endpoint("recycle-bin", action, {
        about: about[action],
        example: examples[action],
        ...(action === "restore" && { rules: rules({}) }),
      }),
    }) as const;
  app.put(
    "/recycle-bin/:id",
    async ({ viewer, params }) => ({ restore_count: await act("restore", viewer, params.id) }),
    described("restore"),
  );
  app.delete(
    "/recycle-bin/:id",
    async ({ viewer, params }) => ({ delete_count: await act("destroy", viewer, params.id) }),
    described("destroy"),
  );
}

/** How the log tells of an entry (platform 6.3). */
function detailOf({ id, deletable_type, deletable_id, name }: NamedDeletion): string {
  return name === null ? `Deletion (${id})` : `Deletion (${id}) for ${deletable_type} (${deletable_id}) ${name}`;
}
