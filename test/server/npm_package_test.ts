/**
 * Lectern as a package of npm: packed, installed in an empty folder by an ordinary user without Bun, served, used and stopped by
 * `npx --no lectern`; plugins in that folder import what the package exports.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { devDependencies, exports as exported, version } from "../../package.json" with { type: "json" };
import { TSC } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import {
  installPackage,
  type OperatorFolder,
  operatorFolder,
  packLectern,
  portOf,
} from "../support/harness/npm_package.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(300_000));
const ROOT = join(import.meta.dir, "../..");
/** The versions of Node that the client is tried under, as far as they are installed. */
const NODES = ["node", "node22", "node24"];
const ADMIN = { ADMIN_EMAIL: "admin@example.com", ADMIN_TOKEN: "adminid:adminsecret" };
let home: OperatorFolder;
let installed: string;
beforeAll(async () => {
  home = await operatorFolder();
  installed = join(home.path, "node_modules/lectern");
  const { code, err } = await installPackage(home, await packLectern(home.path));
  if (code !== 0) throw new Error(`Cannot install the package: ${err}`);
});
afterAll(() => home.remove());

/** The command `lectern` of the package. */
const lectern = (args: readonly string[]) =>
  Bun.which("npx") ? ["npx", "--no", "lectern", ...args] : [process.execPath, "x", "lectern", ...args];

/** The files in which a compiler among the packages for development finds errors, each as often as it has some. */
async function wrongFiles(compiler: string, folder: string): Promise<string[]> {
  const file = join(ROOT, "node_modules", compiler, "bin/tsc");
  // One thread takes less CPU time than several; older compilers have no other.
  const threads = compiler === "typescript" ? ["--singleThreaded"] : [];
  const checked = Bun.spawn([process.execPath, file, ...threads, "-p", folder], { cwd: folder, stdout: "pipe" });
  const said = await new Response(checked.stdout).text();
  return [...said.matchAll(/([\w.]+)\(\d+,\d+\): error TS\d+|error TS\d+/g)].map(([error, file]) => file ?? error);
}

/** The Bun that npm has installed. */
function packagedBun(): string {
  const system = `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  return join(home.path, `node_modules/@oven/bun-${system}/bin/bun`);
}

test("the package holds what runs and what plugins import, and neither tests nor benchmarks nor fixtures", () => {
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: installed, dot: true })];
  const odd = files.filter(
    (path) =>
      /_test\.ts$|^\.(?:ci|github)\/|^test\/(?:bench|fixtures|rules|core|server)\//.test(path) || path === "bun.lock",
  );
  expect(odd).toEqual([]);
  for (const file of Object.values(exported)) expect([file, files.includes(file.slice(2))]).toEqual([file, true]);
  for (const file of ["README.md", "LICENSE", "tsconfig.json", "themes/README.md", ".deploy/lectern.service"])
    expect([file, files.includes(file)]).toEqual([file, true]);
});

test("an installation leaves out what only tests and checks need", () => {
  const tools = Object.keys(devDependencies).filter((name) => existsSync(join(home.path, "node_modules", name)));
  expect(tools).toEqual([]);
});

test("an ordinary user without Bun serves by npx, makes a token beside it, and stops it in order", async () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(readme).toContain(`\`\`\`sh\nnpm install ./lectern-${version}.tgz\nnpx --no lectern serve\n\`\`\``);
  const env = { PORT: "0", DATA_DIR: join(home.path, "data"), ...ADMIN };
  const server = home.start(lectern(["serve"]), env);
  const port = await portOf(server);
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
  const made = await home.run(lectern(["token", "create", "--user", "admin@example.com", "--name", "mine"]), env);
  expect([made.code, made.err]).toEqual([0, ""]);
  const authorization = `Token ${made.out.split("\n").at(-1)}`;
  const books = await fetch(`http://127.0.0.1:${port}/api/books`, { headers: { authorization } });
  expect([books.status, await books.json()]).toEqual([200, { data: [], total: 0 }]);
  const screen = await fetch(`http://127.0.0.1:${port}/login`);
  expect([screen.status, (await screen.text()).includes("pico.css")]).toEqual([200, true]);
  server.kill("SIGTERM");
  const isGone = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      () => false,
      () => !existsSync(join(home.path, "data/postgres/cluster/postmaster.pid")),
    );
  await until(isGone);
});

test("the launcher passes on the exit code, and names the command as it is called", async () => {
  const bogus = await home.run(lectern(["bogus"]));
  expect([bogus.code, bogus.err]).toEqual([2, expect.stringContaining('There is no command "bogus"')]);
  const help = await home.run(lectern(["token", "--help"]));
  expect([help.code, help.out]).toEqual([0, expect.stringContaining("npx --no lectern token create")]);
});

test("a plugin in that folder imports the package, compiles, and its test passes", async () => {
  const made = await home.run(lectern(["new", "plugin", "votes"]));
  expect([made.code, made.out]).toEqual([0, expect.stringContaining("npx --no lectern serve")]);
  // What `npm install --save-dev bun-types` brings.
  for (const name of ["bun-types", "@types/node", "undici-types"]) {
    const to = join(home.path, "node_modules", name);
    if (!existsSync(to)) await home.run(["mkdir", "-p", join(to, "..")]);
    if (!existsSync(to)) symlinkSync(join(ROOT, "node_modules", name), to);
  }
  const all = Object.keys(exported).map((name, at) => `import * as part${at} from "lectern${name.slice(1)}";\n`);
  const uses = Object.keys(exported).map((_, at) => `Object.keys(part${at}).length`);
  writeFileSync(join(home.path, "all.ts"), `${all.join("")}export const counts = [${uses}];\n`);
  const tsconfig = { extends: "./node_modules/lectern/tsconfig.json", include: ["*.ts", "votes"] };
  writeFileSync(join(home.path, "tsconfig.json"), JSON.stringify(tsconfig));
  const [tsc = "", ...options] = TSC;
  const compiler = join(ROOT, "node_modules/typescript/bin", tsc);
  const typed = Bun.spawn([process.execPath, compiler, ...options, home.path], { cwd: home.path, stdout: "pipe" });
  expect([await new Response(typed.stdout).text(), await typed.exited]).toEqual(["", 0]);
  // Beside what is right, as each compilation takes seconds.
  const wrong = join(home.path, "votes/wrong.ts");
  writeFileSync(
    wrong,
    `import type { Draft } from "lectern/core";\nexport type Wrong = Draft<"book_update">["rwo"];\n`,
  );
  expect(await wrongFiles("typescript5", home.path)).toEqual(["wrong.ts"]);
  rmSync(wrong);
  const preload = join(installed, "core/cli/preload.ts");
  const tested = await home.run([packagedBun(), "test", "--preload", preload, "./votes"], { DATABASE_URL: "" });
  expect([tested.code, tested.err]).toEqual([0, expect.stringContaining("1 pass")]);
});

test("the client is plain JavaScript for Node, and its declarations compile with TypeScript 5 and 7", async () => {
  const program = (field: string) => `import { createClient, type Schema } from "lectern/client";
const client = createClient({ baseUrl: "http://localhost", token: "a:b", fetch: async () => Response.json({ data: [{ name: "Emma" }], total: 1 }) });
const { data } = await client.GET("/api/books");
const first: Schema<"BookListItem"> | undefined = data?.data[0];
console.log(first?.${field});
`;
  const own = join(home.path, "scripts");
  mkdirSync(own, { recursive: true });
  const plain = program("name")
    .replace(", type Schema", "")
    .replace(/: Schema<[^=]*(?= =)/, "");
  writeFileSync(join(own, "books.mjs"), plain);
  const nodes = NODES.flatMap((name) => Bun.which(name) ?? []);
  for (const node of nodes.length > 0 ? nodes : [packagedBun()]) {
    const run = await home.run([node, join(own, "books.mjs")]);
    expect([node, run.code, run.out, run.err]).toEqual([node, 0, "Emma", ""]);
  }
  for (const compiler of ["typescript5", "typescript"])
    for (const module of ["NodeNext", "Preserve"]) {
      writeFileSync(join(own, "books.mts"), program("name"));
      writeFileSync(join(own, "wrong.mts"), program("nmae"));
      const compilerOptions = { noEmit: true, strict: true, target: "ES2022", module, skipLibCheck: true, types: [] };
      writeFileSync(join(own, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["books.mts", "wrong.mts"] }));
      expect([compiler, module, await wrongFiles(compiler, own)]).toEqual([compiler, module, ["wrong.mts"]]);
    }
});

test("the package runs as a bundle, and what an operator adds to it shares its modules, in one process and in workers", async () => {
  const own = join(home.path, "served");
  const text = {
    "package.json": JSON.stringify({
      private: true,
      lectern: {
        plugins: ["lectern/plugins", "./stamps", "acme-seals", "./acme-kudos"],
        isolated: { "./acme-kudos": { unenforced: true } },
      },
    }),
    "stamps/plugin.ts": `import { join } from "node:path";
      import { ApiError, definePlugin } from "lectern/core";
      import shipped from "lectern/plugins";
      export default definePlugin({
        name: "stamps",
        setup({ app, children, runtime }) {
          app.get("/stamps/refused", () => { throw new ApiError(422, "No more stamps"); }, { permit: "public" });
          app.get("/stamps/shared", () => runtime.plugins().filter(({ plugin }) => shipped.includes(plugin)).length, { permit: "public" });
          app.get("/stamps/drawn", () => children.run("ink", { module: join(import.meta.dir, "tasks.ts"), task: "draw", owner: "x" }), { permit: "public" });
        },
      });`,
    "stamps/tasks.ts": `import { ApiError } from "lectern/core";
      export const tasks = { draw: async (ink) => { throw new ApiError(409, "Out of " + ink); } };`,
    "node_modules/acme-seals/package.json": JSON.stringify({
      name: "acme-seals",
      type: "module",
      exports: "./plugin.ts",
    }),
    "node_modules/acme-seals/plugin.ts": `import { ApiError, definePlugin } from "lectern/core";
      export default definePlugin({ name: "acme-seals", setup({ app }) {
        app.get("/seals", () => { throw new ApiError(410, "Sealed"); }, { permit: "public" });
      } });`,
    "themes/acme/functions.ts": `import { ApiError, defineTheme } from "lectern/core";
      export default defineTheme(({ listen }) => listen("app_boot", () => { globalThis.sealed = ApiError; }));`,
    "themes/acme/views/layout/footer.ts": `export default ({ html }) => () => html\`<footer>Bundled acme</footer>\`;`,
  };
  for (const [path, content] of Object.entries(text)) {
    mkdirSync(join(own, path, ".."), { recursive: true });
    writeFileSync(join(own, path), content);
  }
  cpSync(join(ROOT, "test/fixtures/plugins/acme-kudos"), join(own, "acme-kudos"), { recursive: true });
  const grants = Bun.spawnSync(
    [packagedBun(), "--no-install", join(installed, "core/cli.ts"), "grants", "stamps", "acme-seals"],
    { cwd: own, env: { ...process.env, LOG_LEVEL: "warn" } },
  );
  expect(grants.stdout.toString()).toContain("answers everybody at the paths: /api/seals\n");
  expect(grants.stdout.toString()).toContain("    /api/stamps/shared\n");
  // What runs from the sources is missing: the bundle has it.
  const sources = ["core/cli/main.ts", "core/runtime/boot.ts"].map((path) => join(installed, path));
  for (const file of sources) renameSync(file, `${file}.away`);
  try {
    for (const workers of ["1", "2"]) {
      const env = { PORT: "0", DATA_DIR: join(home.path, `served-${workers}`), APP_THEME: "acme", ...ADMIN };
      const program = join(installed, "core/cli.ts");
      const run = [
        "sh",
        "-c",
        `cd "${own}" && exec "${packagedBun()}" --no-install "${program}" serve --workers ${workers}`,
      ];
      const server = home.start(run, env);
      const port = await portOf(server);
      const ask = async (path: string, init?: RequestInit) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
        const shown = await answer.text();
        return [answer.status, shown.startsWith("{") ? (JSON.parse(shown).error?.message ?? shown) : shown];
      };
      expect(await ask("/api/stamps/refused")).toEqual([422, "No more stamps"]);
      expect(await ask("/api/stamps/drawn")).toEqual([409, "Out of ink"]);
      expect(await ask("/api/seals")).toEqual([410, "Sealed"]);
      const [, shared] = await ask("/api/stamps/shared");
      expect(Number(shared)).toBeGreaterThan(40);
      expect((await ask("/login"))[1]).toContain("Bundled acme");
      const headers = { authorization: `Token ${ADMIN.ADMIN_TOKEN}`, "content-type": "application/json" };
      const made = await ask("/api/books", {
        method: "POST",
        headers,
        body: JSON.stringify({ name: "Of teh operator" }),
      });
      expect(made[1]).toContain('"Of the operator"');
      const gone = once(server, "exit");
      server.kill("SIGTERM");
      await gone;
    }
  } finally {
    for (const file of sources) renameSync(`${file}.away`, file);
  }
});

test("another version is installed over this one after a backup, and then refuses a store that it is too old for", async () => {
  const next = join(home.path, "next");
  const pack = `mkdir next && tar -xzf lectern-*.tgz -C next && sed -i 's/"version": "[^"]*"/"version": "99.0.0"/' next/package/package.json && sed -i 's/version: "${version}"/version: "99.0.0"/' next/package/bundle/*.js`;
  const file = Bun.which("npm") ? "cd next && npm pack ./package" : "cd next/package && bun pm pack --destination ..";
  expect((await home.run(["sh", "-c", `${pack} && ${file}`])).code).toBe(0);
  if (!Bun.which("npm")) return;
  const env = { PORT: "0", DATA_DIR: join(home.path, "data") };
  const upgraded = await home.run(lectern(["upgrade", join(next, "lectern-99.0.0.tgz")]), env);
  expect(readdirSync(join(home.path, "data/backups"))).toHaveLength(1);
  expect([upgraded.code, upgraded.out]).toEqual([0, expect.stringContaining("Installed Lectern 99.0.0 in place of")]);
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).version).toBe("99.0.0");

  const tooNew = `sed -i 's/upgradesFrom: "[^"]*"/upgradesFrom: "98.0.0"/' ${installed}/bundle/*.js`;
  expect((await home.run(["sh", "-c", tooNew])).code).toBe(0);
  const refused = await home.run(lectern(["serve"]), env);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("start 98.0.0 over it once, then 99.0.0")]);
});

test("the package needs no other Bun than the one of its types", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const versions = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("@oven/bun-"));
  expect(new Set(versions.map(([, version]) => version))).toEqual(new Set([devDependencies["bun-types"]]));
});
