/**
 * Ceph on one machine: a monitor, one storage daemon in memory, and the gateway radosgw.
 * Everything lies in a temporary folder.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/until.ts";
import type { InstallableStore } from "./mod.ts";
import { processes } from "./processes.ts";

const PROGRAMS = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "ceph-authtool", "monmaptool"];
const STORE_BYTES = 4 * 1024 ** 3;
const START_MS = 120_000;
const ANSWER_MS = 2_000;
const HOST = "s3.localhost";

/** Keys of the parts, each with its capabilities. */
const KEYS: readonly (readonly [string, ...(readonly [string, string])[]])[] = [
  ["mon.", ["mon", "allow *"]],
  ["osd.0", ["mon", "allow profile osd"], ["osd", "allow *"]],
  ["client.admin", ["mon", "allow *"], ["osd", "allow *"]],
];

/** The service, with the user "lectern". */
export const ceph: InstallableStore = {
  name: "Ceph's radosgw",
  packages: "radosgw ceph-mon ceph-osd ceph-common",
  start: PROGRAMS.every((program) => Bun.which(program)) ? start : undefined,
};

interface Cluster {
  readonly folder: string;
  readonly cluster: string;
  /** Ports. */
  readonly monitor: number;
  readonly gateway: number;
}

async function start() {
  const folder = mkdtempSync(join(tmpdir(), "lectern-ceph-"));
  const all = processes(folder);
  const cluster = randomUUID();
  const [monitor, gateway] = [await freePort(), await freePort()];
  const configuration = join(folder, "ceph.conf");
  writeFileSync(configuration, configured({ folder, cluster, monitor, gateway }));
  const by = (...args: string[]) => ["-c", configuration, ...args];
  try {
    for (const name of ["mon", "osd"]) mkdirSync(join(folder, name));
    const map = join(folder, "monmap");
    all.run("monmaptool", ["--create", "--fsid", cluster, "--addv", "a", `[v2:127.0.0.1:${monitor}]`, map]);
    const keyring = join(folder, "keyring");
    all.run("ceph-authtool", ["--create-keyring", keyring]);
    for (const [name, ...caps] of KEYS)
      all.run("ceph-authtool", [keyring, "--gen-key", "-n", name, ...caps.flatMap((cap) => ["--cap", ...cap])]);
    all.run("ceph-mon", by("--mkfs", "-i", "a", "--monmap", map, "--keyring", keyring));
    all.start("mon", "ceph-mon", by("-f", "-i", "a"));
    const id = randomUUID();
    all.run("ceph", by("--connect-timeout", "30", "osd", "new", id));
    all.run("ceph-osd", by("--mkfs", "-i", "0", "--osd-uuid", id));
    all.start("osd", "ceph-osd", by("-f", "-i", "0"));
    await until(
      () => JSON.parse(all.run("ceph", by("osd", "stat", "-f", "json"))).num_up_osds === 1,
      Boolean,
      START_MS,
    );
    const keys = ["--access-key", "lectern", "--secret-key", "lectern-secret"];
    all.run("radosgw-admin", by("user", "create", "--uid", "lectern", "--display-name", "Lectern", ...keys));
    all.start("radosgw", "radosgw", by("-f", "-n", "client.admin"));
    await until(
      () => {
        all.check();
        return answers(`http://127.0.0.1:${gateway}`);
      },
      Boolean,
      START_MS,
    );
  } catch (error) {
    await all.stop();
    throw error;
  }
  return {
    endpoint: `http://127.0.0.1:${gateway}`,
    hostEndpoint: `http://files.${HOST}:${gateway}`,
    accessKeyId: "lectern",
    secretAccessKey: "lectern-secret",
    region: "us-east-1",
    async stop() {
      await all.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a service answers at all. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    () => true,
    () => false,
  );
}

function configured({ folder, cluster, monitor, gateway }: Cluster): string {
  return `[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${monitor}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data = ${folder}/mon
mon data avail crit = 0
mon data avail warn = 0
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${STORE_BYTES}
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.cluster.log
rgw data = ${folder}
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw dns name = ${HOST}
rgw gc obj min wait = 5
rgw gc processor period = 5
rgw gc processor max time = 5
`;
}
