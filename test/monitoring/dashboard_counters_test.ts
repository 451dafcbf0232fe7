/**
 * Counters are exact: whatever reports, removals, status changes and SQL by hand do at once, every counter equals a recount
 * afterwards, every answer meanwhile is consistent, and no write is refused because of another. COUNTERS_RUNS sets the rounds;
 * a failure prints the seed that repeats its requests (their order depends on the machine).
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { recount } from "../../plugins/monitoring/hosts/recount.ts";
import { deleteOldReports } from "../../plugins/monitoring/hosts/schedules.ts";
import { verifyCommand } from "../../plugins/monitoring/hosts/verify_command.ts";
import { installed, sampleHosts, type TestHost, type TestKey } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const RUNS = Number(process.env.COUNTERS_RUNS ?? 6);
const HOSTS = 6;
const WRITERS = 8;
const NAMES = ["bash", "curl", "openssl", "zlib", "perl"];

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let board: TestKey;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { HOSTS_REQUESTS_PER_MIN: "0", DASHBOARD_RATE_LIMIT_MAX: "0" } });
  dashboard = sampleHosts(runtime);
  board = await dashboard.key();
}, 120_000);
afterAll(() => runtime.stop());

const place = fc.nat(HOSTS - 1);
const state = fc.constantFrom("" as const, "old" as const, "risk" as const);
const report = fc.record({
  osType: fc.constantFrom("ubuntu", "debian", "Zebra"),
  osVersion: fc.constantFrom("1", "2"),
  needsReboot: fc.boolean(),
  packages: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), state, fc.constantFrom("1.1", "1.2")), {
      minLength: 1,
      selector: ([name]) => name,
    })
    .map((list) => list.map((entry) => installed(...entry))),
  repositories: fc.subarray(["a", "b", "c"]).map((urls) => urls.map((url) => ({ url, isEnabled: true }))),
  sections: fc.constantFrom(undefined, ["packages"], ["repos"], ["packages", "repos"]),
});
const operation = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("report" as const), place, report }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ping" as const), place }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("status" as const), place, to: fc.constantFrom("active", "inactive") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("replace" as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("by hand" as const), place, os: fc.constantFrom("X", "Y") }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer D> ? D : never;

const path = (host: TestHost) => `/api/v1/dashboard/hosts/${host.id}`;

async function perform(hosts: TestHost[], done: Operation): Promise<number> {
  if (done.kind === "sweep") {
    await deleteOldReports(runtime.db);
    return 200;
  }
  const host = hosts[done.place] as TestHost;
  if (done.kind === "report") return (await dashboard.report(host, done.report)).status;
  if (done.kind === "ping") return (await dashboard.ping(host, { metrics: { needsReboot: true } })).status;
  if (done.kind === "status") return (await runtime.ask("PATCH", path(host), { body: { status: done.to } })).status;
  if (done.kind === "by hand") {
    await runtime.store
      .sql`update hosts set os_name = ${done.os}, needs_reboot = not needs_reboot where id = ${host.id}`;
    return 200;
  }
  const { status } = await runtime.ask("DELETE", path(host));
  hosts[done.place] = await dashboard.host(`host ${done.place}`);
  return status;
}

/** What holds in every answer during any writes (dashboard-stats 1.3). */
function holdsTogether(body: Record<string, number> & { os_distribution: { name: string; count: number }[] }): void {
  const systems = body.os_distribution;
  const n = (field: string) => body[field] as number;
  expect(systems.reduce((sum, { count }) => sum + count, 0)).toBe(n("total_hosts"));
  expect(new Set(systems.map(({ name }) => name)).size).toBe(systems.length);
  expect(systems.every(({ count }) => count > 0)).toBe(true);
  expect(n("hosts_needing_updates") + n("up_to_date_hosts")).toBe(n("total_hosts"));
  const ordered = [
    ["hosts_with_security_updates", "hosts_needing_updates", "total_hosts"],
    ["hosts_needing_updates", "total_outdated_packages"],
    ["hosts_with_security_updates", "security_updates", "total_outdated_packages"],
  ];
  for (const fields of ordered) expect(fields.map(n)).toEqual(fields.map(n).toSorted((a, b) => a - b));
  for (const value of Object.values(body).filter((one) => typeof one === "number"))
    expect(Number.isInteger(value) && value >= 0).toBe(true);
}

test("whatever is done at once, answers hold together and a recount finds no difference", async () => {
  const writing = fc.array(operation, { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(writing, { minLength: WRITERS, maxLength: WRITERS }), async (writers) => {
      const hosts = await Promise.all(Array.from({ length: HOSTS }, (_, at) => dashboard.host(`host ${at}`)));
      let isWriting = true;
      const polls = (async () => {
        for (; isWriting; await Bun.sleep(1)) holdsTogether((await dashboard.read(board)).body);
      })();
      const statuses = await Promise.all(
        writers.map(async (operations) => {
          const seen: number[] = [];
          for (const done of operations) seen.push(await perform(hosts, done));
          return seen;
        }),
      );
      isWriting = false;
      await polls;
      // A host may be deleted before its agent reports; nothing else may be refused.
      expect(statuses.flat().filter((status) => ![200, 204, 401, 404].includes(status))).toEqual([]);
      expect(await recount(runtime.db, { inventories: true })).toEqual([]);
      holdsTogether((await dashboard.read(board)).body);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 120_000);

test("many first reports of like hosts at once share packages and repositories, and none fails", async () => {
  const before = (await dashboard.read(board)).body;
  const hosts = await Promise.all(Array.from({ length: 24 }, (_, at) => dashboard.host(`like ${at}`)));
  const packages = Array.from({ length: 40 }, (_, at) => installed(`fresh-${at % 7}-${at}`, "risk"));
  const repositories = ["x", "y", "z"].map((url) => ({ url: `https://fresh.example/${url}`, isEnabled: true }));
  const orders = hosts.map((host, at) =>
    dashboard.report(host, { packages: packages.toSorted(() => (at % 2) - 0.5), repositories }),
  );
  expect((await Promise.all(orders)).map(({ status }) => status)).toEqual(hosts.map(() => 200));
  const after = (await dashboard.read(board)).body;
  expect(after.total_outdated_packages - before.total_outdated_packages).toBe(24 * 40);
  expect(after.total_repos - before.total_repos).toBe(3);
  expect(await recount(runtime.db, { inventories: true })).toEqual([]);
});

test("who sees a report acknowledged sees it counted", async () => {
  const host = await dashboard.host("seen");
  let seen = (await dashboard.read(board)).body.recent_updates_24h as number;
  for (let round = 0; round < 20; round++) {
    const noise = Array.from({ length: 4 }, () => dashboard.read(board));
    await dashboard.report(host, { packages: [installed("bash", round % 2 ? "old" : "")] });
    expect((await dashboard.read(board)).body.recent_updates_24h).toBe(++seen);
    await Promise.all(noise);
  }
});

test("rows deleted by SQL are subtracted as well, and truncating a table is refused", async () => {
  const { sql } = runtime.store;
  const host = await dashboard.host("by hand");
  await dashboard.report(host, { packages: [installed("bash", "risk")], repositories: [{ url: "q" }] });
  await sql`delete from hosts where id = ${host.id}`;
  expect(await recount(runtime.db)).toEqual([]);
  for (const table of ["hosts", "host_reports", "host_totals"])
    expect(await sql.unsafe(`truncate ${table} cascade`).then(String, (error: Error) => error.message)).toContain(
      "bend",
    );
});

async function verify(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) };
  const code = await verifyCommand.run(
    args,
    { ...io, env: {}, columns: 80, tty: false },
    runtime.contexts.get("hosts"),
  );
  return { code, lines };
}

test("the command names every counter that is wrong, and mends it where that is asked", async () => {
  const { sql } = runtime.store;
  const host = await dashboard.host("mended");
  await dashboard.report(host, {
    osType: "Okapi",
    packages: [installed("bash", "risk")],
    repositories: [{ url: "mend" }],
  });
  expect(await verify()).toEqual({ code: 0, lines: ["Every counter equals a recount"] });
  await sql`update host_totals set hosts = hosts + 1 where os_name = 'Okapi' and status = 'active'`;
  await sql`update repositories set n_hosts = 7 where url = 'mend'`;
  await sql`update report_counts set n = n + 2 where seconds = 3600 and starts_at = (select max(starts_at) from report_counts where seconds = 3600)`;
  await sql`insert into host_totals values ('active', 'Nowhere', '', 0, 3, 0, 0, 0, 0, 0)`;
  await sql`delete from host_outdated where host_id = ${host.id}`;
  const { code, lines } = await verify();
  expect(code).toBe(1);
  const printed = lines.join("\n");
  expect(printed).toMatch(/host_totals active, Okapi, , shard \d: stored \{2,1,1,1,1,0\}, counted \{1,1,1,1,1,0\}/);
  expect(printed).toContain("host_totals active, Nowhere, , shard 0: stored {3,0,0,0,0,0}, counted {0,0,0,0,0,0}");
  expect(printed).toMatch(/hosts of repository \d+: stored 7, counted 1/);
  expect(printed).toMatch(/reports of 3600 s from .+: stored \d+, counted \d+/);
  expect(printed).toContain(`packages of host ${host.id}: stored {1,1}, counted {0,0}`);
  expect((await verify("--repair")).code).toBe(0);
  expect((await verify()).code).toBe(0);
  expect((await verify("--inventories")).lines).toContain(
    `inventory of host ${host.id}: stored {1,0,0}, counted {1,1,1}`,
  );
  expect((await verify("--nonsense")).code).toBe(2);
});

test("a host that was mended is read anew, so that what was lost never reads as patched", async () => {
  const { sql } = runtime.store;
  const host = await dashboard.host("lost");
  const packages = [installed("bash", "risk"), installed("curl", "old")];
  await dashboard.report(host, { packages });
  await sql`delete from host_outdated where host_id = ${host.id}`;
  expect((await verify("--repair")).code).toBe(0);
  expect((await dashboard.report(host, { packages })).body).toMatchObject({ updatesAvailable: 2, securityUpdates: 1 });
  expect(await recount(runtime.db)).toEqual([]);
});

test("an inventory that is gone, wrong or unreadable is named, the others are looked into, and the next report mends it", async () => {
  const { sql } = runtime.store;
  await sql`delete from hosts`;
  const packages = [installed("bash", "risk"), installed("curl", "old")];
  const hosts = [
    await dashboard.host("torn"),
    await dashboard.host("gone"),
    await dashboard.host("wrong"),
    await dashboard.host("sound"),
  ];
  for (const host of hosts) await dashboard.report(host, { packages });
  const [torn, gone, wrong] = hosts.map(({ id }) => id) as [number, number, number, number];
  await sql`update host_inventory set packages = 'torn' where host_id = ${torn}`;
  await sql`delete from host_inventory where host_id = ${gone}`;
  await sql`update hosts set n_packages = 7 where id = ${wrong}`;
  const named = [
    `inventory of host ${torn}: stored {2,2,1}, counted unreadable`,
    `inventory of host ${gone}: stored {2,2,1}, counted nothing`,
    `inventory of host ${wrong}: stored {7,2,1}, counted {2,2,1}`,
  ];
  expect(await verify("--inventories")).toEqual({ code: 1, lines: [...named, "3 counters differ"] });
  const { code, lines } = await verify("--inventories", "--repair");
  expect([code, lines.at(-1)]).toEqual([
    1,
    "3 inventories cannot be repaired: they differ until their hosts report again",
  ]);
  for (const host of hosts) await dashboard.report(host, { packages });
  expect((await verify("--inventories")).code).toBe(0);
});
