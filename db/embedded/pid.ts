/**
 * State of an embedded server: its postmaster.pid, process and socket. These may vanish between two calls, so a missing one
 * is no error.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { codeOf } from "../query/unknown_values.ts";
import type { Home } from "./home.ts";

/** The port in the name of the socket. */
export const PORT = 5432;

/** The socket folder of the running server of a cluster; undefined where none answers. */
export async function liveSockets(home: Home): Promise<string | undefined> {
  const found = readPid(home);
  if (found?.status !== "ready" || !isAlive(found.pid)) return undefined;
  return (await answers(join(found.sockets, `.s.PGSQL.${PORT}`))) ? found.sockets : undefined;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Whether a process is the server of this cluster, and not another one with a reused pid. */
export function serves(pid: number, { cluster }: Pick<Home, "cluster">): boolean {
  const listed = `/proc/${pid}/cmdline`;
  if (existsSync(listed)) return readFileSync(listed, "utf8").includes(cluster);
  const { stdout } = spawnSync("ps", ["-o", "command=", "-ww", "-p", String(pid)], { encoding: "utf8" });
  return (stdout ?? "").includes(cluster);
}

/** Reads postmaster.pid: pid, folder, start, port, socket folder, address, shared memory, status. */
export function readPid({
  cluster,
}: Pick<Home, "cluster">): { pid: number; sockets: string; status: string } | undefined {
  const path = join(cluster, "postmaster.pid");
  let lines: string[];
  try {
    lines = readFileSync(path, "utf8").split("\n");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const [pid, , , , sockets, , , status] = lines;
  return { pid: Number(pid), sockets: sockets ?? "", status: (status ?? "").trim() };
}

/** Whether a process of this number runs; one of another user does, too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Whether the process of the server runs; a connection would cost the server a process each time. Where the system lists processes in
 * /proc, one that has ended and was not reaped, as in containers, and another one with its pid are none.
 */
export function isServed(home: Home): boolean {
  const found = readPid(home);
  if (found === undefined || !isAlive(found.pid)) return false;
  return !existsSync("/proc/self/cmdline") || isPostgres(found.pid);
}

/** By /proc; a process that was not reaped has no command line, and one that ends between two calls no file. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return false;
    throw error;
  }
}
