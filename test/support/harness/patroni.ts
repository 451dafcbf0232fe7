/**
 * Three PostgreSQL servers that Patroni keeps as one cluster with synchronous replication, with etcd and HAProxy, all on the
 * loopback address and from Debian's packages `patroni`, `etcd-server` and `haproxy`. As root everything runs as another
 * account, which PostgreSQL insists on. Members are ended by SIGKILL, as by a machine that loses its power.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { account, systemBinaries } from "./cluster.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

const PATH = `${process.env.PATH}:/usr/sbin`;
const PROGRAMS = ["patroni", "etcd", "haproxy"];
const BINARIES = systemBinaries();
const START_MS = 180_000;
const PASSWORD = "made-up";

/** The packages that are missing; none where a cluster can be started. */
export const missingForPatroni: readonly string[] = [
  ...PROGRAMS.filter((program) => Bun.which(program, { PATH }) === null),
  ...(BINARIES ? [] : ["postgresql"]),
];

/** Seconds of Patroni: how long a leader without a sign of life stays one, and between two looks at it. */
export interface PatroniTimes {
  readonly ttl: number;
  readonly loopWait: number;
}

interface Member {
  readonly name: string;
  readonly port: number;
  readonly api: number;
  readonly folder: string;
  process: ChildProcess | undefined;
}

/** A running cluster. */
export interface PatroniCluster {
  /** All members in one URL, of which the one that accepts writes is used. */
  readonly url: string;
  /** HAProxy, which leads to the leader. */
  readonly proxyUrl: string;
  /** The name of the leader; undefined while there is none. */
  leader(): Promise<string | undefined>;
  /** Ends PostgreSQL and Patroni of the leader by SIGKILL. Resolves to its name. */
  killLeader(): Promise<string>;
  /** Starts a member that was ended, and waits until a synchronous standby is there and all members run. */
  revive(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cluster. Throws where a program is missing or it does not start. */
export async function startPatroni({ ttl, loopWait }: PatroniTimes): Promise<PatroniCluster> {
  if (missingForPatroni.length > 0) throw new Error(`Cannot start Patroni: ${missingForPatroni.join(", ")} is missing`);
  const folder = mkdtempSync(join(tmpdir(), "lectern-patroni-"));
  const { uid, gid } = account();
  const owned = (path: string) => {
    if (uid !== undefined) chownSync(path, uid, gid ?? uid);
    return path;
  };
  owned(folder);
  const run = (name: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const [program = "", ...rest] = args;
    return spawn(Bun.which(program, { PATH }) ?? program, rest, {
      cwd: folder,
      // A group of its own, so that PostgreSQL is ended with Patroni.
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...process.env, PATH, HOME: folder },
      ...(uid !== undefined && { uid, gid }),
    });
  };
  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const etcd = run("etcd", [
    ...["etcd", "--name", "one", "--data-dir", join(folder, "etcd"), "--initial-cluster", `one=${peerUrl}`],
    ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
  ]);
  const members: Member[] = [];
  for (const name of ["one", "two", "three"]) {
    const member = { name, port: await freePort(), api: await freePort(), folder: join(folder, name) };
    mkdirSync(member.folder);
    owned(member.folder);
    members.push({ ...member, process: undefined });
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(configuration(member, `127.0.0.1:${etcdPort}`, { ttl, loopWait })));
  }
  const start = (member: Member) => {
    member.process = run(member.name, ["patroni", join(folder, `${member.name}.json`)]);
  };
  writeFileSync(join(folder, "haproxy.cfg"), proxyConfiguration(proxyPort, members));
  await until(() => isUp(`${etcdUrl}/health`), Boolean, START_MS);
  for (const member of members) start(member);
  const proxy = run("haproxy", ["haproxy", "-db", "-f", join(folder, "haproxy.cfg")]);
  const whole = () => until(() => isWhole(members), Boolean, START_MS);
  const leader = async () => {
    const states = await Promise.all(
      members.map(async ({ name, api }) => [name, await isUp(addressOf(api, "primary"))]),
    );
    return states.find(([, isLeader]) => isLeader)?.[0] as string | undefined;
  };
  const stop = async () => {
    for (const member of members) kill(member);
    for (const child of [proxy, etcd]) child.kill("SIGKILL");
    // A server process may still write while it ends.
    await until(() => members.every(({ folder: data }) => !isRunning(data)));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await whole();
    await until(() => isUp(addressOf(members[0]?.api ?? 0, "cluster")));
  } catch (error) {
    const logs = ["etcd", "one", "two", "three"].map((name) =>
      readFileSync(join(folder, `${name}.log`), "utf8").slice(-1_500),
    );
    await stop();
    throw new Error(`Cannot start Patroni: ${logs.join("\n")}`, { cause: error });
  }
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    url: `postgres://postgres:${PASSWORD}@${hosts}/postgres?target_session_attrs=read-write`,
    proxyUrl: `postgres://postgres:${PASSWORD}@127.0.0.1:${proxyPort}/postgres`,
    leader,
    async killLeader() {
      const name = await until(leader);
      const member = members.find((one) => one.name === name) as Member;
      kill(member);
      return member.name;
    },
    async revive(name) {
      const member = members.find((one) => one.name === name) as Member;
      start(member);
      await whole();
    },
    stop,
  };
}

const addressOf = (api: number, path: string) => `http://127.0.0.1:${api}/${path}`;

async function isUp(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Whether all members run, the replicas stream, and one of them is synchronous. */
async function isWhole(members: readonly Member[]): Promise<boolean> {
  for (const { api } of members) {
    const answer = await fetch(addressOf(api, "cluster"), { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (!answer?.ok) continue;
    const { members: all = [] } = (await answer.json()) as {
      members?: { role: string; state: string; lag?: number | string }[];
    };
    const roles = all.map(({ role }) => role);
    const isReady = all.every(
      ({ state, role, lag }) => state === "running" && (role === "leader" || lag === 0 || role === "sync_standby"),
    );
    return all.length === members.length && isReady && roles.includes("leader") && roles.includes("sync_standby");
  }
  return false;
}

/** Ends Patroni and PostgreSQL, whose server process leads a group of its own. */
function kill({ process: patroni, folder }: Member): void {
  const postmaster = postmasterOf(folder);
  for (const pid of [patroni?.pid, postmaster]) if (pid !== undefined) killGroup(pid);
}

function killGroup(pid: number): void {
  for (const target of [-pid, pid])
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended already, or leads no group.
    }
}

function postmasterOf(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(folder: string): boolean {
  const pid = postmasterOf(folder);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function configuration(
  { name, port, api, folder }: Omit<Member, "process">,
  etcd: string,
  { ttl, loopWait }: PatroniTimes,
) {
  const parameters = { wal_log_hints: "on", max_connections: 100, unix_socket_directories: "", fsync: "on" };
  const dcs = {
    ttl,
    loop_wait: loopWait,
    retry_timeout: Math.max(3, Math.floor(ttl / 3)),
    maximum_lag_on_failover: 1_048_576,
    synchronous_mode: true,
    postgresql: { use_pg_rewind: true, use_slots: true, parameters },
  };
  return {
    scope: "lectern",
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { host: etcd },
    bootstrap: { dcs, initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"] },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, "data"),
      bin_dir: BINARIES,
      pgpass: join(folder, "pgpass"),
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
      authentication: {
        superuser: { username: "postgres", password: PASSWORD },
        replication: { username: "replicator", password: PASSWORD },
        rewind: { username: "rewinder", password: PASSWORD },
      },
    },
  };
}

function proxyConfiguration(port: number, members: readonly Member[]): string {
  const servers = members.map(({ name, port: own, api }) => `  server ${name} 127.0.0.1:${own} check port ${api}`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen leader
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
