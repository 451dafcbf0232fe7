import { expect, test } from "bun:test";
import { Horizon } from "./horizon.ts";
import { EVERYONE, NO_SNAPSHOT } from "./schema.ts";

/** A primary whose answers the test gives, one by one. */
function primary() {
  let answer: Promise<readonly object[]> = Promise.resolve([]);
  return {
    send: () => answer,
    says(lsn: number, users: readonly number[] = [], epoch = "one") {
      answer = Promise.resolve([{ lsn, users, epoch, snapshot: NO_SNAPSHOT, missed: false }]);
    },
    /** Answers when the returned function is called. */
    saysLater(lsn: number, users: readonly number[]) {
      const later = Promise.withResolvers<readonly object[]>();
      answer = later.promise;
      return () => later.resolve([{ lsn, users, epoch: "one", snapshot: NO_SNAPSHOT, missed: false }]);
    },
    isGone() {
      answer = Promise.reject(new Error("gone"));
      answer.catch(() => {});
    },
  };
}

test("the position of the newest change of access is known once the primary was asked, and moves with such changes alone", async () => {
  const { send, says } = primary();
  const horizon = new Horizon(send);
  expect(horizon.accessNeed).toBeUndefined();
  says(10);
  await horizon.confirm();
  expect(horizon.accessNeed).toBe(10);
  says(20, [7]);
  await horizon.confirm();
  // A user who writes, and users who move to another replica, are no change of access.
  horizon.allSaw();
  says(30);
  await horizon.confirm();
  expect([horizon.accessNeed, horizon.needOf(7)]).toEqual([10, 30]);
  says(40, [EVERYONE]);
  await horizon.confirm();
  expect(horizon.accessNeed).toBe(40);
  says(5, [], "two");
  await horizon.confirm();
  expect(horizon.accessNeed).toBe(5);
});

test("while the position of a change of access is not known, none is: of a commit under way, a lost one, and one that was heard of", async () => {
  const { send, says, isGone, saysLater } = primary();
  const horizon = new Horizon(send);
  says(10);
  await horizon.confirm();
  const commit = Promise.withResolvers<void>();
  horizon.changesAccess(commit.promise);
  says(15);
  await horizon.confirm();
  expect(horizon.accessNeed).toBeUndefined();
  commit.reject(new Error("the answer was lost"));
  await Bun.sleep(0);
  expect(horizon.accessNeed).toBeUndefined();
  isGone();
  expect(horizon.confirm()).rejects.toThrow("gone");
  await Bun.sleep(0);
  expect(horizon.accessNeed).toBeUndefined();
  says(20, [EVERYONE]);
  await horizon.confirm();
  expect(horizon.accessNeed).toBe(20);
  horizon.accessChanged();
  expect(horizon.accessNeed).toBeUndefined();
  // One that is heard of while the primary is asked may not be in that answer.
  const answer = saysLater(30, [EVERYONE]);
  const asking = horizon.confirm();
  horizon.accessChanged();
  answer();
  await asking;
  expect(horizon.accessNeed).toBeUndefined();
  says(40);
  await horizon.confirm();
  expect(horizon.accessNeed).toBe(30);
});
