/**
 * Slow hashes: of passwords, and of secrets that other programs stored as bcrypt. Bun's asynchronous functions compute them in
 * the threads that also read files, of which there is one for each core, so that many wrong passwords stop every download.
 * Here two threads of their own do, and addresses and accounts take turns (`std/fair_queue.ts`): an address that sends many
 * passwords, or an account that many addresses try, delays no others. The limits are those of one process.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { ApiError } from "../errors.ts";
import { FairQueue } from "../std/fair_queue.ts";
import { networkOf } from "./client_address.ts";
import { currentAddress, leaveTurn } from "./request_context.ts";

/** Hashes that are computed at a time. */
const THREADS = 2;
/** Hashes that may wait for a thread (503 beyond); an address or account has half of these places. */
const MAX_WAITING = 64;
const WAIT_MS = 30_000;
const RETRY_AFTER_S = 10;
const ENTRY = join(import.meta.dir, "slow_hash_thread.ts");

/** What a new hash costs: 64 MB and about 100 ms of one core. */
export const HASH_COST: { algorithm: "argon2id"; memoryCost: number; timeCost: number } = {
  algorithm: "argon2id",
  memoryCost: 65_536,
  timeCost: 2,
};

/** What a thread is asked: to hash a secret, or to compare one with a hash. */
export type HashTask = { readonly secret: string | Uint8Array } & (
  | { readonly hash: string }
  | { readonly cost: typeof HASH_COST }
);

/** What a thread answers. */
export type HashAnswer = { readonly hash: string } | { readonly matches: boolean };

const busy = () =>
  new ApiError(503, "Too many passwords are being checked; try again in a moment.", {
    headers: { "retry-after": String(RETRY_AFTER_S) },
  });
const queue = new FairQueue({
  name: "slow_hash",
  permits: THREADS,
  maxWaiting: MAX_WAITING,
  waitMs: WAIT_MS,
  busy,
});
/** Threads without a task. They are kept: ending one gives back little of the 10 MB that it takes. */
const idle: Worker[] = [];

/**
 * Hashes a password for storage, with argon2id. The addresses of requests take turns, and so do holders of secrets, such as
 * accounts by their e-mail addresses, where they are given. Throws ApiError 503 where too many wait.
 * @example
 * const stored = await slowHash("correct horse battery");
 */
export async function slowHash(secret: string, holder?: string): Promise<string> {
  const answer = await compute({ secret, cost: HASH_COST }, holder);
  if (!("hash" in answer)) throw new Error("Cannot hash a password: the thread answered another question");
  return answer.hash;
}

/**
 * Whether a secret matches a hash of argon2id or bcrypt; one that cannot be read matches nothing. `holder` is whose it is,
 * such as an e-mail address: holders and addresses take turns. Throws ApiError 503 where too many wait.
 * @example
 * const stored = await slowHash("correct horse battery");
 * if (!(await matchesSlowHash("correct horse", stored, "ann@example.com"))) throw new ApiError(401, "The password is wrong");
 */
export async function matchesSlowHash(secret: string | Uint8Array, hash: string, holder: string): Promise<boolean> {
  const answer = await compute({ secret, hash }, holder);
  return "matches" in answer && answer.matches;
}

async function compute(task: HashTask, holder: string | undefined): Promise<HashAnswer> {
  const address = currentAddress() ?? "";
  const owners = holder === undefined ? [] : [`holder ${holder}`];
  if (address !== "") owners.push(`address ${networkOf(address)}`);
  leaveTurn();
  const release = await queue.acquire(...owners);
  try {
    return await asked(task);
  } finally {
    release();
  }
}

/** Asks a thread, which keeps the process alive until it has answered. One that fails is not asked again. */
async function asked(task: HashTask): Promise<HashAnswer> {
  const thread = idle.pop() ?? new Worker(ENTRY);
  const done = Promise.withResolvers<HashAnswer>();
  const failed = (error: unknown) =>
    done.reject(new Error("Cannot compute a hash: its thread has ended", { cause: error }));
  thread.once("message", done.resolve).once("error", failed).once("exit", failed);
  thread.ref();
  thread.postMessage(task);
  const answer = await done.promise;
  thread.removeAllListeners();
  thread.unref();
  idle.push(thread);
  return answer;
}
