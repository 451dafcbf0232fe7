import { expect, test } from "bun:test";
import type { AwayReads } from "../connection/replica_reads.ts";
import { AwayRoute } from "./away_reads.ts";
import type { Horizon } from "./horizon.ts";
import type { Replica } from "./replica.ts";

const READ = "select id from books";

/** A route over two replicas. */
function opened({ need = 10 as number | undefined, isAway = true, lsns = [10, 10] } = {}) {
  const replicas = lsns.map((lsn) => ({ lsn, unfit: undefined as string | undefined, restingTarget: { of: lsn } }));
  const fits = replicas.map((replica) => Object.assign(replica, { unfitFor: () => replica.unfit }));
  const horizon = { accessNeed: need, epoch: "one" };
  const options = { isAway: () => isAway, listen: async () => {} };
  // Of both it asks no more than is here.
  const route = new AwayRoute(options, fits as unknown as Replica[], horizon as unknown as Horizon);
  const reads: AwayReads = { replica: undefined };
  route.requestOf = () => reads;
  return { route, reads, replicas, horizon };
}

test("a replica answers that has replayed the newest known change of access, and no other one", () => {
  const { route, reads, replicas } = opened({ need: 20, lsns: [19, 20] });
  for (const user of [0, 1, 2]) expect(route.target(READ, user)).toBe(replicas[1]?.restingTarget as never);
  expect(reads.replica).toBe(replicas[1]);
  if (replicas[1]) replicas[1].unfit = "it does not answer";
  expect(route.target(READ, 1)).toBeUndefined();
});

test("none answers while the position of a change is not known, the primary is there, or the request may write", () => {
  expect(opened().route.target(READ, 1)).toBeDefined();
  const unknown = opened();
  unknown.horizon.accessNeed = undefined;
  expect(unknown.route.target(READ, 1)).toBeUndefined();
  expect(opened({ isAway: false }).route.target(READ, 1)).toBeUndefined();
  expect(opened().route.target("delete from books", 1)).toBeUndefined();
  const { route, reads } = opened();
  route.requestOf = () => undefined;
  expect([route.target(READ, 1), reads.replica]).toEqual([undefined, undefined]);
});

test("a request stays with its replica as long as that is there", () => {
  const { route, reads, replicas } = opened();
  expect(route.target(READ, 0)).toBe(replicas[0]?.restingTarget as never);
  expect(route.target(READ, 1)).toBe(replicas[0]?.restingTarget as never);
  if (replicas[0]) replicas[0].unfit = "it does not answer";
  expect(route.target(READ, 0)).toBe(replicas[1]?.restingTarget as never);
  expect(reads.replica).toBe(replicas[1]);
});
