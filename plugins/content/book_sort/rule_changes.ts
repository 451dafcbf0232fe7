/**
 * Sets or ends the rule of a book and sorts the book by it. The store ranks and numbers the entries, as a book may have tens of thousands:
 * their rows would take the process a second, in which it answers nobody. What the permission depends on comes as the few different access
 * lists and owners of the entries.
 */
import { type EventTransaction, localizedError, notFound, type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { Child } from "./arrange.ts";
import type { BookSortContext, RuleChange, SortedBook, SortRule } from "./contract.ts";
import { changeRule, lockContents } from "./kept_rules.ts";
import { ORDERS, ofRules, presentOf, type SeenKinds } from "./rule_orders.ts";

type Context = Pick<BookSortContext, "contracts" | "visible">;

/** Entries of a kind with the same access list and owner, which permissions do not tell apart. */
interface Group {
  readonly type: Child["type"];
  readonly acl_id: number;
  readonly owned_by: number | null;
}

/** Lists that are numbered with distances, so that later a job can put an entry between two others. */
const LONG = sql.lit(200);
const STEP = sql.lit(16);

const findBook = prepared("book_sort.findRuledBook", (db, p: { id: number }) =>
  db.selectFrom("books").selectAll().where("id", "=", p.id).where("deleted_at", "is", null),
);

/** A book, as a list. */
interface OneBook {
  readonly bookIds: readonly [number];
}

type SeenContents = SeenKinds & OneBook;

const findGroups = prepared("book_sort.findGroups", (db, p: SeenContents) =>
  db
    .selectFrom(presentOf(db, p.bookIds, p).as("child"))
    .select(["type", "acl_id", "owned_by"])
    .distinct(),
);

/** The first entry of some groups, a JSON array of them, that a rule puts elsewhere among those. */
const FIRST_MOVED = ofRules((rule) =>
  prepared(`book_sort.firstMoved.${rule}`, (db, p: SeenContents & { readonly groups: string }) => {
    const among = (order: RawBuilder<unknown>) =>
      sql<number>`row_number() over (partition by chapter_id order by ${order}, child.type, id)`;
    const places = db
      .selectFrom(presentOf(db, p.bookIds, p).as("child"))
      .innerJoin(
        sql<Group>`jsonb_to_recordset(${p.groups}::text::jsonb)`.as<"fixed">(
          sql`fixed(type text, acl_id integer, owned_by integer)`,
        ),
        (join) =>
          join
            .onRef("fixed.type", "=", "child.type")
            .onRef("fixed.acl_id", "=", "child.acl_id")
            .on(sql<boolean>`fixed.owned_by is not distinct from child.owned_by`),
      )
      .select(["name", among(sql`priority`).as("was"), among(ORDERS[rule]).as("wanted")]);
    return db.selectFrom(places.as("place")).select("name").whereRef("was", "<>", "wanted").orderBy("wanted").limit(1);
  }),
);

/** Numbers the entries of a book in the order of a rule. One statement, which ranks them once. */
const NUMBER = ofRules((rule) =>
  prepared(`book_sort.number.${rule}`, (db, p: OneBook) => {
    const place = sql`row_number() over (partition by chapter_id order by ${ORDERS[rule]}, type, id)`;
    const step = sql`case when count(*) over (partition by chapter_id) > ${LONG} then ${STEP} else 1 end`;
    return db
      .with("wanted", (own) =>
        own
          .selectFrom(presentOf(own, p.bookIds).as("child"))
          .select(["type", "id", sql<number>`(${place} * ${step})::integer`.as("number")]),
      )
      .with("numbered", (own) =>
        own
          .updateTable("chapters as item")
          .from("wanted")
          .set((eb) => ({ priority: eb.ref("wanted.number") }))
          .whereRef("item.id", "=", "wanted.id")
          .where("wanted.type", "=", "chapter")
          .whereRef("item.priority", "<>", "wanted.number"),
      )
      .updateTable("pages as item")
      .from("wanted")
      .set((eb) => ({ priority: eb.ref("wanted.number") }))
      .whereRef("item.id", "=", "wanted.id")
      .where("wanted.type", "=", "page")
      .whereRef("item.priority", "<>", "wanted.number");
  }),
);

/** Sets or ends the rule of a book, and sorts the book by it. Throws 404 where it is gone, 403. */
export async function setRule(
  context: Context,
  { row, change }: { readonly row: SortedBook; readonly change: RuleChange },
  tx: EventTransaction,
): Promise<SortedBook> {
  await lockContents(row.id, tx.db);
  const book = await findBook.executeTakeFirst(tx.db, { id: row.id });
  if (!book) throw notFound("Book");
  const rule = await changeRule(book.id, change, tx.db);
  if (rule === null) return book;
  await checkFixedOrder(context, { bookId: book.id, rule }, tx);
  await NUMBER[rule].execute(tx.db, { bookIds: [book.id] });
  return book;
}

/** Throws 403 where entries that the viewer sees and may not update would change their order relative to each other. */
async function checkFixedOrder(
  { contracts: { access }, visible }: Context,
  { bookId, rule }: { readonly bookId: number; readonly rule: SortRule },
  { db, viewer }: EventTransaction,
): Promise<void> {
  const seen: SeenContents = {
    bookIds: [bookId],
    chapters: visible.where("chapters", viewer),
    pages: visible.where("pages", viewer),
  };
  const fixed: Group[] = [];
  for (const group of await findGroups.execute(db, seen))
    if (!(await access.may(viewer, `${group.type}-update`, { id: bookId, ...group }))) fixed.push(group);
  if (fixed.length === 0) return;
  const moved = await FIRST_MOVED[rule].executeTakeFirst(db, { ...seen, groups: JSON.stringify(fixed) });
  if (moved) throw localizedError(403, "You do not have permission to move “:name”.", { name: moved.name });
}
