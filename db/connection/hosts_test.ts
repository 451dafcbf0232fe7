import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import postgres from "postgres";
import { type Cluster, startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { freePort } from "../../test/support/harness/ports.ts";
import { until } from "../../test/support/harness/until.ts";
import { openStore, rows, type Store, StoreError, withSlowPool } from "../mod.ts";
import { parseAddress } from "./address.ts";

describe("a URL with several hosts", () => {
  test("has the hosts with their ports, and is shown without the password", () => {
    const url = "postgres://me:p%40ss@h1:6000,h2,[::1]:7000/docs?sslmode=require&target_session_attrs=primary";
    expect(parseAddress(url)).toEqual({
      url: "postgres://me:p%40ss@h1:6000/docs?sslmode=require",
      hosts: [
        { host: "h1", port: 6000 },
        { host: "h2", port: 5432 },
        { host: "::1", port: 7000 },
      ],
      attributes: "primary",
      shown: `"postgres://me@h1:6000,h2,[::1]:7000/docs"`,
    });
  });

  test("wants a server that accepts writes unless it says otherwise", () => {
    expect(parseAddress("postgres://h1,h2/docs").attributes).toBe("read-write");
    expect(parseAddress("postgres://h1,h2/docs?target_session_attrs=any").attributes).toBe("any");
  });

  test("leaves a single host to the driver, which knows no any", () => {
    const url = "postgresql://me@h1:6000/docs?target_session_attrs=read-write";
    expect(parseAddress(url)).toMatchObject({ url, hosts: [] });
    expect(parseAddress("postgres://h1/docs?target_session_attrs=any&sslmode=require").url).toBe(
      "postgres://h1/docs?sslmode=require",
    );
  });

  test.each([
    ["postgres://me:secret@h1:99999,h2/docs", /found no URL/],
    ["postgres://me:secret@h1,h2:99999/docs", /found host "h2:99999"/],
    ["postgres://me:secret@h1,/docs", /found host ""/],
    ["postgres://me:secret@h1,h2/docs?target_session_attrs=standby", /"standby", wanted read-write, primary or any/],
    ["mysql://me:secret@h1,h2/docs", /found protocol "mysql:"/],
  ])("is refused where it is wrong: %s", (url, message) => {
    expect(() => parseAddress(url)).toThrow(StoreError);
    expect(() => parseAddress(url)).toThrow(message);
    expect(() => parseAddress(url)).not.toThrow(/secret/);
  });
});

/** One server takes over from the other: both have the same table, and only one accepts writes. */
const isHere = systemBinaries() !== undefined;
const onServers = isHere ? describe : describe.skip;
onServers(`a store on several hosts${isHere ? "" : " (skipped: no PostgreSQL is installed here)"}`, () => {
  let clusters: Cluster[] = [];
  let store: Store;
  let url: string;
  const port = (cluster: Cluster | undefined) => new URL(cluster?.url ?? "").port;
  beforeAll(async () => {
    for (let at = 0; at < 2; at++) clusters.push((await startCluster()) as Cluster);
    const [first, second] = clusters as [Cluster, Cluster];
    for (const one of [first, second]) await on(one, "create table notes (server int)");
    await setReadOnly(first, true);
    const dead = await freePort();
    url = `postgres://postgres@127.0.0.1:${dead},127.0.0.1:${port(first)},127.0.0.1:${port(second)}/postgres`;
    store = await openStore({ databaseUrl: url, dataDir: "" });
    store.limit({ statementMs: 5_000, writeMs: 5_000, waitMs: 5_000 });
  }, 60_000);
  afterAll(async () => {
    await store.close();
    for (const cluster of clusters) await cluster.stop();
    clusters = [];
  }, 60_000);

  async function on(cluster: Cluster, ...texts: string[]): Promise<void> {
    const admin = postgres(cluster.url, { max: 1, connection: { default_transaction_read_only: false } });
    for (const text of texts) await admin.unsafe(text);
    await admin.end();
  }
  const setReadOnly = (cluster: Cluster, isOn: boolean) =>
    on(cluster, `alter system set default_transaction_read_only = ${isOn}`, "select pg_reload_conf()");
  const ports = async () => {
    const ask = sql<{ port: number }>`select inet_server_port() as port`;
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => rows(store.db, ask)),
      store.queryWithDeadline(ask),
      store.db.transaction().execute((tx) => rows(tx, ask)),
      withSlowPool({ key: "me", limitMs: 5_000 }, () => rows(store.db, ask)),
    ]);
    return [...new Set(answers.map(([row]) => String(row?.port)))];
  };
  const insert = () => sql`insert into notes values (inet_server_port())`.execute(store.db);

  test("uses the one that accepts writes, in every pool", async () => {
    expect(await ports()).toEqual([port(clusters[1])]);
    await insert();
  });

  test("moves to the new one after a refused write: statements, transactions, slow reads, polls and the listener", async () => {
    const [first, second] = clusters as [Cluster, Cluster];
    const heard: string[] = [];
    await store.listen("moves", { onNotify: (payload) => heard.push(payload), onReturn: () => heard.push("back") });
    await setReadOnly(first, false);
    await setReadOnly(second, true);
    const failures: unknown[] = [];
    // Sessions read the setting some time after the reload; until then the former server takes writes.
    await until(async () => {
      const failed = await insert().then(
        () => undefined,
        (error: { code?: string }) => error.code,
      );
      if (failed !== undefined) failures.push(failed);
      return failed === undefined && failures.length > 0;
    });
    expect([...new Set(failures)]).toEqual(["25006"]);
    expect(await ports()).toEqual([port(first)]);
    await until(() => heard.includes("back"));
    await store.notify("moves", "heard");
    await until(() => heard.includes("heard"));
  }, 30_000);

  test("moves when the server dies, and says at the start which host is not suitable", async () => {
    const [first, second] = clusters as [Cluster, Cluster];
    await first.kill();
    await expect(insert()).rejects.toMatchObject({ name: "ConnectionLost" });
    const refused = await openStore({ databaseUrl: url, dataDir: "" }).catch((error: Error) => error.message);
    expect(refused).toContain("none of its hosts is a server that accepts writes: ");
    expect(refused).toContain(`127.0.0.1:${port(second)} is read-only`);
    expect(refused).toContain(`127.0.0.1:${port(first)} failed (ECONNREFUSED)`);
    await setReadOnly(second, false);
    await until(() =>
      insert().then(
        () => true,
        () => false,
      ),
    );
    expect(await ports()).toEqual([port(second)]);
  }, 30_000);
});
