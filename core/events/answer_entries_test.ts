/** Entries of the answer cache: what is made of an answer goes with it, and the memory that is counted is that of the entries which are left. */
import { expect, test } from "bun:test";
import { AnswerEntries } from "./answer_entries.ts";
import { ANSWER_FORMS } from "./answer_forms.ts";
import { keptMark } from "./kept_marks.ts";

/** Entries with an answer and a value that is made of it, which both depend on the same rows. */
function answerAndDerived(maxBytes: number) {
  const entries = new AnswerEntries(maxBytes);
  const answer = ANSWER_FORMS.value({ name: "Failover" }, 0);
  entries.set("answer", answer, ["pages.id=3", "users"]);
  const mark = keptMark(answer.shared);
  if (!mark) throw new Error("The answer has no mark");
  const drawn = { shared: {}, size: 5_000, since: 0 };
  return { entries, derive: () => entries.set("drawn", drawn, ["users", mark.name]) };
}

test("what an answer and a value made of it depend on forgets each of them once", () => {
  const { entries, derive } = answerAndDerived(100_000);
  derive();
  expect(entries.deleteWith("users")).toBe(2);
  expect([entries.size, entries.bytes]).toEqual([0, 0]);
});

test("a value whose answer is removed for it is not left", () => {
  const { entries, derive } = answerAndDerived(6_000);
  derive();
  expect([entries.size, entries.bytes]).toEqual([0, 0]);
});

test("an entry that needs the memory of others takes it from those that were used least recently", () => {
  const entries = new AnswerEntries(3_000);
  for (const key of ["a", "b", "c"]) entries.set(key, { shared: {}, size: 1_000, since: 0 }, []);
  expect(["a", "b", "c"].map((key) => entries.get(key)?.key)).toEqual([undefined, "b", "c"]);
  expect([entries.size, entries.evictions]).toEqual([2, 1]);
});
