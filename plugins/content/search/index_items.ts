/**
 * The index of words. An item's entry is replaced in the transaction that writes the item. Items without an entry, or
 * with one of an earlier form, are indexed by a job in batches, so that a boot waits for none of them.
 */
import type { ContentKind, Searchable } from "lectern/contracts";
import { type EventTransaction, sql, type YieldToEventLoop, yieldToEventLoop } from "lectern/core";
import { type Db, rows, write } from "lectern/db";
import { headingsIn } from "./headings.ts";
import { ItemWords, type Part } from "./item_words.ts";
import { piecesBetweenWords } from "./words.ts";

/** Characters of a body that are indexed; what lies beyond is not found. */
const MAX_BODY = 200_000;
/** Characters of HTML that are looked through for headings. */
const MAX_HTML = 1_000_000;
/** Characters of the tags of one item that are indexed. */
const MAX_TAGS = 200_000;
/** Ids that the job looks through at a time, items that it indexes in one statement, and how long one run takes, about. */
const RANGE = 5_000;
const BATCH = 50;
const RUN_MS = 2_000;

type Store = Pick<Db, "executeQuery">;

/** A kind with what can be found of it. */
export interface SearchedKind extends Pick<Searchable, "body" | "html"> {
  readonly kind: ContentKind;
}

interface Source {
  readonly id: number;
  readonly name: string;
  readonly body: string | null;
  readonly html: string | null;
  readonly tags: string | null;
}

/** The kinds that can be searched. */
export function searchedKinds(kinds: readonly ContentKind[], searchable: readonly Searchable[]): SearchedKind[] {
  return kinds.flatMap((kind) => {
    const found = searchable.find((one) => one.kind === kind.kind);
    return found ? [{ ...found, kind }] : [];
  });
}

/** Replaces the entry of one item. */
export async function indexItem(searched: SearchedKind, id: number, { db }: EventTransaction): Promise<void> {
  await indexItems(searched, [id], db);
}

/**
 * Indexes what lacks an entry of the present form among the items that follow an id, for as long as one run takes. Returns
 * the id to go on after; undefined at the end.
 */
export async function indexMissing(searched: SearchedKind, after: number, db: Db): Promise<number | undefined> {
  const started = performance.now();
  for (let last = after; ; ) {
    const range = await rangeAfter(searched, last, db);
    for (let at = 0; at < range.missing.length; at += BATCH) {
      const batch = range.missing.slice(at, at + BATCH);
      await indexBatch(searched, batch, db);
      if (performance.now() - started > RUN_MS) return batch.at(-1);
    }
    if (range.end === undefined) return undefined;
    last = range.end;
    if (performance.now() - started > RUN_MS) return last;
  }
}

/** The next ids that lack an entry, and the last id that was looked at, unless it was the last of all. */
async function rangeAfter({ kind: { kind, table } }: SearchedKind, after: number, db: Db) {
  const range = await rows<{ id: number; missing: boolean }>(
    db,
    sql`select item.id, not exists (select from search_index where search_index.kind = ${kind}
        and search_index.item_id = item.id and search_index.words is not null) as missing
      from (select id from ${sql.table(table)} where id > ${after}::integer order by id limit ${RANGE}) as item
      order by item.id`,
  );
  const missing = range.filter((item) => item.missing).map(({ id }) => id);
  return { missing, end: range.length < RANGE ? undefined : range.at(-1)?.id };
}

/** Items that somebody is writing are left out: who writes an item indexes it. The others stay as they are meanwhile. */
async function indexBatch(searched: SearchedKind, ids: readonly number[], db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await rows<{ id: number }>(
      tx,
      sql`select id from ${sql.table(searched.kind.table)} where id = any(${[...ids]}::integer[])
        for share skip locked`,
    );
    await indexItems(
      searched,
      held.map(({ id }) => id),
      tx,
    );
  });
}

async function indexItems(searched: SearchedKind, ids: readonly number[], db: Store): Promise<void> {
  const items = await sourcesOf(searched, ids, db);
  if (items.length === 0) return;
  const made: ItemWords[] = [];
  // Others have their turn between the pieces of long texts.
  const yieldNow = yieldToEventLoop();
  for (const item of items) made.push(await wordsOf(item, yieldNow));
  await write(
    db,
    sql`insert into search_index (kind, item_id, document, words, digest)
      select ${searched.kind.kind}, made.id, '', made.words::tsvector, made.digest::tsvector
      from unnest(${items.map(({ id }) => id)}::integer[], ${made.map(({ words }) => words)}::text[],
        ${made.map(({ digest }) => digest)}::text[]) as made (id, words, digest)
      on conflict (kind, item_id) do update set document = '', words = excluded.words, digest = excluded.digest`,
  );
}

async function wordsOf({ name, tags, html, body }: Source, yieldNow: YieldToEventLoop): Promise<ItemWords> {
  const words = new ItemWords();
  const texts: readonly (readonly [string, Part])[] = [
    [name, "name"],
    [tags ?? "", "tags"],
    [headingsIn(html ?? ""), "headings"],
    [body ?? "", "body"],
  ];
  for (const [text, part] of texts) {
    for (const piece of piecesBetweenWords(text)) {
      await yieldNow();
      words.add(piece, part);
    }
  }
  await yieldNow();
  return words;
}

/** What the entries are made of. The HTML of items without headings stays in the store. */
function sourcesOf({ kind, body, html }: SearchedKind, ids: readonly number[], db: Store): Promise<Source[]> {
  const id = sql.ref(`${kind.table}.id`);
  const headed = html ? sql`case when position('<h' in ${html}) > 0 then left(${html}, ${MAX_HTML}) end` : sql`null`;
  return rows<Source>(
    db,
    sql`select ${id}, ${sql.ref(`${kind.table}.name`)}, left(${body}, ${MAX_BODY}) as body, ${headed} as html,
        (select left(string_agg(tags.name || ' ' || tags.value, ' ' order by tags.position), ${MAX_TAGS})
          from tags where tags.kind = ${kind.kind} and tags.item_id = ${id}) as tags
      from ${sql.table(kind.table)} where ${id} = any(${[...ids]}::integer[])`,
  );
}
