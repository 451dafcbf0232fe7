/**
 * Copies: small ones within their request, others in the background. A copy is one transaction, so that it is there whole or not at all.
 * In the background it is a row and a job: a server that works on it writes its progress beside the transaction, and the transaction
 * itself marks the row as done, if it is still that of this start. A row without a sign of life, whose server was killed, is started again
 * by the schedule "resume"; whatever its former server still does then cannot be committed. Rights are those of the copier when it
 * runs.
 */
import type { ExportEntry, ItemRef } from "lectern/contracts";
import { ApiError, type JobRun, logRetried, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { reasonOfRun, scopeOf, viewerOfRun } from "../_items/background_runs.ts";
import type { CopiesContext, CopyRow } from "./contract.ts";
import { copyItems, coverOf, type MadeCopy } from "./copy_items.ts";
import { type CopyPlan, findOriginal, planCopy } from "./plan.ts";

/** Tries of a copy that fails for another reason than its content, such as a store that is away. */
export const TRIES = 5;
/** Between two writes of the progress. */
const PROGRESS_MS = 500;
const FAILED = "The copy could not be made. The log of the server has the reason.";
/** Days that the outcome can be asked for. */
const KEPT_DAYS = 7;

const insert = prepared(
  "content_copies.insert",
  (
    db,
    p: Pick<CopyRow, "kind" | "item_id" | "name" | "parent_kind" | "parent_id" | "total" | "scope" | "created_by">,
  ) =>
    db
      .insertInto("content_copies")
      .values({
        ...{ kind: p.kind, item_id: p.item_id, name: p.name, parent_kind: p.parent_kind, parent_id: p.parent_id },
        ...{ total: p.total, scope: p.scope, created_by: p.created_by },
      })
      .returningAll(),
);

/** SQL for a time that was so many milliseconds ago. */
const ago = (ms: number) => sql<string>`clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Starts a copy; none where it has ended, or another server works on it. */
const claim = prepared("content_copies.claim", (db, p: { id: number; staleMs: number }) =>
  db
    .updateTable("content_copies")
    .set((eb) => ({
      status: "running" as const,
      run: eb("run", "+", eb.lit(1)),
      done: eb.lit(0),
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

type Start = Pick<CopyRow, "id" | "run">;

const tell = prepared("content_copies.tell", (db, p: Start & { done: number; total: number }) =>
  db
    .updateTable("content_copies")
    .set((eb) => ({ done: p.done, total: p.total, updated_at: eb.fn<string>("clock_timestamp") }))
    .where("id", "=", p.id)
    .where("run", "=", p.run)
    .where("status", "=", sql.lit<"running">("running")),
);

const complete = prepared("content_copies.complete", (db, p: Start & { total: number; copyId: number }) =>
  db
    .updateTable("content_copies")
    .set((eb) => ({
      status: "done" as const,
      done: p.total,
      total: p.total,
      copy_id: p.copyId,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .where("run", "=", p.run)
    .where("status", "=", sql.lit<"running">("running"))
    .returning("id"),
);

const end = prepared("content_copies.end", (db, p: Start & { status: "waiting" | "failed"; error: string | null }) =>
  db
    .updateTable("content_copies")
    .set((eb) => ({ status: p.status, done: eb.lit(0), error: p.error, updated_at: eb.fn<string>("clock_timestamp") }))
    .where("id", "=", p.id)
    .where("run", "=", p.run)
    .where("status", "=", sql.lit<"running">("running")),
);

const left = prepared("content_copies.left", (db, p: { staleMs: number }) =>
  db
    .selectFrom("content_copies")
    .select("id")
    .where("status", "in", [sql.lit<"waiting">("waiting"), sql.lit<"running">("running")])
    .where("updated_at", "<", ago(p.staleMs))
    .orderBy("id"),
);

const purge = prepared("content_copies.purge", (db) =>
  db
    .deleteFrom("content_copies")
    .where("status", "in", [sql.lit<"done">("done"), sql.lit<"failed">("failed")])
    .where("updated_at", "<", sql<string>`now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`),
);

/** The copy was started again, or its row is gone with its user: this start must leave nothing. */
class Superseded extends Error {}

/** A copy as its transaction made it, or the row of one that is made in the background. */
export type StartedCopy = { readonly made: MadeCopy } | { readonly row: CopyRow };

/** Copies an item, or starts to. Throws the 404 of the parent and the 403 of a create there. */
export async function startCopy(
  context: CopiesContext,
  viewer: Viewer,
  original: ExportEntry,
  wanted: { readonly name?: string | undefined; readonly parent?: ItemRef | undefined },
): Promise<StartedCopy> {
  const plan = await planCopy(context, viewer, original, wanted);
  if (plan.pages <= context.settings.pagesAtOnce) return { made: await copyPlanned(context, viewer, plan) };
  const { kind, id, name, parent } = plan.draft;
  const row = await insert.executeTakeFirstOrThrow(context.db, {
    ...{ kind, item_id: id, name, parent_kind: parent?.kind ?? null, parent_id: parent?.id ?? null },
    ...{ total: plan.total, scope: scopeOf(viewer), created_by: viewer.id },
  });
  await context.jobs.enqueue("content_copy_run", { id: row.id });
  return { row };
}

interface RunParts {
  readonly onMade?: (done: number) => void;
  /** Called in the transaction, once all is made. */
  readonly onDone?: (copy: MadeCopy, db: CopiesContext["db"]) => Promise<void>;
}

async function copyPlanned(
  context: CopiesContext,
  viewer: Viewer,
  plan: CopyPlan,
  { onMade, onDone }: RunParts = {},
): Promise<MadeCopy> {
  const cover = await coverOf(context, viewer, plan.draft);
  return context.perform("content_copy", viewer, plan.draft, async (final, tx) => {
    const parts = { plan: { ...plan, draft: final }, cover, ...(onMade && { onMade }) };
    const copy = await copyItems(context, parts, tx);
    await onDone?.(copy, tx.db);
    return { ...final, ...copy };
  });
}

/** Does the job of a copy in the background. Throws where it is to be tried again. */
export async function runCopy(context: CopiesContext, id: number, job: JobRun): Promise<void> {
  const { db, log, settings } = context;
  const row = await claim.executeTakeFirst(db, { id, staleMs: settings.staleMs });
  if (!row) return;
  const state = { done: 0, total: row.total };
  const told = setInterval(
    () => {
      tell
        .write(db, { id, run: row.run, ...state })
        .catch((error: unknown) => logRetried(log, "Cannot store the progress of a copy", { copy: id, error }));
    },
    Math.min(PROGRESS_MS, settings.staleMs / 4),
  );
  try {
    await copyRow(context, row, {
      onPlanned: (total) => {
        state.total = total;
      },
      onMade: (done) => {
        job.signal.throwIfAborted();
        state.done = done;
      },
    });
  } catch (error) {
    clearInterval(told);
    if (error instanceof Superseded) return;
    const isFinal = error instanceof ApiError && error.status < 500;
    const status = isFinal || job.attempt >= TRIES ? "failed" : "waiting";
    const reason =
      status === "failed"
        ? await reasonOfRun(context, row, { refused: isFinal ? error : undefined, failed: FAILED })
        : null;
    await end.write(db, { id, run: row.run, status, error: reason });
    if (!isFinal) throw error;
  } finally {
    clearInterval(told);
  }
}

async function copyRow(
  context: CopiesContext,
  row: CopyRow,
  { onPlanned, onMade }: { readonly onPlanned: (total: number) => void; readonly onMade: (done: number) => void },
): Promise<void> {
  const viewer = await viewerOfRun(context, row);
  const { kind, item_id, name, parent_kind, parent_id } = row;
  const original = await findOriginal(context, viewer, { kind, id: item_id });
  const parent = parent_kind === null || parent_id === null ? undefined : { kind: parent_kind, id: parent_id };
  const plan = await planCopy(context, viewer, original, { name, parent });
  onPlanned(plan.total);
  await copyPlanned(context, viewer, plan, {
    onMade,
    async onDone({ made, copies }, db) {
      const start = { id: row.id, run: row.run, total: copies.length, copyId: made.id };
      if (!(await complete.executeTakeFirst(db, start))) throw new Superseded();
    },
  });
}

/** Starts again what servers that were killed have left. */
export async function resumeCopies({ db, jobs, settings }: CopiesContext): Promise<void> {
  for (const { id } of await left.execute(db, { staleMs: settings.staleMs }))
    await jobs.enqueue("content_copy_run", { id }, { key: String(id) });
}

/** Removes copies that have ended some days ago. */
export async function purgeCopies({ db }: Pick<CopiesContext, "db">): Promise<void> {
  await purge.write(db, {});
}
