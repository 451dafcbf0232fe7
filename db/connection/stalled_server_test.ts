/** A server that does not answer: every statement is rejected in time, and the store is used again when the server resumes. */
import { expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { createDatabase, startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { whileStalled } from "../../test/support/harness/stall.ts";
import { until } from "../../test/support/harness/until.ts";
import { openStore, rows, withSlowPool } from "../mod.ts";

const LIMIT_MS = 300;
/** Without an installed PostgreSQL there is no server that can be stalled. */
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};

onServer(
  "statements of every kind are rejected in time by a stalled server, and run again when it resumes",
  async () => {
    const cluster = await startCluster();
    if (!cluster) throw new Error("Cannot start a cluster: no PostgreSQL is installed here");
    const store = await openStore({ databaseUrl: await createDatabase(cluster.url), dataDir: "" });
    store.limit({ statementMs: LIMIT_MS, writeMs: LIMIT_MS, waitMs: LIMIT_MS });
    const read = () => rows(store.db, sql`select 1 as n`);
    const within = () => store.db.transaction().execute((tx) => rows(tx, sql`select 1 as n`));
    const streamed = async () => {
      const found: unknown[] = [];
      for await (const row of store.db.selectNoFrom(sql`1`.as("n")).stream(1)) found.push(row);
      return found;
    };
    const slow = () => withSlowPool({ key: "1", limitMs: LIMIT_MS }, read);
    const poll = () => store.queryWithDeadline(sql`select 1 as n`);
    const all = { read, within, streamed, slow, poll };
    const outcomes = async () => {
      const ends = Object.entries(all).map(async ([kind, run]) => [kind, await run().catch((error: Error) => error)]);
      return Object.fromEntries(await Promise.all(ends)) as Record<string, unknown>;
    };
    const served = Object.fromEntries(Object.keys(all).map((kind) => [kind, [{ n: 1 }]]));
    expect(await outcomes()).toEqual(served);
    await whileStalled(cluster.pid(), async () => {
      const late = { name: "ConnectionLost", code: "DEADLINE_EXCEEDED", message: "The store gave no answer in time" };
      expect(await outcomes()).toMatchObject({ read: late, within: late, streamed: late, slow: late, poll: late });
      // And again, over connections that are opened meanwhile.
      for (const outcome of Object.values(await outcomes())) expect(outcome).toBeInstanceOf(Error);
    });
    await until(outcomes, (found) => isDeepStrictEqual(found, served));
    for (let turn = 0; turn < 5; turn++) expect(await outcomes()).toEqual(served);
    await store.close();
    await cluster.stop();
  },
);
