/**
 * `bun test/bench/boot_steps.ts [boots]`: what a boot in one process costs: statements, CPU of Bun and of PostgreSQL, first over a
 * copy of a migrated database, then again over one that has booted, with roles for all plugins and for none that ship; and which
 * statements a boot sends, by what they are for. The server is a throw-away one; CPU of PostgreSQL is that of its ended sessions.
 */
import { readFileSync } from "node:fs";
import "../support/harness/cheap_passwords.ts";
import { type Cluster, startCluster } from "../support/harness/cluster.ts";
import { shareServer } from "../support/harness/test_database.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { median, record } from "./record.ts";

const BOOTS = Number(process.argv[2] ?? 10);
/** Sessions end a moment after their connections. */
const SESSIONS_END_MS = 500;
/** Milliseconds of a clock tick in /proc. */
const TICK_MS = 10;

/** What statements are for, by what their text contains; the first that fits. */
const STEPS: readonly (readonly [step: string, text: RegExp])[] = [
  ["ledgers", /lectern_ledger/],
  ["roles", /lectern_grants' |pg_advisory_xact_lock|^(?:grant|revoke|do \$lectern\$)/],
  ["running servers", /"running_servers"/],
  ["versions and records of plugins", /installed_plugins/],
  ["jobs", /"jobs"/],
  ["checks of tables, triggers of counts", /to_regclass|pg_trigger|acl_counted|definer|lock table/],
  ["begin and commit", /^\s*(?:begin|commit)/],
  ["app_boot of plugins, and the rest", /./],
];

interface Boot {
  readonly statements: readonly string[];
  readonly bunMs: number;
}

async function boot(options: Parameters<typeof bootTestRuntime>[0]): Promise<{ runtime: TestRuntime } & Boot> {
  const statements: string[] = [];
  const before = process.cpuUsage();
  // Without a database of its own to fill, `prepare` only sees the store.
  const prepare = options?.beside && {
    prepare: async (store: TestRuntime["store"]) => store.observe(({ text }) => void statements.push(text)),
  };
  const runtime = await bootTestRuntime({ ...options, ...prepare });
  const { user, system } = process.cpuUsage(before);
  return { runtime, statements, bunMs: (user + system) / 1000 };
}

/** The CPU of the server's ended sessions so far, in milliseconds. */
async function sessionsMs(cluster: Cluster): Promise<number> {
  await Bun.sleep(SESSIONS_END_MS);
  const [, fields = ""] = readFileSync(`/proc/${cluster.pid()}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(13, 15).map(Number);
  return (user + system) * TICK_MS;
}

async function measure(cluster: Cluster, roles: "all" | "third-party", beside?: TestRuntime): Promise<readonly Boot[]> {
  const env = { PLUGIN_ROLES: roles };
  const boots: Boot[] = [];
  const run = async () => {
    const { runtime, ...measured } = await boot(beside ? { env, beside } : { env });
    await runtime.stop();
    boots.push(measured);
  };
  await run();
  const before = await sessionsMs(cluster);
  for (let n = 0; n < BOOTS; n++) await run();
  const serverMs = ((await sessionsMs(cluster)) - before) / BOOTS;
  record("A boot in one process", {
    roles,
    over: beside ? "one that has booted" : "a migrated copy",
    statements: beside ? (boots.at(-1)?.statements.length ?? 0) : "–",
    "Bun ms, median": Math.round(median(boots.slice(1).map(({ bunMs }) => bunMs))),
    "PostgreSQL ms": Math.round(serverMs),
  });
  return boots;
}

const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
try {
  const shared = await shareServer(cluster.url);
  Object.assign(process.env, shared.env);
  for (const roles of ["all", "third-party"] as const) {
    await measure(cluster, roles);
    const first = await bootTestRuntime({ env: { PLUGIN_ROLES: roles } });
    const statements = (await measure(cluster, roles, first)).at(-1)?.statements ?? [];
    await first.stop();
    const steps = Map.groupBy(statements, (text) => STEPS.find(([, part]) => part.test(text))?.[0] ?? "");
    for (const [step, texts] of steps)
      record(`Statements of a boot, roles ${roles}`, { step, statements: texts.length });
  }
  await shared.stop();
} finally {
  await cluster.stop();
}
process.exit(0);
