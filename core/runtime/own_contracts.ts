/**
 * Contracts that the runtime itself provides: what monitoring, tracing and upkeep need and other plugins do not. A plugin names them in
 * `requires`, so that who uses them is seen; they need no provider, and no plugin can replace one. What any plugin may ask is in
 * `runtime_info.ts`.
 */
import type { ReadCounts, ReplicaStatus, StoreLoad } from "../../db/mod.ts";
import type { AnswerCacheFigures } from "../events/cached_answers.ts";
import type { SweepResult } from "../files/orphan_sweep.ts";
import type { AnsweredRequest } from "../http/answer_observers.ts";
import type { Contracts } from "../registry.ts";
import type { WaitListener } from "../std/waits.ts";
import type { SpanStart, TraceHeaders, TraceRecorder } from "../tracing.ts";
import type { AbsentItem, ItemIds } from "./absent_kinds.ts";

/**
 * The state and the figures of this process, for probes and metrics. The runtime provides it.
 * @example
 * export default definePlugin({
 *   name: "slow_answers",
 *   requires: ["telemetry"],
 *   setup({ contracts: { telemetry }, log }) {
 *     telemetry.onAnswer(({ route, ms }) => {
 *       if (ms > 1_000) log.warn("A slow answer", { route, ms });
 *     });
 *   },
 * });
 */
export interface Telemetry {
  /** Whether jobs run: from the start of the server until it begins to stop; never for commands. */
  isWorking(): boolean;
  /** Whether parts of plugins are left out at present in this process, or one did not end in time within the last minute. */
  isDegraded(): boolean;
  /** Whether the store holds every migration of this version: not while an older backup is in its place. Throws where it is away. */
  isMigrated(): Promise<boolean>;
  /** Connections of the store and callers that wait for one. */
  storeLoad(): StoreLoad;
  /** Figures of the cache of answers (`cache.answers`) since the process started. */
  answerCache(): AnswerCacheFigures;
  /** The replicas of `DATABASE_READ_URLS`, in its order; none without it. */
  replicas(): readonly ReplicaStatus[];
  /** Reads of requests that the primary answered; undefined without `DATABASE_READ_URLS`. */
  readCounts(): ReadCounts | undefined;
  /** Calls a listener with each answer over HTTP, before it is sent; it has to be quick. For use in `setup`. */
  onAnswer(listener: (answered: AnsweredRequest) => void): void;
  /**
   * Calls a listener with each wait when it ends: for a connection of the store (`store_transactions`, `store_slow`, `store_polls`), a
   * child process (`child_process`) or the permit of a named semaphore. What is had at once is no wait. For use in `setup`.
   */
  onWait(listener: WaitListener): void;
}

/**
 * The other workers of this server (`serve --workers`). The runtime provides it.
 * @example
 * export default definePlugin({
 *   name: "workers",
 *   requires: ["peers"],
 *   setup({ app, contracts: { peers } }) {
 *     peers.onAsk("memory", async () => process.memoryUsage.rss());
 *     app.get("/workers", async () => ({ others: await peers.ask("memory") }), { permit: "access-api" });
 *   },
 * });
 */
export interface Peers {
  /** Asks the other workers about a topic. Resolves to the answers that come within two seconds; none without workers. */
  ask(topic: string): Promise<readonly unknown[]>;
  /** Sets what this process answers to other workers about a topic: a value that JSON has. For use in `setup`. */
  onAsk(topic: string, answer: () => Promise<unknown>): void;
}

/**
 * Traces: spans of requests, statements, jobs and calls, which one plugin records. The runtime provides it.
 * @example
 * export default definePlugin({
 *   name: "florist",
 *   requires: ["traces"],
 *   grants: { net: ["flowers.example"] },
 *   setup({ app, contracts: { traces }, fetch }) {
 *     const order = () => fetch("https://flowers.example/orders", { method: "POST", headers: { ...traces.headers() } });
 *     app.post("/flowers", async () => ({ status: (await traces.run({ name: "order flowers", kind: "internal" }, order)).status }), {
 *       permit: "access-api",
 *     });
 *   },
 * });
 */
export interface Traces {
  /** Has a recorder record the spans of requests, statements, jobs and calls. Throws BootError for a second one. */
  record(recorder: TraceRecorder): void;
  /** Runs something within a span, where spans are recorded; else as it is. Throws what it throws. */
  run<R>(span: SpanStart, run: () => Promise<R>): Promise<R>;
  /** The headers that continue the current trace in another process; none where there is none. */
  headers(): TraceHeaders;
}

/**
 * What administrators are told of work that is left over. The runtime provides it.
 * @example
 * export default definePlugin({
 *   name: "broom",
 *   requires: ["upkeep"],
 *   setup({ contracts: { upkeep }, jobs, log }) {
 *     jobs.every("look", DAY_MS, async () => {
 *       const { orphans } = await upkeep.lostFiles();
 *       if (orphans.length > 0) log.warn("Files are stored that no row names", { count: orphans.length });
 *     });
 *   },
 * });
 */
export interface Upkeep {
  /** The plugin that handles a job; undefined where none does. */
  pluginOfJob(name: string): string | undefined;
  /** Finds stored files that no row names; removes none. */
  lostFiles(): Promise<SweepResult>;
  /** Deleted items within others, of kinds whose plugins have booted over this store and are not installed. */
  deletedAbsentItems(parents: readonly ItemIds[]): Promise<readonly AbsentItem[]>;
}

// By the name that plugins merge by: the compiler merges an interface by one of its names alone where both are used.
declare module "lectern/core" {
  interface Contracts {
    telemetry: Telemetry;
    peers: Peers;
    traces: Traces;
    upkeep: Upkeep;
  }
}

/** The services of these contracts. */
export type OwnContracts = Pick<Contracts, (typeof OWN_CONTRACTS)[number]>;

/** The names of these contracts. */
export const OWN_CONTRACTS = ["telemetry", "peers", "traces", "upkeep"] as const;

/** Whether the runtime itself provides a contract. */
export function isOwnContract(name: string): name is (typeof OWN_CONTRACTS)[number] {
  return (OWN_CONTRACTS as readonly string[]).includes(name);
}
