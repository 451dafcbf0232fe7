/**
 * Renames of tags: of few items within their request, of many in the background. Each is a row, and batches of items, each batch one
 * transaction with the update events of its items and with the place in the row that the rename has come to. So a rename that a killed
 * server has left goes on behind the last batch, and no item changes twice. Items change by the API's own update, as the user of the
 * rename: rights are those at that time, and search, revisions, caches and webhooks see what they see of any update. What a plugin vetoes
 * is left alone as what the user may not update.
 */
import {
  ApiError,
  denied,
  type EventTransaction,
  hasPermission,
  type JobRun,
  logRetried,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import { reasonOfRun, scopeOf, viewerOfRun } from "../_items/background_runs.ts";
import type { Rename, RenameRow, RenamesContext } from "./contract.ts";
import { countItems, lockItems, nextItems, renamedTags, TAGGED, taggedKinds } from "./items.ts";

/** Tries of a rename that fails for another reason than its items, such as a store that is away. */
export const TRIES = 5;
const FAILED = "The tag could not be renamed everywhere. The log of the server has the reason.";
/** Days that the outcome can be asked for. */
const KEPT_DAYS = 7;

const insert = prepared("tag_renames.insert", (db, p: Rename & Pick<RenameRow, "total" | "scope" | "created_by">) =>
  db
    .insertInto("tag_renames")
    .values({
      ...{ name: p.name, value: p.value, to_name: p.to_name, to_value: p.to_value },
      ...{ total: p.total, scope: p.scope, created_by: p.created_by },
    })
    .returningAll(),
);

/** SQL for a time that was so many milliseconds ago. */
const ago = (ms: number) => sql<string>`clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Starts a rename, or goes on with it; none where it has ended, or another server works on it. */
const claim = prepared("tag_renames.claim", (db, p: { id: number; staleMs: number }) =>
  db
    .updateTable("tag_renames")
    .set((eb) => ({
      status: "running" as const,
      run: eb("run", "+", eb.lit(1)),
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .where((eb) =>
      eb.or([
        eb("status", "=", sql.lit<"waiting">("waiting")),
        eb.and([eb("status", "=", sql.lit<"running">("running")), eb("updated_at", "<", ago(p.staleMs))]),
      ]),
    )
    .returningAll(),
);

type Start = Pick<RenameRow, "id" | "run">;
type Step = Start & {
  readonly changed: number;
  readonly left_alone: number;
  readonly at_kind: number;
  readonly at_id: number;
};

const advance = prepared("tag_renames.advance", (db, p: Step) =>
  db
    .updateTable("tag_renames")
    .set((eb) => ({
      changed: eb("changed", "+", p.changed),
      left_alone: eb("left_alone", "+", p.left_alone),
      total: eb.fn<number>("greatest", [
        "total",
        sql<number>`changed + left_alone + ${p.changed}::integer + ${p.left_alone}::integer`,
      ]),
      at_kind: p.at_kind,
      at_id: p.at_id,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .where("run", "=", p.run)
    .where("status", "=", sql.lit<"running">("running"))
    .returning("id"),
);

const end = prepared(
  "tag_renames.end",
  (db, p: Start & { status: "waiting" | "done" | "failed"; error: string | null }) =>
    db
      .updateTable("tag_renames")
      .set((eb) => ({ status: p.status, error: p.error, updated_at: eb.fn<string>("clock_timestamp") }))
      .where("id", "=", p.id)
      .where("run", "=", p.run)
      .where("status", "=", sql.lit<"running">("running")),
);

const read = prepared("tag_renames.read", (db, p: { id: number }) =>
  db.selectFrom("tag_renames").selectAll().where("id", "=", p.id),
);

const left = prepared("tag_renames.left", (db, p: { staleMs: number }) =>
  db
    .selectFrom("tag_renames")
    .select("id")
    .where("status", "in", [sql.lit<"waiting">("waiting"), sql.lit<"running">("running")])
    .where("updated_at", "<", ago(p.staleMs))
    .orderBy("id"),
);

const purge = prepared("tag_renames.purge", (db) =>
  db
    .deleteFrom("tag_renames")
    .where("status", "in", [sql.lit<"done">("done"), sql.lit<"failed">("failed")])
    .where("updated_at", "<", sql<string>`now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`),
);

/** The rename was started again, or its row is gone with its user: this start must change nothing more. */
class Superseded extends Error {}

/**
 * Renames a tag where few items have it, else starts to. Returns the row as it is then. Throws 403 for who may update none of the items, and
 * no others either: nothing is stored for them.
 */
export async function startRename(context: RenamesContext, viewer: Viewer, rename: Rename): Promise<RenameRow> {
  const { changes, left_alone } = await countItems(context, viewer, rename);
  if (changes === 0 && !mayUpdateSome(viewer)) throw denied();
  const total = changes + left_alone;
  const isSmall = total <= context.settings.itemsAtOnce;
  const { id } = await context.perform("tag_rename", viewer, rename, async (final, tx) => {
    const row = await insert.executeTakeFirstOrThrow(tx.db, {
      ...final,
      total,
      scope: scopeOf(viewer),
      created_by: viewer.id,
    });
    if (!isSmall) await tx.enqueue("tag_rename_run", { id: row.id });
    return { ...final, id: row.id };
  });
  if (isSmall) await runRename(context, id);
  return read.executeTakeFirstOrThrow(context.db, { id });
}

/** Whether the viewer's roles permit to update items of some kind. */
function mayUpdateSome(viewer: Viewer): boolean {
  return TAGGED.some((kind) => ["all", "own"].some((whose) => hasPermission(viewer, `${kind}-update-${whose}`)));
}

/** Does a rename from where it is. Throws where it is to be tried again; without a job the schedule tries it. */
export async function runRename(context: RenamesContext, id: number, job?: JobRun): Promise<void> {
  const { db, log, settings } = context;
  const row = await claim.executeTakeFirst(db, { id, staleMs: settings.staleMs });
  if (!row) return;
  const { run } = row;
  try {
    await renameItems(context, row, () => job?.signal.throwIfAborted());
    await end.write(db, { id, run, status: "done", error: null });
  } catch (error) {
    if (error instanceof Superseded) return;
    const isFinal = error instanceof ApiError && error.status < 500;
    const isLast = isFinal || (job !== undefined && job.attempt >= TRIES);
    const reason = isLast
      ? await reasonOfRun(context, row, { refused: isFinal ? error : undefined, failed: FAILED })
      : null;
    await end.write(db, { id, run, status: isLast ? "failed" : "waiting", error: reason });
    if (job && !isFinal) throw error;
    logRetried(log, "Cannot rename a tag", { rename: id, error });
  }
}

/** Changes the items of a rename, batch by batch, from its place on. */
async function renameItems(context: RenamesContext, row: RenameRow, check: () => void): Promise<void> {
  let after = row.at_id;
  for (const [place, kind] of taggedKinds(context).entries()) {
    if (place < row.at_kind) continue;
    if (place > row.at_kind) after = 0;
    for (;;) {
      check();
      const viewer = await viewerOfRun(context, row);
      const ids = await nextItems(context, viewer, row, { kind, after, limit: context.settings.batchItems });
      const last = ids.at(-1);
      if (last === undefined) break;
      await context.perform("tag_rename_batch", viewer, { id: row.id, kind: kind.kind, ids }, async (draft, tx) => {
        await lockItems(tx.db, kind, ids);
        const counts = { changed: 0, left_alone: 0 };
        for (const id of ids) {
          const outcome = await renameItem(row, { kind: kind.kind, path: `/api/${kind.segment}/${id}`, id }, tx);
          if (outcome !== undefined) counts[outcome]++;
        }
        const step = { id: row.id, run: row.run, ...counts, at_kind: place, at_id: last };
        if (!(await advance.executeTakeFirst(tx.db, step))) throw new Superseded();
        return { id: draft.id, ...counts };
      });
      after = last;
    }
  }
}

/** Changes one item. Undefined where none of its tags is renamed any more. Throws where the failure is none of the item's. */
async function renameItem(
  rename: Rename,
  { kind, path, id }: { readonly kind: string; readonly path: string; readonly id: number },
  tx: EventTransaction,
): Promise<"changed" | "left_alone" | undefined> {
  const tags = await renamedTags(tx.db, rename, kind, id);
  if (!tags) return undefined;
  const answer = await tx.callAs(tx.viewer, "PUT", path, { input: { tags } });
  if (answer.ok) return "changed";
  if (answer.status < 500) return "left_alone";
  throw new ApiError(answer.status, `Cannot rename a tag at ${path}: ${await answer.text()}`);
}

/** Starts again what servers that were killed have left. */
export async function resumeRenames({ db, jobs, settings }: RenamesContext): Promise<void> {
  for (const { id } of await left.execute(db, { staleMs: settings.staleMs }))
    await jobs.enqueue("tag_rename_run", { id }, { key: String(id) });
}

/** Removes renames that have ended some days ago. */
export async function purgeRenames({ db }: Pick<RenamesContext, "db">): Promise<void> {
  await purge.write(db, {});
}
