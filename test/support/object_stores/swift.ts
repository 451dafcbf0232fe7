/**
 * OpenStack Swift on one machine: one server each for accounts, containers and objects, and the proxy with its S3 API. Everything
 * lies in a temporary folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/until.ts";
import { answers } from "./ceph.ts";
import type { InstallableStore } from "./mod.ts";
import { processes } from "./processes.ts";

const PARTS = ["account", "container", "object"] as const;
const PROGRAMS = [
  ...PARTS.map((part) => `swift-${part}-server`),
  "swift-proxy-server",
  "swift-ring-builder",
  "memcached",
];
const START_MS = 60_000;
const HOST = "s3.localhost";

/** The service, with the user "tester" of the account "test". */
export const swift: InstallableStore = {
  name: "Swift's swift-proxy",
  packages: "swift-proxy swift-account swift-container swift-object memcached",
  start: PROGRAMS.every((program) => Bun.which(program)) ? start : undefined,
};

async function start() {
  const folder = mkdtempSync(join(tmpdir(), "lectern-swift-"));
  const all = processes(folder);
  mkdirSync(join(folder, "disks/one"), { recursive: true });
  const user = all.run("id", ["-un"]).trim();
  const common = `bind_ip = 127.0.0.1\nuser = ${user}\nswift_dir = ${folder}\nworkers = 0\n`;
  try {
    for (const part of PARTS) {
      const port = await freePort();
      const builder = `${part}.builder`;
      all.run("swift-ring-builder", [builder, "create", "4", "1", "1"]);
      all.run("swift-ring-builder", [builder, "add", `r1z1-127.0.0.1:${port}/one`, "1"]);
      all.run("swift-ring-builder", [builder, "rebalance"]);
      const place = `devices = ${folder}/disks\nmount_check = false\nrecon_cache_path = ${folder}\n`;
      const app = `[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`;
      writeFileSync(join(folder, `${part}.conf`), `[DEFAULT]\nbind_port = ${port}\n${common}${place}${app}`);
      all.start(part, `swift-${part}-server`, [`${part}.conf`]);
    }
    const [cache, port] = [await freePort(), await freePort()];
    all.start("memcached", "memcached", ["-l", "127.0.0.1", "-p", String(cache), "-u", user]);
    writeFileSync(join(folder, "proxy.conf"), `[DEFAULT]\nbind_port = ${port}\n${common}${proxy(cache)}`);
    all.start("proxy", "swift-proxy-server", ["proxy.conf"]);
    await until(
      () => {
        all.check();
        return answers(`http://127.0.0.1:${port}/healthcheck`);
      },
      Boolean,
      START_MS,
    );
    return {
      endpoint: `http://127.0.0.1:${port}`,
      hostEndpoint: `http://files.${HOST}:${port}`,
      accessKeyId: "test:tester",
      secretAccessKey: "testing",
      region: "us-east-1",
      async stop() {
        await all.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await all.stop();
    throw error;
  }
}

function proxy(cache: number): string {
  return `[pipeline:main]
pipeline = catch_errors healthcheck cache s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
storage_domain = ${HOST}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin .reseller_admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}
