import { expect, test } from "bun:test";
import fc from "fast-check";
import { arranged, type Entry, mergeOrder, mergePart, moveEntry, orderIn, orderText, type Step } from "./order.ts";

const BOOK = "page:1 chapter:3 page:31 page:32 end page:2 chapter:4 end";
const after = (step: Step, word: string, order = BOOK) =>
  orderText(moveEntry(orderIn(order), step, orderIn(word)[0] as never));

test("an order is parsed as it was written, and unknown words are ignored", () => {
  expect(orderText(orderIn(BOOK))).toBe(BOOK);
  expect(orderText(orderIn("page:1 page:x end  host:7 page:2"))).toBe("page:1 page:2");
  expect(orderText(orderIn(""))).toBe("");
});

test("a step moves past a neighbour, and stops at the ends of the book", () => {
  expect(after("up", "chapter:3")).toBe("chapter:3 page:31 page:32 end page:1 page:2 chapter:4 end");
  expect(after("down", "page:1")).toBe("chapter:3 page:31 page:32 end page:1 page:2 chapter:4 end");
  expect(after("up", "page:1")).toBe(BOOK);
  expect(after("down", "chapter:4")).toBe(BOOK);
  expect(after("down", "page:31")).toBe("page:1 chapter:3 page:32 page:31 end page:2 chapter:4 end");
  expect(after("up", "page:99")).toBe(BOOK);
});

test("pages leave a chapter at its ends or directly, and enter the previous chapter, else the next", () => {
  expect(after("up", "page:31")).toBe("page:1 page:31 chapter:3 page:32 end page:2 chapter:4 end");
  expect(after("down", "page:32")).toBe("page:1 chapter:3 page:31 end page:32 page:2 chapter:4 end");
  expect(after("out", "page:31")).toBe("page:1 chapter:3 page:32 end page:31 page:2 chapter:4 end");
  expect(after("into", "page:2")).toBe("page:1 chapter:3 page:31 page:32 page:2 end chapter:4 end");
  expect(after("into", "page:1")).toBe("chapter:3 page:1 page:31 page:32 end page:2 chapter:4 end");
  expect(after("into", "chapter:4")).toBe(BOOK);
});

test("an order is merged with changes of other users", () => {
  const laid = (present: string, wished: string) => {
    const { entries, isStale } = mergeOrder(orderIn(present), orderIn(BOOK), orderIn(wished));
    return [orderText(entries), isStale];
  };
  const wished = "page:2 page:1 chapter:3 page:32 page:31 end chapter:4 end";
  expect(laid(BOOK, wished)).toEqual([wished, false]);
  // A page was deleted, one was added, one was moved to another chapter.
  expect(laid("chapter:3 page:32 page:33 end page:2 chapter:4 page:31 end", wished)).toEqual([
    "page:2 chapter:3 page:32 end chapter:4 end",
    true,
  ]);
  // A page that both moved stays where this order has it.
  expect(laid("page:1 chapter:3 page:32 end page:2 chapter:4 page:31 end", "page:31 page:1")).toEqual([
    "page:31 page:1",
    true,
  ]);
});

test("a rejected order is shown with its entries, and with entries that were added in the meantime", () => {
  const shown = (present: string, wished: string) => orderText(arranged(orderIn(present), orderIn(wished)));
  expect(shown(BOOK, "page:2 chapter:4 page:31 end chapter:3 page:32 end page:1")).toBe(
    "page:2 chapter:4 page:31 end chapter:3 page:32 end page:1",
  );
  expect(shown(`${BOOK} page:5`, "page:2 chapter:3 page:32 end page:9")).toBe(
    "page:2 chapter:3 page:32 page:31 end page:1 chapter:4 end page:5",
  );
});

test("the order of a part of a book is merged into that of the whole, which stays around it", () => {
  const laid = (loaded: string, wished: string, present = BOOK) => {
    const { entries, isStale } = mergePart(orderIn(present), orderIn(loaded), orderIn(wished));
    return [orderText(entries), isStale];
  };
  expect(laid("page:2 chapter:4 end", "chapter:4 end page:2")).toEqual([
    "page:1 chapter:3 page:31 page:32 end chapter:4 end page:2",
    false,
  ]);
  // A chapter that is only in part there keeps its other pages, before and after those.
  const long = "page:1 chapter:3 page:31 page:32 page:33 page:34 end page:2";
  expect(laid("chapter:3 page:32 page:33 end", "chapter:3 page:33 page:32 end", long)).toEqual([
    "page:1 chapter:3 page:31 page:33 page:32 page:34 end page:2",
    false,
  ]);
  expect(laid("chapter:3 page:34 end page:2", "page:34 chapter:3 page:2 end", long)).toEqual([
    "page:1 page:34 chapter:3 page:31 page:32 page:33 page:2 end",
    false,
  ]);
  expect(laid("page:1 chapter:3 page:31 end", "chapter:3 page:1 page:31 end", long)).toEqual([
    "chapter:3 page:1 page:31 page:32 page:33 page:34 end page:2",
    false,
  ]);
});

test("changes of others to a part are merged, and what they added to it or moved out of it stays where it is", () => {
  const present = "page:1 chapter:3 page:31 page:2 end page:9 chapter:4 page:5 end";
  const { entries, isStale } = mergePart(
    orderIn(present),
    orderIn("page:2 chapter:4 page:5 page:6 end"),
    orderIn("chapter:4 page:6 page:5 end page:2"),
  );
  expect([orderText(entries), isStale]).toEqual([present, true]);
});

test("no entry is lost or doubled when a part is merged", () => {
  const orders = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
  const laidOut = (ids: readonly number[], at: number) =>
    ids.map((id, n) => (n % 7 === at ? `${n > 0 && at > 0 ? "end " : ""}chapter:${id}` : `page:${id}`)).join(" ");
  fc.assert(
    fc.property(
      orders,
      fc.nat(6),
      fc.nat(20),
      fc.nat(20),
      fc.infiniteStream(fc.nat(100)),
      (ids, at, from, count, keys) => {
        const present = orderIn(laidOut(ids, at));
        const part = orderIn(orderText(present.slice(from, from + count)));
        const sorting = new Map(part.map((entry) => [entry, keys.next().value ?? 0]));
        const wished = part.toSorted((a, b) => (sorting.get(a) ?? 0) - (sorting.get(b) ?? 0));
        const { entries, isStale } = mergePart(present, part, wished);
        const idsIn = (some: readonly Entry[]): string[] =>
          some.flatMap((entry) => [`${entry.type}:${entry.id}`, ...idsIn(entry.pages ?? [])]);
        expect([idsIn(entries).sort(), isStale]).toEqual([idsIn(present).sort(), false]);
        expect(orderText(entries.slice(from, from + count))).toBe(orderText(wished));
      },
    ),
  );
});
