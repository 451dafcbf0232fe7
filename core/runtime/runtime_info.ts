import type { ReadCounts, ReplicaStatus, StoreLoad } from "../../db/mod.ts";
import type { AnswerCacheFigures } from "../events/cached_answers.ts";
import type { Fault } from "../faults.ts";
import type { SweepResult } from "../files/orphan_sweep.ts";
import type { AnsweredRequest } from "../http/answer_observers.ts";
import type { RouteInfo } from "../http/route_table.ts";
import type { EventName } from "../registry.ts";
import type { WaitListener } from "../std/waits.ts";
import type { SpanStart, TraceHeaders, TraceRecorder } from "../tracing.ts";
import type { AbsentItem, ItemIds } from "./absent_kinds.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";

/** A plugin as it booted. */
export interface BootedPlugin {
  readonly plugin: AnyPlugin;
  /** Milliseconds that its migrations and setup took. */
  readonly ms: number;
  /** Migration steps that this boot ran. */
  readonly migrated: readonly string[];
  /** Kinds of grants that the operator denied. */
  readonly denied: readonly (keyof Grants)[];
}

/** Read-only facts about the runtime. */
export interface RuntimeInfo {
  /** The version of Lectern, not the API version that clients see. */
  readonly version: string;
  /** Plugins in boot order; complete once the runtime has booted. */
  plugins(): readonly BootedPlugin[];
  /** Every route, complete once the runtime has booted. */
  routes(): readonly RouteInfo[];
  /** Whether a route serves a method and path, such as "GET" and "/api/search"; complete after boot. */
  serves(method: string, path: string): boolean;
  /** Whether an event has handlers by its name, so that a costly draft is made only for these; complete after boot. */
  hasHandlers(name: EventName): boolean;
  /** The plugin that handles a job; undefined where none does. */
  pluginOfJob(name: string): string | undefined;
  /** Parts of plugins that failed and were left out in this process, the latest first. */
  faults(): readonly Fault[];
  /** Whether parts of plugins are left out at present in this process, or one did not end in time within the last minute. */
  isDegraded(): boolean;
  /** Whether jobs run: from the start of the server until it begins to stop; never for commands. */
  isWorking(): boolean;
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
  /**
   * Asks the other workers of this server (`serve --workers`) about a topic. Resolves to the answers that come within two seconds;
   * none without workers.
   */
  askPeers(topic: string): Promise<readonly unknown[]>;
  /** Sets what this process answers to other workers about a topic: a value that JSON has. For use in `setup`. */
  onPeersAsk(topic: string, answer: () => Promise<unknown>): void;
  /** Whether the store holds every migration of this version: not while an older backup is in its place. Throws where it is away. */
  isMigrated(): Promise<boolean>;
  /** Has a recorder record the spans of requests, statements, jobs and calls. Throws BootError for a second one. */
  recordTraces(recorder: TraceRecorder): void;
  /** Runs something within a span, where spans are recorded; else as it is. Throws what it throws. */
  traced<R>(span: SpanStart, run: () => Promise<R>): Promise<R>;
  /** The headers that continue the current trace in another process; none where there is none. */
  traceHeaders(): TraceHeaders;
  /** Deleted items within others, of kinds whose plugins have booted over this store and are not installed. */
  deletedAbsentItems(parents: readonly ItemIds[]): Promise<readonly AbsentItem[]>;
  /** Finds stored files that no row names; removes none. */
  lostFiles(): Promise<SweepResult>;
}
