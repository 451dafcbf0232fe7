/**
 * The program as an operator runs it, for tests that end it by signals, and sockets on which a test writes bytes that no client
 * library would send.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyWithBundle } from "../../../.ci/pack.ts";
import { folderOfRun } from "./leftovers.ts";

const ROOT = join(import.meta.dir, "../../..");
const START_MS = 60_000;
const TOKEN = "adminid:adminsecret";
/** The administrator's in the data folder that a run makes. */
const READY_PASSWORD = "correct horse battery";

/** By this variable `small_limits.ts` gets other values of constants. */
export const CONSTANTS_VARIABLE = "TEST_CONSTANTS";

/** A running program. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  readonly authorization: string;
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  signal(name: NodeJS.Signals): void;
  /** The exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** What it wrote so far. */
  output(): string;
}

/** By this variable a run names a data folder in which the program has started before. */
export const READY_VARIABLE = "TEST_READY_FOLDER";

/**
 * A data folder for several starts: empty, or `ready`, a copy of one in which the program has started before, so that starts take
 * half the CPU time; its copies are one instance, whose administrator has the password `correct horse battery`. A file that runs
 * alone gets an empty one.
 */
export function dataFolder(content: "empty" | "ready" = "empty"): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "lectern-program-"));
  chmodSync(path, 0o755);
  const ready = process.env[READY_VARIABLE];
  // PostgreSQL insists on the owners, which `cp -a` keeps.
  if (content === "ready" && ready !== undefined) execFileSync("cp", ["-a", "--reflink=auto", `${ready}/.`, path]);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** By this variable a run names the copy of Lectern whose programs tests start. */
export const PROGRAM_VARIABLE = "TEST_PROGRAM_ROOT";

/**
 * The top of the copy of Lectern whose programs tests start: within a run one that lies below `node_modules` as npm installs it, with
 * the bundle, with which each process takes about half a second of CPU less than with the sources; for a file that runs alone these.
 */
export const PROGRAM_ROOT: string = process.env[PROGRAM_VARIABLE] ?? ROOT;

/** Makes the copy that `PROGRAM_ROOT` is within a run, which its caller removes; the next call removes that of a run that was killed. */
export async function makeProgramRoot(): Promise<string> {
  const root = folderOfRun(join(ROOT, "node_modules"));
  await copyWithBundle(root);
  return root;
}

/** Makes the data folder that `dataFolder("ready")` copies. */
export async function makeReadyFolder(): Promise<string> {
  const { path } = dataFolder();
  const program = await startProgram(path, { ADMIN_PASSWORD: READY_PASSWORD });
  program.signal("SIGTERM");
  const code = await program.ended;
  if (code !== 0)
    throw new Error(`Cannot make a data folder: the program ended with ${code} and wrote:\n${program.output()}`);
  return path;
}

/** The working folder and arguments of a program; by default the server with what ships, at the top of that copy. */
export interface Start {
  readonly cwd?: string;
  readonly args?: readonly string[];
  /** The top of the copy of Lectern that runs; `PROGRAM_ROOT` by default. */
  readonly root?: string;
  /** Other values of constants of the runtime, such as small limits; the program is begun by `small_limits.ts` then, over the sources. */
  readonly constants?: Readonly<Record<string, number>>;
}

/** Starts the program over a data folder and waits until it prints its address. */
export async function startProgram(
  dataDir: string,
  more: Record<string, string> = {},
  { constants, root = constants ? ROOT : PROGRAM_ROOT, cwd = root, args = ["serve", "plugins/mod.ts"] }: Start = {},
): Promise<Program> {
  const env = {
    ...process.env,
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    DATABASE_URL: "",
    ADMIN_TOKEN: TOKEN,
    ADMIN_EMAIL: "admin@example.com",
    API_REQUESTS_PER_MIN: "1000000",
    ...more,
  };
  const entry = constants ? join(import.meta.dir, "small_limits.ts") : join(root, "core/cli.ts");
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: constants ? { ...env, [CONSTANTS_VARIABLE]: JSON.stringify(constants) } : env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      text += String(chunk);
    });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const port = await said(child, () => /answers at http:\/\/[^/]+:(\d+)/.exec(text)?.[1]);
  const authorization = `Token ${TOKEN}`;
  return {
    pid: child.pid ?? 0,
    port: Number(port),
    authorization,
    ended,
    signal: (name) => void child.kill(name),
    output: () => text,
    async ask(method, path, body) {
      const headers = { authorization, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
      const answer = await response.text();
      return { status: response.status, body: answer === "" ? {} : JSON.parse(answer) };
    },
  };

  async function said(process: ChildProcess, look: () => string | undefined): Promise<string> {
    for (const start = Date.now(); Date.now() - start < START_MS; ) {
      const found = look();
      if (found !== undefined) return found;
      if (process.exitCode !== null) break;
      await Bun.sleep(20);
    }
    process.kill("SIGKILL");
    throw new Error(`Cannot start the program; it wrote:\n${text}`);
  }
}

/** A socket on which bytes are written as they are. */
export interface RawConnection {
  write(bytes: string | Uint8Array): void;
  /** What has been received when the other side has closed or `done` answers true. */
  read(done?: (text: string) => boolean): Promise<string>;
  /** Whether the other side has closed it. */
  isClosed(): boolean;
  hangUp(): void;
}

const READ_MS = 15_000;

/** Opens a connection to a port of this machine. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket: Socket = connect(port, "127.0.0.1");
  let text = "";
  let closed = false;
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("close", () => {
    closed = true;
  });
  // A reset by the other side is one of the ways it may end; `read` sees it as closed.
  socket.on("error", () => {
    closed = true;
  });
  await once(socket, "connect");
  return {
    write: (bytes) => void socket.write(bytes),
    async read(done = (read) => answersIn(read) > 0) {
      for (const start = Date.now(); !closed && !done(text) && Date.now() - start < READ_MS; ) await Bun.sleep(5);
      return text;
    },
    isClosed: () => closed,
    hangUp: () => void socket.destroy(),
  };
}

/** How many complete answers a text holds, going by their Content-Length. */
export function answersIn(text: string): number {
  let count = 0;
  for (let at = 0; ; count++) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0) return count;
    const length = Number(/content-length: (\d+)/i.exec(text.slice(at, end))?.[1] ?? 0);
    at = end + 4 + length;
    if (text.length < at) return count;
  }
}
