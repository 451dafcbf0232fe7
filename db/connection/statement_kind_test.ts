import { expect, test } from "bun:test";
import { ConnectionLost, StoreUnavailable } from "../query/errors.ts";
import { isForPrimary, isRead, type ReplicaFailure } from "./statement_kind.ts";

const failure = (error: unknown, more: Partial<ReplicaFailure> = {}): boolean =>
  isForPrimary({ text: "select 1", error, ms: 20, limitMs: 1_000, isAborted: false, isOpen: true, ...more });
const coded = (code: string) => Object.assign(new Error("refused"), { code });

test("statements that change or lock something go to the primary", () => {
  const reads = ["select id, updated_at from pages", " with a as (select 1) select * from a", "values (1)"];
  const others = [
    "update pages set name = $1",
    "with gone as (delete from pages returning id) select * from gone",
    "select id from pages for update",
    "select id from pages for key share",
    "select pg_try_advisory_lock(1)",
    "select nextval('pages_id_seq')",
    "select pg_notify('a', 'b')",
    "select 1; drop table pages",
    "refresh materialized view counts",
  ];
  expect(reads.map(isRead)).toEqual(reads.map(() => true));
  expect(others.map(isRead)).toEqual(others.map(() => false));
});

test("the primary answers what a replica lost, cancelled for its replay, refused, or does not have yet", () => {
  for (const code of ["40001", "40P01", "57014", "57P01", "25006", "42P01", "53300"])
    expect([code, failure(coded(code))]).toEqual([code, true]);
  expect(failure(new ConnectionLost("lost", "REPLICA_OUT"))).toBe(true);
  expect(failure(new StoreUnavailable("closed"), { isOpen: false })).toBe(true);
});

test("what the primary would answer the same way is not repeated there", () => {
  for (const code of ["22P02", "2201B", "23505", "42501", "42601"])
    expect([code, failure(coded(code))]).toEqual([code, false]);
  expect(failure(coded("57014"), { ms: 1_000 })).toBe(false);
  expect(failure(coded("57014"), { isAborted: true })).toBe(false);
  expect(failure(new StoreUnavailable("busy"))).toBe(false);
  expect(failure(new TypeError("a parameter"))).toBe(false);
});

test("a statement that a replica refused as a write goes to the primary from then on", () => {
  const text = "select count_visit($1)";
  expect(isRead(text)).toBe(true);
  expect(failure(coded("25006"), { text })).toBe(true);
  expect(isRead(text)).toBe(false);
});
