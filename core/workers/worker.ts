/** What a process is told as one worker of a server: its number, the folder that workers share, and the line to its parent. */
import { rmSync } from "node:fs";
import type { Worker } from "../config.ts";
import { type PeerMessage, Peers } from "./peers.ts";

/** A message of a worker to its parent: the port on which it listens, or one to other workers. */
export type WorkerMessage = { readonly kind: "listening"; readonly port: number } | PeerMessage;

/** The arguments that make a process a worker. */
export function workerArguments(number: number, folder: string): string[] {
  return ["--worker", String(number), "--worker-folder", folder];
}

/** The worker that this process is by its arguments, with the line to its parent. */
export function openWorker(number: number, folder: string): Worker {
  const peers = new Peers(number, tellParent);
  process.on("message", (message: PeerMessage) => void peers.receive(message));
  return { number, folder, peers };
}

/** Sends a message to the parent, if it is still there. */
export function tellParent(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

/** Resolves when the parent has ended: its workers then stop, as nothing would stop them later, and remove its folder. */
export function parentEnded({ folder }: Worker): Promise<"parent ended"> {
  return new Promise((resolve) => {
    const end = () => {
      rmSync(folder, { recursive: true, force: true });
      resolve("parent ended");
    };
    process.once("disconnect", end);
    if (!process.connected) end();
  });
}
