/**
 * Rules that keep a book sorted: by name, or by when its entries were made or changed. A rule sorts the whole book when it is set; later a
 * job sorts what was made, renamed, moved or restored, soon after the commit, so that writers of a book need not wait for each other. The job
 * locks the book and its chapters, in this order as all do who write to the contents of a book. So it waits for those who make and move what
 * is in them, and those need write no second job where they found one waiting in the queue.
 */
import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { Child, Placement } from "./arrange.ts";
import { type RuleChange, SORT_RULES, type SortRule } from "./contract.ts";
import { prioritiesInOrder } from "./priorities.ts";
import { renumber } from "./renumber.ts";

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

// Numbers in names are in the order of the numbers: their digits, which keys have as a to j, are filled up to 20.
const PADDED = sql`regexp_replace(regexp_replace(name_key, '([a-j]+)', ${sql.lit("a".repeat(20))} || '\\1', 'g'),
  '[a-j]*([a-j]{20})', '\\1', 'g')`;

/** SQL of the order of each rule, over the columns that chapters and pages have in common. */
const ORDERS: Readonly<Record<SortRule, ReturnType<typeof sql>>> = {
  name: sql`${PADDED}`,
  "-name": sql`${PADDED} desc`,
  created: sql`created_at`,
  "-created": sql`created_at desc`,
  "-updated": sql`updated_at desc`,
};

/** The chapters and pages of a book in the order of a rule; those that are equal in it as they were made, chapters before pages. */
const RANKED = Object.fromEntries(
  SORT_RULES.map((rule) => [
    rule,
    prepared(`book_sort.ranked.${rule}`, (db, p: { bookId: number }) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom("chapters")
            .select([sql<Child["type"]>`'chapter'`.as("type"), sql<number | null>`null::integer`.as("chapter_id")])
            .select(["id", "priority", "name_key", "created_at", "updated_at"])
            .where("book_id", "=", p.bookId)
            .where("deleted_at", "is", null)
            .unionAll(
              eb
                .selectFrom("pages")
                .select([sql<Child["type"]>`'page'`.as("type"), "chapter_id"])
                .select(["id", "priority", "name_key", "created_at", "updated_at"])
                .where("book_id", "=", p.bookId)
                .where("deleted_at", "is", null)
                .where((page) => page.not(page.ref("draft"))),
            )
            .as("child"),
        )
        .select(["type", "id", "chapter_id", "priority"])
        .orderBy(ORDERS[rule])
        .orderBy("type")
        .orderBy("id"),
    ),
  ]),
);

const lockBook = prepared("book_sort.lockKept", (db, p: { bookId: number }) =>
  db.selectFrom("books").select("id").where("id", "=", p.bookId).forNoKeyUpdate(),
);

const lockChapters = prepared("book_sort.lockKeptChapters", (db, p: { bookId: number }) =>
  db.selectFrom("chapters").select("id").where("book_id", "=", p.bookId).orderBy("id").forNoKeyUpdate(),
);

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

/** The chapters and pages of a book in the order of a rule. */
export async function ranked(bookId: number, rule: SortRule, db: Executor): Promise<Child[]> {
  return (await RANKED[rule]?.execute(db, { bookId })) ?? [];
}

/** Placements with their chapters, in the order of a rule, with numbers that follow it. */
export function inOrderOf<P extends Placement>(order: readonly Child[], placements: readonly P[]): P[] {
  const places = new Map(order.map(({ type, id }, at) => [`${type} ${id}`, at]));
  const placeOf = ({ child: { type, id } }: P) => places.get(`${type} ${id}`) ?? 0;
  const held = Map.groupBy(placements, ({ chapter_id }) => chapter_id);
  return [...held.values()].flatMap((within) => {
    const wanted = within.toSorted((one, other) => placeOf(one) - placeOf(other));
    const priorities = prioritiesInOrder(wanted.map(({ child }) => child));
    return wanted.map((each, at) => ({ ...each, priority: priorities[at] ?? each.priority }));
  });
}

/** Sorts a book by the rule that is kept for it, if any: the job after changes. */
export async function sortKept(bookId: number, db: Executor): Promise<void> {
  await lockBook.execute(db, { bookId });
  await lockChapters.execute(db, { bookId });
  const rule = await keptRule(bookId, db);
  if (rule === null) return;
  const order = await ranked(bookId, rule, db);
  const present = order.map((child) => ({ child, chapter_id: child.chapter_id, priority: child.priority }));
  const placements = inOrderOf(order, present);
  await renumber("chapter", placements, db);
  await renumber("page", placements, db);
}
