/**
 * The routes that sort a book: a whole order, which may be that of further books too, the move of one entry, and the rule that keeps the book
 * sorted. Who may do so is decided here by the books, and in the transaction by what is moved.
 */
import { endpoint, idOf, noContent, notFound, type RawBuilder, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import { sortBooks } from "./changes.ts";
import {
  type BookOrder,
  type BookSortContext,
  type Entry,
  type EntryMove,
  moveRules,
  orderFields,
  orderRules,
  ruleRules,
  SORT_RULES,
  type SortedBook,
  sortRuleSchema,
} from "./contract.ts";
import { about, aboutMove, aboutRead, aboutRule, example, moveExample, readExample, ruleExample } from "./docs.ts";
import { ordersIn, type SentOrder } from "./entries.ts";
import { keptRule } from "./kept_rules.ts";
import { setRule } from "./rule_changes.ts";

const findBook = prepared("book_sort.findBook", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("books").selectAll().where("id", "=", p.id).where(p.visible),
);

/** Mounts the routes that sort a book. */
export function mountOrder(context: BookSortContext): void {
  const { app, contracts, db, perform, validate, visible } = context;
  const readable = async (id: string, viewer: Viewer) => {
    const book = await findBook.executeTakeFirst(db, { id: idOf(id, "Book"), visible: visible.where("books", viewer) });
    if (!book) throw notFound("Book");
    return book;
  };
  const sortable = async (id: string, viewer: Viewer) => {
    const book = await readable(id, viewer);
    await contracts.access.need(viewer, "book-update", book);
    return book;
  };
  app.put(
    "/books/:id/order",
    async ({ viewer, params, input, set }) => {
      const book = await sortable(params.id, viewer);
      const { items, seen, books } = ordersIn(book.id, await validate(orderRules, input, viewer));
      const others: BookOrder[] = [];
      for (const { id, ...order } of books) others.push(orderOf(await sortable(String(id), viewer), order));
      const draft = { ...orderOf(book, { items, seen }), books: others };
      await perform("book_sort", viewer, draft, (final, tx) => sortBooks(context, final, tx));
      set.status = 204;
    },
    {
      permit: "access-api",
      response: noContent,
      ...endpoint("books", "order", { about, rules: orderRules, fields: orderFields, example, errors: [409] }),
    },
  );
  app.put(
    "/books/:id/order/entry",
    async ({ viewer, params, input, set }) => {
      const book = await sortable(params.id, viewer);
      const sent = await validate(moveRules, input, viewer);
      // The rules name the types and places.
      const move = {
        moved: { type: sent.type as Entry["type"], id: sent.id },
        place: sent.place as EntryMove["place"],
        target: { type: sent.target_type as Entry["type"], id: sent.target_id },
        within: sent.within,
      };
      await perform("book_sort", viewer, { row: book, items: [], move }, (final, tx) => sortBooks(context, final, tx));
      set.status = 204;
    },
    {
      permit: "access-api",
      response: noContent,
      emptyAsNull: ["within"],
      ...endpoint("books", "order-entry", { about: aboutMove, rules: moveRules, example: moveExample, errors: [409] }),
    },
  );
  app.get(
    "/books/:id/order/rule",
    async ({ viewer, params }) => ({ rule: await keptRule((await readable(params.id, viewer)).id, db) }),
    {
      permit: "access-api",
      response: sortRuleSchema,
      ...endpoint("books", "order-rule", { about: aboutRead, example: readExample }),
    },
  );
  app.put(
    "/books/:id/order/rule",
    async ({ viewer, params, input }) => {
      const book = await sortable(params.id, viewer);
      const sent = await validate(ruleRules, input, viewer);
      // The rules leave one more word, which ends a rule.
      const rule = SORT_RULES.find((known) => known === sent.rule) ?? null;
      const change = { rule, keep: sent.keep ?? true };
      const draft = { row: book, items: [], change };
      await perform("book_sort", viewer, draft, ({ row }, tx) => setRule(context, { row, change }, tx));
      return { rule: change.keep ? rule : null };
    },
    {
      permit: "access-api",
      response: sortRuleSchema,
      ...endpoint("books", "order-rule-update", { about: aboutRule, rules: ruleRules, example: ruleExample }),
    },
  );
}

function orderOf(row: SortedBook, { items, seen }: SentOrder): BookOrder {
  return { row, items, ...(seen && { seen }) };
}
