/**
 * Lectern as an npm package: packs this copy and installs it in a folder of its own, as an unprivileged user where the tests run
 * as root. A machine with Bun alone packs and installs with Bun.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../../../.ci/pack.ts";

/** The account "nobody" and its group on Debian. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const npm = Bun.which("npm");

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder in which an operator installs packages. */
export interface OperatorFolder {
  readonly path: string;
  /** Runs a command of the operator to its end. */
  run(command: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** Starts a command of the operator. */
  start(command: readonly string[], env?: Record<string, string>): ChildProcess;
  remove(): void;
}

/** The variables of the operator: without a Bun in PATH other than the one that is installed, and with npm's registry. */
async function operatorEnv(home: string): Promise<Record<string, string>> {
  const path = [npm, Bun.which("node")].flatMap((file) => (file === null ? [] : [join(file, "..")]));
  const registry = npm === null ? "" : (await output([npm, "config", "get", "registry"])).trim();
  return {
    PATH: [...new Set([...path, "/usr/bin", "/bin"])].join(":"),
    HOME: home,
    TMPDIR: home,
    npm_config_loglevel: "error",
    npm_config_update_notifier: "false",
    ...(registry === "" ? {} : { npm_config_registry: registry }),
  };
}

/** Makes an empty folder that belongs to the operator. */
export async function operatorFolder(): Promise<OperatorFolder> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "lectern-npm-")));
  chmodSync(path, 0o755);
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  const own = await operatorEnv(path);
  const drop = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"] : [];
  return {
    path,
    async run(command, env = {}) {
      const options = { cwd: path, env: { ...own, ...env }, stdout: "pipe", stderr: "pipe" } as const;
      const child = Bun.spawn([...drop, ...command], options);
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      return { code: await child.exited, out: out.trim(), err: err.trim() };
    },
    start(command, env = {}) {
      const [program = "", ...args] = [...drop, ...command];
      return spawn(program, args, { cwd: path, env: { ...own, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Packs this copy of Lectern into a folder. Returns the path of the package. */
export async function packLectern(folder: string): Promise<string> {
  const packed = await pack(folder);
  chmodSync(packed, 0o644);
  return packed;
}

/** Installs a package in the operator's folder as `npm install` does. */
export function installPackage(folder: OperatorFolder, file: string): Promise<Ended> {
  writeFileSync(join(folder.path, "package.json"), '{ "private": true }\n');
  if (isRoot) chownSync(join(folder.path, "package.json"), NOBODY, NOBODY);
  if (npm === null) return folder.run([process.execPath, "add", file]);
  return folder.run([npm, "install", "--no-audit", "--no-fund", file]);
}

/** Waits for the port in the output of a server that was started. Throws an error with the output if it ends before. */
export async function portOf(server: ChildProcess): Promise<number> {
  let text = "";
  const port = Promise.withResolvers<number>();
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (chunk) => {
      text += String(chunk);
      const found = /answers at http:\/\/[^/]+:(\d+)/.exec(text)?.[1];
      if (found !== undefined) port.resolve(Number(found));
    });
  void once(server, "exit").then(() => port.reject(new Error(`Cannot start the server; it wrote:\n${text}`)));
  return port.promise;
}

async function output(command: string[]): Promise<string> {
  return new Response(Bun.spawn(command, { stdout: "pipe", stderr: "ignore" }).stdout).text();
}
