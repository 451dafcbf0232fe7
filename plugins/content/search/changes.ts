/**
 * Writes the search index. The entry of an item is replaced in the transaction that writes the item. Items without an
 * entry, or with one of an earlier format, are indexed by a job in batches, so that the boot does not wait for them.
 * Reads of items are templates, since their tables are those of contributed kinds, which the grants of this plugin do not list.
 */
import type { ContentKind, Searchable } from "lectern/contracts";
import { type EventTransaction, type RawBuilder, sql, type YieldToEventLoop, yieldToEventLoop } from "lectern/core";
import { type Db, type Executor, memoized, prepared, rows } from "lectern/db";
import type { SearchedKind } from "./contract.ts";
import { headingsIn } from "./headings.ts";
import { type ItemField, ItemWords } from "./item_words.ts";
import { JOINED, UNCOUNTED, UNJOINED } from "./stale_entries.ts";
import { textChunks } from "./tokenize.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Maximum characters of a body that are indexed. */
const MAX_BODY = 200_000;
/** Maximum characters of HTML that are searched for headings. */
const MAX_HTML = 1_000_000;
/** Maximum characters of the tags of one item that are indexed. */
const MAX_TAGS = 200_000;
/** Ids that the job checks at a time. */
const RANGE = 5_000;
/** Items that the job indexes in one statement. */
const BATCH = 50;
/** Approximate duration of one run of the job. */
const RUN_MS = 2_000;

/** The texts of an item. */
export interface ItemTexts {
  readonly id: number;
  readonly name: string;
  readonly body: string | null;
  readonly html: string | null;
  readonly tags: string | null;
}

const putEntries = prepared(
  "search.putEntries",
  (
    db,
    p: {
      kind: string;
      ids: readonly number[];
      words: readonly string[];
      digests: readonly string[];
      counts: readonly number[];
    },
  ) =>
    db
      .insertInto("search_index")
      .columns(["kind", "item_id", "document", "words", "digest", "word_count"])
      .expression((eb) =>
        eb
          .selectFrom(
            sql<{
              id: number;
              words: string;
              digest: string;
              count: number;
            }>`unnest(${p.ids}::integer[], ${p.words}::text[], ${p.digests}::text[], ${p.counts}::integer[])`.as<"made">(
              sql`made(id, words, digest, count)`,
            ),
          )
          .select((of) => [
            sql<string>`${p.kind}::text`.as("kind"),
            "made.id",
            JOINED.as("document"),
            sql<string>`${of.ref("made.words")}::tsvector`.as("words"),
            sql<string>`${of.ref("made.digest")}::tsvector`.as("digest"),
            of.ref("made.count").as("word_count"),
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["kind", "item_id"]).doUpdateSet((eb) => ({
          document: eb.ref("excluded.document"),
          words: eb.ref("excluded.words"),
          digest: eb.ref("excluded.digest"),
          word_count: eb.ref("excluded.word_count"),
        })),
      ),
);

const deleteOf = (table: "search_index" | "item_views") =>
  prepared(`search.deleteOf.${table}`, (db, p: { kind: string; itemIds: readonly number[] }) =>
    db.deleteFrom(table).where("kind", "=", p.kind).where("item_id", "=", sql<number>`any(${p.itemIds}::integer[])`),
  );
const deleteEntriesOf = deleteOf("search_index");
const deleteViewsOf = deleteOf("item_views");

const deleteViewsBy = prepared("search.deleteViewsBy", (db, p: { userId: number }) =>
  db.deleteFrom("item_views").where("user_id", "=", p.userId),
);

/** The kinds of content that have contributed their text. */
export function searchedKinds(kinds: readonly ContentKind[], searchable: readonly Searchable[]): SearchedKind[] {
  return kinds.flatMap((kind) => {
    const found = searchable.find((one) => one.kind === kind.kind);
    return found ? [{ ...found, kind }] : [];
  });
}

/** Replaces the entry of one item. */
export async function indexItem(
  searched: SearchedKind,
  id: number,
  { db }: EventTransaction,
  vocabulary: Vocabulary,
): Promise<void> {
  await indexItems(searched, [id], db, vocabulary);
}

/**
 * Indexes items without a current entry, or `all` of them, from the id after `after`, for about `RUN_MS`. Returns the id to continue after;
 * undefined at the end.
 */
export async function indexMissing(
  searched: SearchedKind,
  { after, all = false }: { readonly after: number; readonly all?: boolean | undefined },
  db: Db,
  vocabulary: Vocabulary,
): Promise<number | undefined> {
  const started = performance.now();
  for (let last = after; ; ) {
    const range = await rangeAfter(searched, last, db, all);
    for (let at = 0; at < range.missing.length; at += BATCH) {
      const batch = range.missing.slice(at, at + BATCH);
      await indexBatch(searched, batch, db, vocabulary);
      if (performance.now() - started > RUN_MS) return batch.at(-1);
    }
    if (range.end === undefined) return undefined;
    last = range.end;
    if (performance.now() - started > RUN_MS) return last;
  }
}

/**
 * Whether the items of a kind are those with a current entry: their numbers are compared, and sums of hashes of their ids. Both
 * are read from indexes alone, at a twentieth of what looking up the entry of each item costs.
 */
export async function isIndexed({ kind: { kind, table } }: SearchedKind, db: Db): Promise<boolean> {
  const digest = (id: string) => sql`count(*) || ' ' || coalesce(sum(hashint4(${sql.id(id)})::bigint), 0)`;
  // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
  const [found] = await rows<{ indexed: boolean }>(
    db,
    sql`select (select ${digest("id")} from ${sql.table(table)})
        = (select ${digest("item_id")} from search_index where search_index.kind = ${kind}::text)
      and not exists (select from search_index where search_index.kind = ${kind}::text and ${UNJOINED})
      and not exists (select from search_index where search_index.kind = ${kind}::text and ${UNCOUNTED}) as indexed`,
  );
  return found?.indexed ?? false;
}

/** Ids of the next range without a current entry, and the last id of the range, undefined if no more follow. */
async function rangeAfter({ kind: { kind, table } }: SearchedKind, after: number, db: Db, all: boolean) {
  const range = await rows<{ id: number; missing: boolean }>(
    db,
    sql`select item.id, not exists (select from search_index where search_index.kind = ${kind}
        and search_index.item_id = item.id and search_index.document = ${JOINED} and search_index.word_count is not null) as missing
      from (select id from ${sql.table(table)} where id > ${after}::integer order by id limit ${RANGE}) as item
      order by item.id`,
  );
  const missing = range.filter((item) => all || item.missing).map(({ id }) => id);
  return { missing, end: range.length < RANGE ? undefined : range.at(-1)?.id };
}

/** Indexes items under a shared lock. Items that a transaction is writing are skipped, since that transaction indexes them. */
async function indexBatch(
  searched: SearchedKind,
  ids: readonly number[],
  db: Db,
  vocabulary: Vocabulary,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const locked = await rows<{ id: number }>(
      tx,
      sql`select id from ${sql.table(searched.kind.table)} where id = any(${[...ids]}::integer[])
        for share skip locked`,
    );
    await indexItems(
      searched,
      locked.map(({ id }) => id),
      tx,
      vocabulary,
    );
  });
}

async function indexItems(
  searched: SearchedKind,
  ids: readonly number[],
  db: Executor,
  vocabulary: Vocabulary,
): Promise<void> {
  const items = await textsOf(searched, ids, db);
  if (items.length === 0) return;
  const made: ItemWords[] = [];
  // Yields to the event loop between the chunks of long texts.
  const yieldNow = yieldToEventLoop();
  for (const item of items) made.push(await wordsOf(item, yieldNow));
  await putEntries.write(db, {
    kind: searched.kind.kind,
    ids: items.map(({ id }) => id),
    words: made.map(({ words }) => words),
    digests: made.map(({ digest }) => digest),
    counts: made.map(({ length }) => length),
  });
  await vocabulary.learn(
    items.map(({ name, tags, body }, at) => ({
      language: vocabulary.languages.of(tags),
      words: made[at]?.each ?? new Set(),
      texts: [name, tags, body],
    })),
    db,
  );
}

async function wordsOf(
  { name, tags, html, body }: Omit<ItemTexts, "id">,
  yieldNow: YieldToEventLoop,
): Promise<ItemWords> {
  const words = new ItemWords();
  const texts: readonly (readonly [string, ItemField])[] = [
    [name, "name"],
    [tags ?? "", "tags"],
    [headingsIn(html ?? ""), "headings"],
    [body ?? "", "body"],
  ];
  for (const [text, field] of texts) {
    for (const chunk of textChunks(text)) {
      await yieldNow();
      words.add(chunk, field);
    }
  }
  await yieldNow();
  return words;
}

/** Every word of a plain text in the text form of a tsvector, for rows of other plugins. The vocabulary learns them. */
export async function wordsOfText(text: string, vocabulary: Vocabulary, db: Executor): Promise<string> {
  const { words, each } = await wordsOf({ name: "", tags: null, html: null, body: text }, yieldToEventLoop());
  await vocabulary.learn([{ language: vocabulary.languages.of(null), words: each, texts: [text] }], db);
  return words;
}

/** The statements of `textsOf` before the ids, by kind, since each save of an item runs one. */
const TEXTS_OF = new WeakMap<ContentKind, RawBuilder<unknown>>();

/** Reads the texts of items. The HTML is read only if it has headings. */
export function textsOf(searched: SearchedKind, ids: readonly number[], db: Executor): Promise<ItemTexts[]> {
  const { kind } = searched;
  const select = TEXTS_OF.get(kind) ?? selectTexts(searched);
  TEXTS_OF.set(kind, select);
  return rows<ItemTexts>(db, sql`${select} = any(${[...ids]}::integer[])`);
}

function selectTexts({ kind, body, html }: SearchedKind): RawBuilder<unknown> {
  const id = sql.ref(`${kind.table}.id`);
  const htmlWithHeadings = html
    ? sql`case when position('<h' in ${html}) > 0 then left(${html}, ${MAX_HTML}) end`
    : sql`null`;
  return memoized(
    sql`select ${id}, ${sql.ref(`${kind.table}.name`)}, left(${body}, ${MAX_BODY}) as body, ${htmlWithHeadings} as html,
        (select left(string_agg(tags.name || ' ' || tags.value, ' ' order by tags.position), ${MAX_TAGS})
          from tags where tags.kind = ${kind.kind} and tags.item_id = ${id}) as tags
      from ${sql.table(kind.table)} where ${id}`,
  );
}

/** Removes the index entries of items. */
export async function deleteEntries(kind: string, ids: readonly number[], { db }: EventTransaction): Promise<void> {
  await deleteEntriesOf.execute(db, { kind, itemIds: [...ids] });
}

/** Removes the record of who viewed items that are permanently deleted. */
export async function deleteViews(kind: string, ids: readonly number[], { db }: EventTransaction): Promise<void> {
  await deleteViewsOf.execute(db, { kind, itemIds: [...ids] });
}

/** The next ids of a kind, in order. */
export async function idsAfter({ kind }: SearchedKind, after: number, count: number, db: Db): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select id from ${sql.table(kind.table)} where id > ${after}::integer order by id limit ${count}`,
  );
  return found.map(({ id }) => id);
}

/** Removes the record of what a deleted user viewed. */
export async function deleteViewsOfUser(id: number, { db }: EventTransaction): Promise<void> {
  await deleteViewsBy.execute(db, { userId: id });
}
