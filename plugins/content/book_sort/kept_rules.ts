/**
 * Rules that keep a book sorted: by name, or by when its entries were made or changed. A rule sorts the whole book when it is set; later a
 * job sorts what was made, renamed, moved or restored, soon after the commit, so that writers of a book need not wait for each other. The job
 * locks the book and its chapters, in this order as all do who write to the contents of a book. So it waits for those who make and move what
 * is in them, and those need write no second job where they found one waiting in the queue.
 */
import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { type Child, keyOf, type Placement } from "./arrange.ts";
import { type RuleChange, SORT_RULES, type SortRule } from "./contract.ts";
import { prioritiesInOrder } from "./priorities.ts";
import { renumber } from "./renumber.ts";
import { ORDERS, ofRules, presentOf } from "./rule_orders.ts";

const find = prepared("book_sort.findRule", (db, p: { bookId: number }) =>
  db.selectFrom("book_sort_rules").select("rule").where("book_id", "=", p.bookId),
);

const store = prepared("book_sort.storeRule", (db, p: { bookId: number; rule: string }) =>
  db
    .insertInto("book_sort_rules")
    .values({ book_id: p.bookId, rule: p.rule })
    .onConflict((known) => known.column("book_id").doUpdateSet((eb) => ({ rule: eb.ref("excluded.rule") }))),
);

const remove = prepared("book_sort.removeRules", (db, p: { bookIds: readonly number[] }) =>
  db.deleteFrom("book_sort_rules").where("book_id", "=", sql<number>`any(${p.bookIds}::integer[])`),
);

const copy = prepared("book_sort.copyRule", (db, p: { from: number; to: number }) =>
  db
    .insertInto("book_sort_rules")
    .columns(["book_id", "rule"])
    .expression((eb) =>
      eb
        .selectFrom("book_sort_rules")
        .select([sql<number>`${p.to}::integer`.as("book_id"), "rule"])
        .where("book_id", "=", p.from),
    )
    .onConflict((known) => known.doNothing()),
);

const PARENTS = {
  chapter: prepared("book_sort.bookOfChapter", (db, p: { id: number }) =>
    db.selectFrom("chapters").select("book_id").where("id", "=", p.id),
  ),
  page: prepared("book_sort.bookOfPage", (db, p: { id: number }) =>
    db.selectFrom("pages").select("book_id").where("id", "=", p.id),
  ),
};

/**
 * The chapters and pages of books in the order of a rule; those that are equal in it as they were made, chapters before pages. As one text,
 * since objects of 20,000 rows take the process several times as long.
 */
const RANKED = ofRules((rule) =>
  prepared(`book_sort.ranked.${rule}`, (db, p: { bookIds: readonly number[] }) =>
    db.selectFrom(presentOf(db, p.bookIds).as("child")).select(
      // A template: the builder has no order within an aggregate.
      sql<string | null>`string_agg(concat_ws(' ', type, id, book_id, coalesce(chapter_id, 0), priority), chr(10)
        order by ${ORDERS[rule]}, type, id)`.as("lines"),
    ),
  ),
);

const lockBook = prepared("book_sort.lockKept", (db, p: { bookId: number }) =>
  db.selectFrom("books").select("id").where("id", "=", p.bookId).forNoKeyUpdate(),
);

const lockChapters = prepared("book_sort.lockKeptChapters", (db, p: { bookId: number }) =>
  db.selectFrom("chapters").select("id").where("book_id", "=", p.bookId).orderBy("id").forNoKeyUpdate(),
);

/** Locks a book and its chapters, as all do who write to the contents of a book, until the transaction ends. */
export async function lockContents(bookId: number, db: Executor): Promise<void> {
  await lockBook.execute(db, { bookId });
  await lockChapters.execute(db, { bookId });
}

/** The rule by which a book is kept sorted; null for none. */
export async function keptRule(bookId: number, db: Executor): Promise<SortRule | null> {
  const found = await find.executeTakeFirst(db, { bookId });
  return SORT_RULES.find((rule) => rule === found?.rule) ?? null;
}

/** Stores or removes the rule of a book. Returns the rule that sorts it now; null for none. */
export async function changeRule(bookId: number, { rule, keep }: RuleChange, db: Executor): Promise<SortRule | null> {
  if (rule !== null && keep) await store.write(db, { bookId, rule });
  else await remove.execute(db, { bookIds: [bookId] });
  return rule;
}

/** Removes the rules of books that are destroyed. */
export async function removeRules(bookIds: readonly number[], db: Executor): Promise<void> {
  await remove.execute(db, { bookIds });
}

/** Gives the copy of a book the rule that the book has. */
export async function copyRule(from: number, to: number, db: Executor): Promise<void> {
  await copy.write(db, { from, to });
}

/** The book that a chapter or page is in; undefined where it is gone. */
export async function bookOf(kind: Child["type"], id: number, db: Executor): Promise<number | undefined> {
  return (await PARENTS[kind].executeTakeFirst(db, { id }))?.book_id;
}

/** The chapters and pages of books in the order of a rule. */
export async function ranked(bookIds: readonly number[], rule: SortRule, db: Executor): Promise<Child[]> {
  const { lines } = await RANKED[rule].executeTakeFirstOrThrow(db, { bookIds });
  return lines === null ? [] : lines.split("\n").map(childOf);
}

function childOf(line: string): Child {
  const [type, id, book, chapter, priority] = line.split(" ");
  return {
    ...{ type: type === "chapter" ? "chapter" : "page", id: Number(id), book_id: Number(book) },
    ...{ chapter_id: Number(chapter) || null, priority: Number(priority) },
  };
}

/** Placements with their chapters, in the order of a rule, with numbers that follow it. */
export function inOrderOf<P extends Placement>(order: readonly Child[], placements: readonly P[]): P[] {
  const places = new Map(order.map((child, at) => [keyOf(child), at]));
  const placed = placements
    .map((each) => ({ each, place: places.get(keyOf(each.child)) ?? 0 }))
    .sort((one, other) => one.place - other.place)
    .map(({ each }) => each);
  return numbered(placed);
}

/** Placements that are in order already, with numbers that follow it in each chapter. */
function numbered<P extends Placement>(placements: readonly P[]): P[] {
  const held = Map.groupBy(placements, ({ chapter_id }) => chapter_id);
  return [...held.values()].flatMap((within) => {
    const priorities = prioritiesInOrder(within.map(({ child }) => child));
    return within.map((each, at) => ({ ...each, priority: priorities[at] ?? each.priority }));
  });
}

/** Sorts a book by the rule that is kept for it, if any: the job after changes. */
export async function sortKept(bookId: number, db: Executor): Promise<void> {
  await lockContents(bookId, db);
  const rule = await keptRule(bookId, db);
  if (rule === null) return;
  const order = await ranked([bookId], rule, db);
  const placements = numbered(
    order.map((child) => ({ child, book_id: bookId, chapter_id: child.chapter_id, priority: child.priority })),
  );
  await renumber("chapter", placements, db);
  await renumber("page", placements, db);
}
