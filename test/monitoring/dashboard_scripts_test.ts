/**
 * The scripts that enrol machines and install the reporter, as an operator runs them: ours, and the steps of PatchMon's own
 * script. They talk to a runtime that listens and logs at debug level.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configSchema } from "../../core/config.ts";
import { createLog } from "../../core/log.ts";
import { readSettings } from "../../core/runtime/settings.ts";
import { type Listening, listen } from "../../core/workers/listen.ts";
import { raw, sampleHosts, type TestKey } from "../support/data/sample_hosts.ts";
import { APT, machinesIn } from "../support/fakes/machines.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-scripts-"));
const machine = machinesIn(folder);
const lines: string[] = [];
const secrets: string[] = [];
let runtime: TestRuntime;
let listening: Listening;
let dashboard: ReturnType<typeof sampleHosts>;
let url: string;
let key: TestKey;
beforeAll(async () => {
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  url = `http://127.0.0.1:${free.port}`;
  await free.stop(true);
  runtime = await bootTestRuntime({ env: { APP_URL: url } });
  const log = createLog("debug", (line) => void lines.push(line));
  listening = await listen(
    runtime.runtime,
    readSettings("lectern", configSchema, { PORT: url.split(":")[2] ?? "" }),
    log,
  );
  dashboard = sampleHosts(runtime);
  key = await dashboard.key({ integration_type: "enrolment" });
  secrets.push(key.token_secret);
}, 120_000);
afterAll(async () => {
  await listening.stop();
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs lines of a shell on a machine whose root is a folder of its own. */
async function run(text: string, { shell = "sh", path = machine(APT), env = {} }) {
  const root = mkdtempSync(join(folder, "root-"));
  mkdirSync(join(root, "etc/cron.d"), { recursive: true });
  const child = Bun.spawn([shell, "-c", text], {
    env: { PATH: path, DESTDIR: root, NO_REFRESH: "1", URL: url, KEY: key.token_key, SECRET: key.token_secret, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err, root };
}
const hosts = async (name: string) =>
  (await runtime.ask("GET", `/api/v1/dashboard/hosts?filter[friendly_name]=${encodeURIComponent(name)}`)).body.data;
const enrolment = (type: string) => `curl -fsS -H "X-Auto-Enrollment-Key: $KEY" -H "X-Auto-Enrollment-Secret: $SECRET" \
  "$URL/api/v1/auto-enrollment/script?type=${type}"`;

test.each(["sh", "bash"])("the script enrols, installs and reports by itself, under %s", async (shell) => {
  const name = `direct "${shell}" \\ 1`;
  const { code, out, err, root } = await run(`${enrolment("direct-host")} | ${shell}`, {
    shell,
    env: { FRIENDLY_NAME: name },
  });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("The reporter is installed and has reported.");
  const [host] = (await runtime.ask("GET", "/api/v1/dashboard/hosts?sort=-id&count=1")).body.data;
  // One machine is one host, by whatever shell it is enrolled.
  expect(host).toMatchObject({ status: "active" });
  const conf = join(root, "etc/lectern-reporter.conf");
  expect(statSync(conf).mode & 0o777).toBe(0o600);
  secrets.push(/API_KEY='(.*)'/.exec(readFileSync(conf, "utf8"))?.[1] ?? "none");
  const command = join(root, "usr/local/bin/lectern-report");
  expect(readFileSync(join(root, "etc/cron.d/lectern-reporter"), "utf8")).toBe(
    `${host.id % 60} * * * * root ${command} >/dev/null\n`,
  );
  const again = await run(command, { shell });
  expect(JSON.parse(again.out)).toMatchObject({ message: "Host updated successfully", packagesProcessed: 3 });
});

test("the steps of PatchMon's own script lead to a host that reports", async () => {
  const steps = (force: string) => `
response=$(curl -s -X POST -H "X-Auto-Enrollment-Key: $KEY" -H "X-Auto-Enrollment-Secret: $SECRET" \
  -H "Content-Type: application/json" -d '{"machine_id": "st0ck", "friendly_name": "stock", "metadata": {}}' \
  "$URL/api/v1/auto-enrollment/enroll")
api_id=$(echo "$response" | grep -o '"api_id":"[^"]*' | cut -d'"' -f4)
api_key=$(echo "$response" | grep -o '"api_key":"[^"]*' | cut -d'"' -f4)
curl -s -H "X-API-ID: $api_id" -H "X-API-KEY: $api_key" "$URL/api/v1/hosts/install?arch=amd64${force}" | sh
code=$?
curl -s -H "X-API-ID: $api_id" -H "X-API-KEY: $api_key" "$URL/api/v1/hosts/agent/timestamp" | grep -o '"exists":[a-z]*'
exit $code`;
  const first = await run(steps(""), {});
  expect([first.code, first.err, first.out]).toEqual([0, "", expect.stringContaining('"exists":false')]);
  const [host] = await hosts("stock");
  expect(host).toMatchObject({ status: "active" });
  const again = await run(steps("&force=true"), {});
  expect([again.code, (await hosts("stock")).map(({ id }: { id: number }) => id)]).toEqual([0, [host.id]]);
  // The credentials of the first installation are refused now.
  expect((await run(join(first.root, "usr/local/bin/lectern-report"), {})).code).not.toBe(0);
});

test("each running container of a Proxmox host is enrolled, and one that cannot report is named", async () => {
  const containers = join(folder, "containers");
  const pct = `case "$1" in
list) printf 'VMID Status Lock Name\\n101 running x a\\n102 stopped x b\\n103 running x c\\n104 running x d\\n' ;;
exec) id=$2; shift 3
  case "$1" in
  uname) echo "ct-$id"; exit ;;
  cat) echo template; exit ;;
  esac
  [ "$id" != 104 ] || exit 1
  mkdir -p ${containers}/$id/etc/crontabs
  DESTDIR=${containers}/$id exec "$@" ;;
esac`;
  const path = machine({ ...APT, pct });
  await run(`${enrolment("proxmox-lxc")} | sh`, { path });
  const { code, out, err } = await run(`${enrolment("proxmox-lxc")} | sh`, { path });
  expect([code, err]).toEqual([1, "enrol: container 104 (ct-104) is not enrolled\n"]);
  expect(out).toContain("enrol: container 103 (ct-103) is enrolled");
  // The second time it was the same hosts, although all of them report the machine id of their template.
  for (const id of [101, 103]) {
    expect(await hosts(`ct-${id}`)).toMatchObject([{ status: "active" }]);
    expect(readFileSync(join(containers, String(id), "etc/crontabs/root"), "utf8")).toContain("lectern-report");
  }
  expect([existsSync(join(containers, "102")), await hosts("ct-102")]).toEqual([false, []]);
});

test("a refused enrolment installs nothing and says why", async () => {
  const refused = await run(`${enrolment("direct-host")} | sed "s/^SECRET=.*/SECRET='wrong'/" | sh`, {});
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain("Invalid token secret");
  expect(existsSync(join(refused.root, "usr"))).toBe(false);
  const broken = await run(`${enrolment("direct-host")} | sh`, { path: machine({ "apt-get": "exit 1" }) });
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining("its first report failed")]);
});

test("scripts are for who shows credentials in headers, and no secret is logged or taken from an address", async () => {
  const script = (path: string, headers = {}) => raw(runtime, "GET", `/api/v1/auto-enrollment/script${path}`, headers);
  const shown = { "x-auto-enrollment-key": key.token_key, "x-auto-enrollment-secret": key.token_secret };
  const asked = `?type=direct-host&token_key=${key.token_key}&token_secret=${key.token_secret}`;
  expect((await script(asked)).body).toEqual({ error: "Auto-enrollment credentials required" });
  expect((await script("?type=windows", shown)).status).toBe(400);
  expect((await script("?type=direct-host", { ...shown, "x-auto-enrollment-secret": "x" })).status).toBe(401);
  for (const path of ["install", "agent/timestamp"])
    expect((await raw(runtime, "GET", `/api/v1/hosts/${path}`, {})).body).toEqual({
      error: "API credentials required",
    });
  await fetch(`${url}/api/v1/auto-enrollment/script${asked}`);
  expect(lines.length).toBeGreaterThan(5);
  for (const secret of secrets) expect([secret.length, lines.join("").includes(secret)]).toEqual([64, false]);
});
