/**
 * The files of .deploy: each is read by its own checker, and what can run here runs: the steps of the image in a plain folder.
 * What is not installed here is left out, and a line says so. Proxies are in `deploy_proxies_test.ts`.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { validate } from "dockerfile-utils";
import { configSchema } from "../../core/config.ts";
import plugins from "../../plugins/mod.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { operatorFolder, portOf } from "../support/harness/npm_package.ts";

setDefaultTimeout(scaled(300_000));
const ROOT = join(import.meta.dir, "../..");
const deploy = (name: string) => readFileSync(join(ROOT, ".deploy", name), "utf8");
const folder = mkdtempSync(join(tmpdir(), "lectern-deploy-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Megabytes that the packages of the image may take: a larger figure needs a reason. */
const IMAGE_MB = 307;
/** The exposure of the service as systemd-analyze rates it, from 0 to 100. */
const EXPOSURE = 22;

const instructions = deploy("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\s*\\\n\s*/g, " ")
  .split("\n")
  .flatMap((line) => {
    const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, rest }];
  });
const argumentsOf = (name: string) => instructions.filter((each) => each.name === name).map(({ rest }) => rest);

function run(command: readonly string[], cwd = folder) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: process.env });
  return { code: exitCode, out: `${stdout}${stderr}` };
}

/** Whether a program is installed; a line says if not. */
function has(program: string): boolean {
  if (Bun.which(program)) return true;
  process.stdout.write(`\n== skipped: ${program} is not installed here\n`);
  return false;
}

/** The variables that Lectern reads. */
const variables = new Set(
  [configSchema, ...plugins.map(({ settings }) => settings)].flatMap((schema) =>
    Object.values(schema?.properties ?? {}).map(({ env }) => String(env)),
  ),
);

test("the Dockerfile is valid, with fixed versions, an ordinary user and a health check", () => {
  expect(validate(deploy("Dockerfile")).map(({ message }) => message)).toEqual([]);
  for (const base of argumentsOf("FROM")) expect(base).toMatch(/:[\w.-]+( AS \w+)?$/);
  expect(deploy("Dockerfile")).not.toContain(":latest");
  expect(argumentsOf("USER")).toEqual(["10001:10001"]);
  expect(argumentsOf("HEALTHCHECK").join()).toContain("/ready");
});

test("the steps of the image make a small folder that an ordinary user serves from, PDFs included", async () => {
  const app = join(folder, "app");
  mkdirSync(app);
  for (const name of ["package.json", "bun.lock", "bunfig.toml"]) cpSync(join(ROOT, name), join(app, name));
  const [install = "", prune = "", link = ""] = argumentsOf("RUN");
  // A machine with Bun alone has no npx.
  const command = Bun.which("npx") ? install : install.replace(/npx --yes bun@[\d.]+/, process.execPath);
  expect(run(["sh", "-c", command], app)).toMatchObject({ code: 0 });
  copyContext(app);
  expect(run(["sh", "-c", prune], app)).toMatchObject({ code: 0 });
  const linking = Bun.which("node") ? link : link.replace("node ", `${process.execPath} `);
  expect(run(["sh", "-c", linking], app)).toMatchObject({ code: 0 });
  expect(Number(run(["du", "-sm", join(app, "node_modules")]).out.split("\t")[0])).toBeLessThan(IMAGE_MB);

  const user = await operatorFolder();
  const [bun = ""] = [...new Bun.Glob("node_modules/@oven/bun-*/bin/bun").scanSync({ cwd: app, absolute: true })];
  const parts = [...argumentsOf("ENTRYPOINT"), ...argumentsOf("CMD")].flatMap((list) => JSON.parse(list) as string[]);
  const words = parts.map((word) => (word === "bun" ? bun : word === "core/cli.ts" ? join(app, word) : word));
  const env = { PORT: "0", DATA_DIR: join(user.path, "data"), HOST: "127.0.0.1", ADMIN_TOKEN: "id:secret" };
  const server = user.start(words, env);
  try {
    const port = await portOf(server);
    const check = JSON.parse(/CMD (\[.*\])$/.exec(argumentsOf("HEALTHCHECK")[0] ?? "")?.[1] ?? "[]") as string[];
    const healthy = (at: number) => user.run([bun, ...check.slice(1)], { PORT: String(at) });
    expect((await healthy(port)).code).toBe(0);
    expect((await healthy(1)).code).not.toBe(0);
    // The binaries of PostgreSQL run where they are, instead of in a copy in the volume.
    const stored = readdirSync(join(user.path, "data/postgres"));
    expect(stored.filter((name) => name.startsWith("native"))).toEqual([]);
    const ask = (path: string, body?: object) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: "Token id:secret", "content-type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
    const book = (await (await ask("/api/books", { name: "Runbooks" })).json()) as { id: number };
    const markdown = "# Failover\n\n**Bold**, _italic_, `code`.\n\n```ts\nconst a = 1;\n```";
    expect((await ask("/api/pages", { book_id: book.id, name: "Failover", markdown })).status).toBe(200);
    const pdf = await ask(`/api/books/${book.id}/export/pdf`);
    expect([pdf.status, (await pdf.bytes()).subarray(0, 5)]).toEqual([200, new TextEncoder().encode("%PDF-")]);
    for (const path of [
      "/api/docs",
      "/api/docs/assets/swagger-ui-bundle.js",
      "/api/docs/assets/swagger-ui.css",
      "/login",
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  } finally {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
    user.remove();
  }
});

/** Copies what .dockerignore lets into the image. */
function copyContext(to: string): void {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  const kept = lines.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  expect(kept.length).toBeGreaterThan(5);
  for (const name of kept) cpSync(join(ROOT, name), join(to, name), { recursive: true });
  expect(readdirSync(to)).not.toContain("test");
}

test("systemd accepts the service, whose sandbox leaves little open", () => {
  if (!has("systemd-analyze")) return;
  const unit = join(folder, "lectern.service");
  const [, program = ""] = /^ExecStart=(\S+)/m.exec(deploy("lectern.service")) ?? [];
  expect(program).toStartWith("/opt/lectern/node_modules/@oven/bun-");
  writeFileSync(unit, deploy("lectern.service").replaceAll(program, "/usr/bin/env"));
  expect(run(["systemd-analyze", "verify", "--man=no", unit])).toEqual({ code: 0, out: "" });
  const rated = run(["systemd-analyze", "security", "--offline=true", `--threshold=${EXPOSURE}`, "--no-pager", unit]);
  expect([rated.code, rated.out.split("\n").filter((line) => line.includes("Overall"))]).toEqual([
    0,
    [expect.any(String)],
  ]);
});

test("the manifests of Kubernetes have the types of its API, probes, and references to secrets without values", () => {
  const kinds: Readonly<Record<string, string>> = {
    PersistentVolumeClaim: "core/v1",
    Service: "core/v1",
    Deployment: "apps/v1",
  };
  // biome-ignore lint/suspicious/noExplicitAny: the compiler checks the shape below
  const documents = YAML.parse(deploy("kubernetes.yaml")) as any[];
  expect(documents.map(({ kind }) => kind)).toEqual(Object.keys(kinds));
  const types = join(ROOT, "node_modules/kubernetes-types");
  const code = documents.map(
    (document, at) =>
      `import type { ${document.kind} as Kind${at} } from ${JSON.stringify(join(types, kinds[document.kind] ?? ""))};\n` +
      `export const part${at}: Kind${at} = ${JSON.stringify(document)};\n`,
  );
  writeFileSync(join(folder, "manifests.ts"), code.join(""));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "preserve", "--types", ""];
  expect(run([process.execPath, compiler, ...options, "manifests.ts"])).toEqual({ code: 0, out: "" });

  const pod = documents.at(-1).spec.template.spec;
  const [container] = pod.containers;
  expect([pod.securityContext.runAsNonRoot, container.securityContext]).toEqual([
    true,
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  ]);
  const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) => container[name].httpGet.path);
  expect(probes).toEqual(["/health", "/health", "/ready"]);
  const env = container.env as { name: string; value?: string }[];
  expect(env.filter(({ name }) => !variables.has(name))).toEqual([]);
  const secret = /PASSWORD|SECRET|TOKEN|DATABASE_URL/;
  expect(env.filter(({ name, value }) => secret.test(name) && value !== undefined)).toEqual([]);
});

test("compose sets variables that Lectern reads, and no secret has a value", () => {
  const { services } = YAML.parse(deploy("compose.yaml")) as {
    services: Record<string, { environment?: Record<string, string>; image?: string; build?: { dockerfile: string } }>;
  };
  expect(Object.keys(services)).toEqual(["lectern", "store", "objects", "bucket"]);
  expect(Object.keys(services.lectern?.environment ?? {}).filter((name) => !variables.has(name))).toEqual([]);
  const values = Object.values(services).flatMap(({ environment = {} }) => Object.entries(environment));
  const open = values.filter(([name, value]) => /PASSWORD|SECRET|_KEY/.test(name) && !/^\$\{\w+:\?/.test(value));
  expect(open).toEqual([]);
});
