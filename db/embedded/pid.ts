/**
 * What can be known of an embedded server from outside: its postmaster.pid, its process, its socket. All of it may change
 * while it is looked at, so nothing here throws for what is gone in between.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** The socket's number; there is one server in a folder. */
export const PORT = 5432;

/** The socket folder of a server that already serves this cluster and answers. */
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

/** Whether a process is the server of this cluster, and not another one that was given a dead server's number. */
export function serves(pid: number, { cluster }: Pick<Home, "cluster">): boolean {
  const listed = `/proc/${pid}/cmdline`;
  if (existsSync(listed)) return readFileSync(listed, "utf8").includes(cluster);
  const { stdout } = spawnSync("ps", ["-o", "command=", "-ww", "-p", String(pid)], { encoding: "utf8" });
  return (stdout ?? "").includes(cluster);
}

/** Lines of postmaster.pid: pid, folder, start, port, socket folder, address, shared memory, status. */
export function readPid({
  cluster,
}: Pick<Home, "cluster">): { pid: number; sockets: string; status: string } | undefined {
  const path = join(cluster, "postmaster.pid");
  let lines: string[];
  try {
    lines = readFileSync(path, "utf8").split("\n");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
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
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Whether the server's process is there; asking it would cost it a process of its own each time. */
export function isServed(home: Home): boolean {
  const found = readPid(home);
  return found !== undefined && isAlive(found.pid);
}
