/**
 * The configurations of nginx and Caddy before a server below a path: screens, bodies, WebSockets and the address of the client come
 * through. Their files are read as they are, but for addresses, ports, certificates and the path. What is not installed here is
 * left out, and a line says so.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaled } from "../support/harness/machine_speed.ts";
import { freePort } from "../support/harness/ports.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(scaled(120_000));
const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "lectern-proxies-"));
chmodSync(folder, 0o755);
const data = dataFolder("ready");
let server: Program;
beforeAll(async () => {
  const port = String(await freePort());
  // What clients use; the proxies listen elsewhere.
  const env = { PORT: port, APP_URL: `http://docs.example.com:${port}/docs`, APP_PROXIES: "127.0.0.1" };
  server = await startProgram(data.path, env);
});
afterAll(async () => {
  server.signal("SIGTERM");
  await server.ended;
  data.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A proxy: the program, and what makes its configuration and its commands. */
interface Proxy {
  readonly program: string;
  /** The local address of a client. */
  readonly client: string;
  /** The configuration with a port, before a server at a port, at the top or below /docs. */
  configure(port: number, target: number, below: boolean): string;
  check(file: string): string[];
  start(file: string): string[];
}

const deploy = (name: string) => readFileSync(join(ROOT, ".deploy", name), "utf8");

/** Replaces each text, which has to be there. */
function replaced(text: string, pairs: readonly (readonly [string | RegExp, string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`Cannot find ${from} in a configuration of .deploy`);
    return after;
  }, text);
}

const nginx: Proxy = {
  program: "nginx",
  client: "127.0.0.2",
  configure: (port, target, below) => {
    const http = replaced(deploy("nginx.conf"), [
      ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
      [/ +ssl_certificate .*\n +ssl_certificate_key .*\n/, ""],
      ["server 127.0.0.1:8080 max_fails=0;", `server 127.0.0.1:${target};`],
      ...(below ? ([["location / {", "location /docs/ {"]] as const) : []),
    ]);
    const own = ["body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
      name === "body" ? `client_body_temp_path ${folder}/body;` : `${name}_temp_path ${folder}/${name};`,
    );
    const user = process.getuid?.() === 0 ? "user root;" : "";
    const top = `${user} daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {}`;
    return `${top}\nhttp { access_log off; ${own.join(" ")}\n${http}}\n`;
  },
  check: (file) => ["nginx", "-t", "-q", "-c", file],
  start: (file) => ["nginx", "-c", file],
};

const caddy: Proxy = {
  program: "caddy",
  client: "127.0.0.3",
  configure: (port, target, below) => {
    const site = replaced(deploy("Caddyfile"), [
      ["\ndocs.example.com {", `\nhttp://127.0.0.1:${port}, http://docs.example.com:${port} {`],
      ["127.0.0.1:8080", `127.0.0.1:${target}`],
      ...(below ? ([["handle {", "handle /docs* {"]] as const) : []),
    ]);
    return `{\n\tadmin off\n\tauto_https off\n\tgrace_period 1s\n}\n${site}`;
  },
  check: (file) => ["caddy", "validate", "--adapter", "caddyfile", "--config", file],
  start: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
};

/** Sends a sign-in with a wrong password from another local address, with a forged address of a client. */
function refusedSignIn(port: number, localAddress: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
  const options = {
    port,
    host: "127.0.0.1",
    localAddress,
    method: "POST",
    path: "/docs/api/session",
    headers,
  };
  const sent = request(options, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  sent.on("error", reject);
  sent.end(JSON.stringify({ email: "admin@example.com", password: "not the password" }));
  return promise;
}

async function opensWebSocket(port: number): Promise<boolean> {
  const { body } = await server.ask("POST", "/api/v1/dashboard/hosts", { friendly_name: `line ${port}` });
  const headers = { "X-API-ID": String(body.api_id), "X-API-KEY": String(body.api_key) };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/docs/api/v1/agents/ws`, { headers });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.addEventListener("open", () => resolve(true));
  socket.addEventListener("error", () => resolve(false));
  const opened = await promise;
  socket.close();
  return opened;
}

for (const proxy of [nginx, caddy])
  test(`${proxy.program} takes its configuration, and passes all on below a path`, async () => {
    if (!Bun.which(proxy.program)) {
      process.stdout.write(`\n== skipped: ${proxy.program} is not installed here\n`);
      return;
    }
    const port = await freePort();
    const file = join(folder, `${proxy.program}.conf`);
    const home = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    for (const below of [false, true]) {
      writeFileSync(file, proxy.configure(port, server.port, below));
      const { exitCode, stderr } = Bun.spawnSync(proxy.check(file), { env: home });
      expect([exitCode, exitCode === 0 ? "" : stderr.toString()]).toEqual([0, ""]);
    }
    const running = Bun.spawn(proxy.start(file), { env: home, stdout: "ignore", stderr: "ignore" });
    try {
      const base = `http://127.0.0.1:${port}/docs`;
      await until(() =>
        fetch(`${base}/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const answer = await fetch(`${base}/login`);
      expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
      const screen = await answer.text();
      const asset = /href="[^"]*?\/docs(\/web\/assets\/pico\.css[^"]*)"/.exec(screen)?.[1];
      expect((await fetch(base + asset)).status).toBe(200);
      const redirect = await fetch(`${base}/books`, { redirect: "manual" });
      expect(redirect.headers.get("location") ?? "/docs/").toContain("/docs/");

      const headers = { authorization: server.authorization, "content-type": "application/json" };
      const send = (path: string, body: object) =>
        fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      const book = (await (await send("/api/books", { name: "Runbooks" })).json()) as { id: number };
      const page = { book_id: book.id, name: "Long", markdown: "A sentence of a long page. ".repeat(80_000) };
      expect((await send("/api/pages", page)).status).toBe(200);
      expect(await opensWebSocket(port)).toBe(true);

      expect(await refusedSignIn(port, proxy.client)).toBe(401);
      await until(() => server.output().includes(`"${proxy.client}"`));
      expect(server.output()).not.toContain("203.0.113.9");
    } finally {
      running.kill("SIGTERM");
      await running.exited;
    }
  });
