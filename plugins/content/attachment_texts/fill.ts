/**
 * Enters attachments that have no row, such as those from before this plugin was installed, and queues the reading of those that still
 * wait. It goes on where it stopped, a range of ids in each transaction, under a lock that keeps an attachment from being changed or deleted
 * meanwhile; one that a transaction is writing is left to that.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { type Attachment, record } from "./changes.ts";
import type { TextsContext } from "./contract.ts";

/** Attachments of one transaction. */
const RANGE = 200;

/** SQL for attachments whose row is missing, of another file, page or name, or waits. */
const DUE = sql`left join attachment_texts as known on known.attachment_id = attachments.id
  where (known.attachment_id is null or known.page_id <> attachments.uploaded_to or known.name <> attachments.name
    or known.file_key is distinct from attachments.file_key or known.state = 'waiting')`;

/** What a step of the fill has entered. */
interface Filled {
  /** Attachments whose files are to be read. */
  readonly waiting: readonly number[];
  /** The id to continue after; undefined at the end. */
  readonly next: number | undefined;
}

/** Enters the next attachments after an id. */
async function fillNext({ search }: Pick<TextsContext, "search">, after: number, db: Db): Promise<Filled> {
  return db.transaction().execute(async (tx) => {
    // Templates, here and below: the table may be missing, and locks of one table beside an outer join are beyond the builder.
    const due = await rows<Attachment>(
      tx,
      sql`select attachments.id, attachments.uploaded_to, attachments.name, attachments.file_key from attachments ${DUE}
        and attachments.id > ${after}::integer order by attachments.id limit ${RANGE} for share of attachments skip locked`,
    );
    const waiting: number[] = [];
    for (const attachment of due) if (await record(attachment, search, tx)) waiting.push(attachment.id);
    return { waiting, next: due.length < RANGE ? undefined : due.at(-1)?.id };
  });
}

/**
 * Enters the next attachments and queues the reading of their files. Returns the id to continue after; undefined at the end, and where the
 * plugin of attachments is left out. What a crash leaves between both steps waits for the next boot.
 */
export async function fillRange(context: TextsContext, after: number): Promise<number | undefined> {
  if (!context.keeper()) return undefined;
  const { waiting, next } = await fillNext(context, after, context.db);
  for (const id of waiting) await context.enqueueReading(id);
  return next;
}

/** A few attachments whose rows are missing or of another file, page or name, and their number. */
export async function countMissing({ db, keeper }: TextsContext): Promise<{ ids: readonly number[]; n: number }> {
  if (!keeper()) return { ids: [], n: 0 };
  const [found] = await rows<{ ids: number[] | null; n: number }>(
    db,
    sql`select (array_agg(attachments.id order by attachments.id))[1:5] as ids, count(*)::float8 as n from attachments ${DUE}
      and known.state is distinct from 'waiting'`,
  );
  return { ids: found?.ids ?? [], n: found?.n ?? 0 };
}
