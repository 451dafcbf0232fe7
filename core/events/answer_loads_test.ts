import { expect, test } from "bun:test";
import { AnswerEntries } from "./answer_entries.ts";
import { AnswerLoads, type LoadParts } from "./answer_loads.ts";
import type { Asked, Known } from "./asked_answer.ts";
import { ReadTables } from "./read_tables.ts";
import { ReportedChanges } from "./reported_changes.ts";

const entries = new AnswerEntries(1_000_000);
const known: Known = {
  ...{ name: "pages", entries, tables: new Set(["pages"]) },
  dependencies: [{ table: "pages" as never, column: "id" }],
};

/** Loads while the news of other servers comes as `come` says. */
function loadsOver(come: Promise<boolean>) {
  entries.clear();
  const changes = new ReportedChanges();
  const parts: LoadParts = {
    ...{ changes, readTables: new ReadTables(), faults: { total: 0 } },
    log: { warn() {} } as never,
    notices: { haveCome: () => come, allows: () => true } as never,
    isActive: () => true,
    losses: () => 0,
    missed() {},
    shared: (_asked, { shared }) => shared as never,
  };
  return { changes, loads: new AnswerLoads(parts) };
}

const asked = (text: string, more: Partial<Asked<{ text: string }>> = {}): Asked<{ text: string }> => ({
  ...{ known, key: "shared", form: "value", id: 3, isStill: () => true },
  load: async () => ({ text }),
  ...more,
});

test("what readers share is given to others when all news from before its load has come; its own reader does not wait", async () => {
  const come = Promise.withResolvers<boolean>();
  const { loads } = loadsOver(come.promise);
  expect(await loads.answer(asked("mine"))).toEqual({ text: "mine" });
  expect(entries.get("shared")).toBeUndefined();
  const other = loads.answer(asked("of the other"));
  come.resolve(true);
  expect(await other).toEqual({ text: "mine" });
  expect(entries.get("shared")?.answer?.shared).toEqual({ text: "mine" });
});

test("news of a change that the load may have seen keeps others from its answer", async () => {
  const come = Promise.withResolvers<boolean>();
  const { changes, loads } = loadsOver(come.promise);
  expect(await loads.answer(asked("secret"))).toEqual({ text: "secret" });
  const other = loads.answer(asked("of the other"));
  changes.report(["pages.id=3"]);
  come.resolve(true);
  expect(await other).toEqual({ text: "of the other" });
});

test("where no news comes, nothing is shared", async () => {
  const { loads } = loadsOver(Promise.resolve(false));
  expect(await loads.answer(asked("mine"))).toEqual({ text: "mine" });
  await loads.settled("shared");
  expect(entries.get("shared")).toBeUndefined();
  expect(await loads.combinable(known, "sights", async () => [])).toBeUndefined();
});

test("an answer of one reader is kept at once", async () => {
  const { loads } = loadsOver(new Promise(() => {}));
  const { isStill, ...own } = asked("mine");
  expect(await loads.answer(own)).toEqual({ text: "mine" });
  expect(entries.get("shared")?.answer?.shared).toEqual({ text: "mine" });
});
