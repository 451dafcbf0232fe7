/**
 * Writes the rows of attachments in the transactions that write these: a new file has no text until it is read, so that the text of a
 * replaced one is found no more, and a page that gets an attachment gets its text with it. What a job has read is stored if the
 * attachment still has that file.
 */
import type { Search } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { TextState } from "./contract.ts";
import type { Reason } from "./extraction/order.ts";

/** The columns of an attachment that a row is made of. */
export interface Attachment {
  readonly id: number;
  readonly uploaded_to: number;
  readonly name: string;
  /** Null for links. */
  readonly file_key: string | null;
}

const put = prepared(
  "attachment_texts.put",
  (db, p: Attachment & { readonly state: TextState; readonly words: string }) =>
    db
      .insertInto("attachment_texts")
      .values({
        attachment_id: p.id,
        page_id: p.uploaded_to,
        name: p.name,
        file_key: p.file_key,
        state: p.state,
        reason: null,
        text: null,
        words: sql<string>`${p.words}::tsvector`,
      })
      .onConflict((conflict) =>
        conflict.column("attachment_id").doUpdateSet((eb) => ({
          page_id: eb.ref("excluded.page_id"),
          name: eb.ref("excluded.name"),
          file_key: eb.ref("excluded.file_key"),
          state: eb.ref("excluded.state"),
          reason: null,
          tries: 0,
          text: null,
          words: eb.ref("excluded.words"),
          read_at: null,
        })),
      ),
);

const find = prepared("attachment_texts.find", (db, p: { id: number }) =>
  db.selectFrom("attachment_texts").select(["page_id", "name", "file_key", "state"]).where("attachment_id", "=", p.id),
);

const findWords = prepared("attachment_texts.findWords", (db, p: { id: number }) =>
  db
    .selectFrom("attachment_texts")
    .select(sql<string | null>`words::text`.as("words"))
    .where("attachment_id", "=", p.id),
);

const findText = prepared("attachment_texts.findText", (db, p: { id: number }) =>
  db.selectFrom("attachment_texts").select(["name", "file_key", "state", "text"]).where("attachment_id", "=", p.id),
);

const place = prepared("attachment_texts.place", (db, p: { id: number; pageId: number; name: string }) =>
  db.updateTable("attachment_texts").set({ page_id: p.pageId, name: p.name }).where("attachment_id", "=", p.id),
);

const begin = prepared("attachment_texts.begin", (db, p: { id: number; fileKey: string }) =>
  db
    .updateTable("attachment_texts")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("attachment_id", "=", p.id)
    .where("file_key", "=", p.fileKey)
    .where("state", "=", "waiting")
    .returning("tries"),
);

interface Settled {
  readonly id: number;
  readonly fileKey: string;
  readonly state: TextState;
  readonly reason: Reason | null;
  readonly text: string | null;
}

const settle = prepared(
  "attachment_texts.settle",
  (db, p: Settled & { readonly name: string; readonly words: string }) =>
    db
      .updateTable("attachment_texts")
      .set({
        state: p.state,
        reason: p.reason,
        text: p.text,
        words: sql<string>`${p.words}::tsvector`,
        read_at: sql<string>`now()`,
      })
      .where("attachment_id", "=", p.id)
      .where("file_key", "=", p.fileKey)
      .where("name", "=", p.name)
      .where("state", "=", "waiting"),
);

const putWords = prepared(
  "attachment_texts.putWords",
  (db, p: { id: number; name: string; fileKey: string | null; words: string }) =>
    db
      .updateTable("attachment_texts")
      .set({ words: sql<string>`${p.words}::tsvector` })
      .where("attachment_id", "=", p.id)
      .where("name", "=", p.name)
      .where(sql<boolean>`file_key is not distinct from ${p.fileKey}`)
      .where("state", "<>", "waiting"),
);

const deleteOne = prepared("attachment_texts.delete", (db, p: { id: number }) =>
  db
    .deleteFrom("attachment_texts")
    .where("attachment_id", "=", p.id)
    .returning(sql<string | null>`words::text`.as("words")),
);

const deleteOfPages = prepared("attachment_texts.deleteOfPages", (db, p: { pageIds: readonly number[] }) =>
  db
    .deleteFrom("attachment_texts")
    .where("page_id", "=", sql<number>`any(${p.pageIds}::integer[])`)
    .returning(sql<string | null>`words::text`.as("words")),
);

/** What is left to do once an attachment was entered. */
export interface Entered {
  /** Whether its file or name is to be read by the job. */
  readonly isWaiting: boolean;
  /** The words of a file that it had before. */
  readonly left: readonly string[];
}

/** Enters an attachment as it is now. Words of its name are found at once, its text once the job has read it. */
export async function record(attachment: Attachment, search: Search, db: Executor): Promise<Entered> {
  const { id, uploaded_to, name, file_key } = attachment;
  const known = await find.executeTakeFirst(db, { id });
  if (known && known.file_key === file_key) {
    const isRenamed = known.name !== name;
    if (isRenamed || known.page_id !== uploaded_to) await place.write(db, { id, pageId: uploaded_to, name });
    return { isWaiting: isRenamed || known.state === "waiting", left: [] };
  }
  const left = known ? wordsIn(await findWords.execute(db, { id })) : [];
  const state = file_key === null ? "none" : "waiting";
  await put.write(db, { id, uploaded_to, name, file_key, state, words: await search.wordsOf(name) });
  return { isWaiting: state === "waiting", left };
}

/** The row of an attachment with its text; undefined if it is gone. */
export function findRow(id: number, db: Executor) {
  return findText.executeTakeFirst(db, { id });
}

/** Notes that a file is about to be read. Returns how often that was begun; undefined if it waits no more. */
export async function beginReading(id: number, fileKey: string, db: Executor): Promise<number | undefined> {
  return (await begin.executeTakeFirst(db, { id, fileKey }))?.tries;
}

/** Stores what was found in a file, unless the attachment has another file or name meanwhile, whose job comes. */
export async function settleReading(found: Settled, name: string, search: Search, db: Executor): Promise<void> {
  await settle.write(db, { ...found, name, words: await search.wordsOf(`${name}\n${found.text ?? ""}`) });
}

/** Brings the words of a renamed attachment up to date; those of its former name leave the vocabulary with it. */
export async function refreshWords(id: number, search: Search, db: Executor): Promise<void> {
  const row = await findRow(id, db);
  if (!row) return;
  const left = wordsIn(await findWords.execute(db, { id }));
  const words = await search.wordsOf(`${row.name}\n${row.text ?? ""}`);
  await putWords.write(db, { id, name: row.name, fileKey: row.file_key, words });
  for (const each of left) await search.forgetWords(each);
}

/** Removes the row of a deleted attachment. Returns its words. */
export async function forget(id: number, db: Executor): Promise<string[]> {
  return wordsIn(await deleteOne.execute(db, { id }));
}

/** Removes the rows of pages that are permanently deleted. Returns the words of each. */
export async function forgetPages(pageIds: readonly number[], db: Executor): Promise<string[]> {
  return wordsIn(await deleteOfPages.execute(db, { pageIds: [...pageIds] }));
}

function wordsIn(deleted: readonly { readonly words: string | null }[]): string[] {
  return deleted.flatMap(({ words }) => words ?? []);
}
