/**
 * The reference reporter as an operator runs it: on this machine's own packages where it has apt, and on recorded output of dnf
 * and apk; and the ten lines of the README. All of them send to a runtime that listens.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { raw, sampleHosts, type TestHost } from "../support/data/sample_hosts.ts";
import { APT, byArguments, installedByDpkg, machinesIn, says } from "../support/fakes/machines.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const README = join(import.meta.dir, "../../plugins/monitoring/hosts/README.md");

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let server: ReturnType<typeof Bun.serve>;
let script: string;
const folder = mkdtempSync(join(tmpdir(), "lectern-reporter-"));
const machine = machinesIn(folder);
beforeAll(async () => {
  runtime = await bootTestRuntime();
  dashboard = sampleHosts(runtime);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => runtime.runtime.http.handle(request, "127.0.0.1"),
  });
  const { status, body } = await raw(runtime, "GET", "/api/v1/dashboard/reporter.sh", {});
  expect(status).toBe(200);
  script = join(folder, "reporter.sh");
  writeFileSync(script, body);
}, 120_000);
afterAll(async () => {
  await server.stop(true);
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(command: string[], host: TestHost, path = process.env.PATH): Promise<Run> {
  const env = {
    PATH: path,
    NO_REFRESH: "1",
    URL: `http://127.0.0.1:${server.port}/`,
    API_ID: host.headers["x-api-id"],
    API_KEY: host.headers["x-api-key"],
  };
  const child = Bun.spawn(command, { env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Packages of a foreign architecture beside those of its own, and one with "security" in its name. */
const APT_TWO = {
  "apt-get": byArguments({
    "*upgrade*": says(
      "Inst libc6:i386 [2.36-9] (2.36-10 Debian-Security:12/stable-security [i386]) []\n" +
        "Inst libsecurity-perl [1.0-1] (1.0-2 Debian:12/stable [all])\nConf libc6:i386 (2.36-10 Debian [i386])",
    ),
    "*indextargets*": says("#repo\tdeb\thttp://deb.example/debian/\tbookworm\tmain"),
  }),
  dpkg: says("amd64"),
  "dpkg-query": installedByDpkg(
    "ii libc6 2.36-10 amd64",
    "hi libc6 2.36-9 i386",
    "ii libsecurity-perl 1.0-1 all",
    "ii zlib 1.2 amd64",
  ),
};
const DNF = {
  rpm: says("bash\t5.1.8-6.el9\nopenssl-libs\t1:3.0.7-27.el9\ngpg-pubkey\t8483c65d-5ccc5b19\nzlib\t1.2.11-40.el9"),
  dnf: byArguments({
    "*check-update*": says(
      "\nbash.x86_64          5.1.8-9.el9        baseos\nopenssl-libs.x86_64  1:3.0.7-28.el9     baseos\nObsoleting Packages\nzlib.x86_64 1.3-1.el9 baseos",
      100,
    ),
    "*updateinfo*": says("RHSA-2024:1 Important/Sec. openssl-libs-1:3.0.7-28.el9.x86_64"),
    "*repolist*": says(
      "Repo-id            : baseos\nRepo-name          : Base\nRepo-baseurl       : https://rpm.example/baseos/ (1 more)",
    ),
  }),
};
const DNF5 = {
  rpm: DNF.rpm,
  dnf: byArguments({
    "*--version*": says("dnf5 version 5.2.8.1\ndnf5 plugin API version 2.0"),
    "*check-update*": says(
      "bash.x86_64          5.1.8-9.el9        updates\nopenssl-libs.x86_64  1:3.0.7-28.el9     updates",
      100,
    ),
    "*list?--security*": says(
      "Name                 Type     Severity Package                             Issued\n" +
        "FEDORA-2024-12ab34cd security Moderate openssl-libs-1:3.0.7-28.el9.x86_64 2024-10-01 01:02:03",
    ),
    "*list?security*": says("No advisories found"),
    "*-v*": says('Unknown argument "-v" for command "repolist"', 2),
    "*repoinfo*": says(
      "Repo ID              : updates\nName                 : Updates\nURLs                 :\n" +
        "  Metalink           : https://rpm.example/metalink?repo=updates\n\nRepo ID              : local\n" +
        "  Base URL           : https://rpm.example/local/",
    ),
  }),
};
const APK = {
  apk: byArguments({
    "info*": says("musl-1.2.4-r1\nfont-noto-2-extra-1.0-r0\nzlib-1.3.1-r0"),
    "version*": says("musl-1.2.4-r1                    < 1.2.4-r2\nfont-noto-2-extra-1.0-r0 < 1.1-r0"),
  }),
};

const counts = (text: string) => JSON.parse(text.trim());
const shown = async ({ id }: TestHost) => (await runtime.ask("GET", `/api/v1/dashboard/hosts/${id}`)).body;

test("this machine's own packages give the numbers that apt itself gives", async () => {
  const path = Bun.which("apt-get") && Bun.which("dpkg-query") ? (process.env.PATH as string) : machine(APT);
  const host = await dashboard.host("own");
  const { code, out, err } = await run(["sh", script], host, path);
  expect([code, err]).toEqual([0, ""]);
  const apt = await run(["apt-get", "-s", "--with-new-pkgs", "upgrade"], host, path);
  const upgradable = apt.out.split("\n").filter((line) => /^Inst \S+ \[/.test(line));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the format is dpkg's own
  const dpkg = await run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}\\t${Package}:${Architecture}\\n"], host, path);
  const installed = new Set(dpkg.out.split("\n").flatMap((line) => /^.i.?\t(\S+)/.exec(line)?.[1] ?? []));
  expect(counts(out)).toEqual({
    message: "Host updated successfully",
    packagesProcessed: installed.size,
    updatesAvailable: new Set(upgradable.map((line) => line.split(" ")[1])).size,
    securityUpdates: upgradable.filter((line) => /\(.*security/i.test(line)).length,
  });
  expect((await shown(host)).status).toBe("active");
}, 120_000);

test("apt: what would be new is not outdated, what is half removed is not installed", async () => {
  const host = await dashboard.host("apt");
  const { out, err } = await run(["sh", script], host, machine(APT));
  expect([counts(out), err]).toMatchObject([{ packagesProcessed: 3, updatesAvailable: 2, securityUpdates: 1 }, ""]);
  expect(await shown(host)).toMatchObject({
    outdated: [
      { name: "bash", current_version: "5.2-1", available_version: "5.2-2", security: false },
      { name: "openssl", security: true },
    ],
    repositories: [{ url: "http://deb.example/debian/", distribution: "bookworm", components: "main", type: "deb" }],
  });
});

/** What two of its architectures and a name that promises security come to, by either script. */
const TWO = [
  { name: "libc6:i386", current_version: "2.36-9", available_version: "2.36-10", security: true },
  { name: "libsecurity-perl", current_version: "1.0-1", available_version: "1.0-2", security: false },
];

test("apt: a package of a foreign architecture is one of its own, and names tell nothing of security", async () => {
  const host = await dashboard.host("two");
  const { out, err } = await run(["sh", script], host, machine(APT_TWO));
  expect([counts(out), err]).toMatchObject([{ packagesProcessed: 4, updatesAvailable: 2, securityUpdates: 1 }, ""]);
  expect((await shown(host)).outdated).toEqual(TWO);
});

test("dnf5: security is asked for by an option, and repositories by another command", async () => {
  const host = await dashboard.host("dnf5");
  const { out, err } = await run(["sh", script], host, machine(DNF5));
  expect([counts(out), err]).toMatchObject([{ packagesProcessed: 3, updatesAvailable: 2, securityUpdates: 1 }, ""]);
  expect(await shown(host)).toMatchObject({
    outdated: [
      { name: "bash", security: false },
      { name: "openssl-libs", security: true },
    ],
    repositories: [
      { url: "https://rpm.example/local/", distribution: "local" },
      { url: "https://rpm.example/metalink?repo=updates", distribution: "updates" },
    ],
  });
});

test("dnf: exit code 100 is good news, what is obsoleted is no update, signatures are no packages", async () => {
  const host = await dashboard.host("dnf");
  const { out, err } = await run(["sh", script], host, machine(DNF));
  expect([counts(out), err]).toMatchObject([{ packagesProcessed: 3, updatesAvailable: 2, securityUpdates: 1 }, ""]);
  expect(await shown(host)).toMatchObject({
    outdated: [{ name: "bash" }, { name: "openssl-libs", available_version: "1:3.0.7-28.el9", security: true }],
    repositories: [{ url: "https://rpm.example/baseos/", type: "rpm" }],
  });
});

test("apk: versions begin where they begin, and digits in names are names", async () => {
  const host = await dashboard.host("apk");
  const { out } = await run(["sh", script], host, machine(APK));
  expect(counts(out)).toMatchObject({ packagesProcessed: 3, updatesAvailable: 2, securityUpdates: 0 });
  expect((await shown(host)).outdated.map(({ name }: { name: string }) => name)).toEqual(["font-noto-2-extra", "musl"]);
});

test("credentials are no arguments of a command, which every user of the machine may read", async () => {
  const host = await dashboard.host("quiet");
  const place = mkdtempSync(join(folder, "curl-"));
  const [curl, told] = [join(place, "curl"), join(place, "told")];
  writeFileSync(curl, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${told}'\nexec '${Bun.which("curl")}' "$@"\n`);
  chmodSync(curl, 0o755);
  const { out } = await run(["sh", script], host, `${place}:${machine(APT)}`);
  expect(counts(out)).toMatchObject({ packagesProcessed: 3 });
  const given = readFileSync(told, "utf8");
  expect(given).toContain("/api/v1/hosts/update");
  expect(given).not.toContain(host.headers["x-api-key"] as string);
});

test("a query that fails sends nothing, since an empty list would read as patched", async () => {
  const host = await dashboard.host("failing");
  const broken = [
    { ...APT, "dpkg-query": "exit 2" },
    { ...APT, "apt-get": "exit 100" },
    { ...APT, "dpkg-query": installedByDpkg("rc gone 1 all") },
    { ...APT, dpkg: "exit 1" },
    { ...DNF, dnf: "exit 1" },
    { ...DNF, rpm: "exit 1" },
    { apk: "exit 1" },
    {},
  ];
  for (const commands of broken) expect((await run(["sh", script], host, machine(commands))).code).not.toBe(0);
  expect((await shown(host)).status).toBe("pending");
});

test("a server that refuses makes the reporter fail", async () => {
  const { code, err } = await run(
    ["sh", script],
    { id: 0, headers: { "x-api-id": "x", "x-api-key": "y" } },
    machine(APT),
  );
  expect([code === 0, err]).toEqual([false, expect.stringContaining("401")]);
});

test("the ten lines of the README report as well", async () => {
  const lines = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(await Bun.file(README).text())?.[1] ?? "";
  expect(lines.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  const short = join(folder, "short.sh");
  writeFileSync(short, lines);
  const { code, out, err } = await run(["sh", short], await dashboard.host("short"), machine(APT));
  expect([code, err, counts(out)]).toMatchObject([
    0,
    "",
    { packagesProcessed: 3, updatesAvailable: 2, securityUpdates: 1 },
  ]);
  const two = await dashboard.host("short two");
  expect(counts((await run(["sh", short], two, machine(APT_TWO))).out).packagesProcessed).toBe(4);
  expect((await shown(two)).outdated).toEqual(TWO);
});
