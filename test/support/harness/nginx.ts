/** nginx before servers of this machine, with the configuration of `.deploy`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

const CONFIGURATION = join(import.meta.dir, "../../../.deploy/nginx.conf");

/** A running nginx. */
export interface Nginx {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts nginx before servers at these ports, with its files in a folder. Undefined, with a line, where it is not installed. */
export async function startNginx(folder: string, targets: readonly number[]): Promise<Nginx | undefined> {
  if (!Bun.which("nginx")) {
    process.stdout.write("\n== skipped: nginx is not installed here\n");
    return undefined;
  }
  const port = await freePort();
  const servers = targets.map((target) => `server 127.0.0.1:${target} max_fails=0;`).join(" ");
  const pairs: [string | RegExp, string][] = [
    ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
    [/ +ssl_certificate .*\n +ssl_certificate_key .*\n/, ""],
    ["server 127.0.0.1:8080 max_fails=0;", servers],
  ];
  const http = pairs.reduce((text, [from, to]) => text.replace(from, to), readFileSync(CONFIGURATION, "utf8"));
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const top = `${user} daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {}`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, `${top}\nhttp { access_log off; ${places.join(" ")}\n${http}}\n`);
  const running = Bun.spawn(["nginx", "-c", file], { stdout: "ignore", stderr: "ignore" });
  const listens = () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  await until(listens);
  return {
    port,
    async stop() {
      running.kill("SIGTERM");
      await running.exited;
    },
  };
}
