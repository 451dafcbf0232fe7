import { isMigrated, type Store } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import type { AnswerCache } from "../events/answer_cache.ts";
import type { EventBus } from "../events/event_bus.ts";
import type { JobQueue } from "../events/job_queue.ts";
import type { Faults } from "../faults.ts";
import type { FileStore } from "../files/file_store.ts";
import { sweepFiles } from "../files/orphan_sweep.ts";
import type { FileClaim } from "../files/provided.ts";
import type { HttpServer } from "../http/server.ts";
import type { ContentKind } from "../resources/content.ts";
import type { Waits } from "../std/waits.ts";
import type { Tracing } from "../tracing.ts";
import { deletedAbsentItems } from "./absent_kinds.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { ContextParts } from "./plugin_context.ts";
import type { BootedPlugin, RuntimeInfo } from "./runtime_info.ts";
import { withCore } from "./with_core.ts";

/** The parts of a runtime that its plugins are shown by `context.runtime`. */
export interface ShownParts extends Pick<ContextParts, "slots"> {
  readonly store: Store;
  readonly http: HttpServer;
  readonly bus: EventBus;
  readonly jobs: JobQueue;
  readonly faults: Faults;
  readonly answers: AnswerCache;
  readonly tracing: Tracing;
  readonly waits: Waits;
  readonly plugins: readonly AnyPlugin[];
  /** Filled while the runtime boots. */
  readonly booted: readonly BootedPlugin[];
  readonly worker: Config["worker"];
  readonly files: FileStore;
}

/** What plugins are shown of the runtime; its functions read the present state. */
export function makeRuntimeInfo(parts: ShownParts): RuntimeInfo {
  const { store, http, bus, jobs, faults, answers, tracing, waits, slots, plugins, booted, worker, files } = parts;
  return {
    version: packaged.version,
    plugins: () => [...booted],
    routes: () => [...http.routes()],
    serves: (method, path) => http.serves(method, path),
    hasHandlers: (name) => bus.hasHandlers(name),
    pluginOfJob: (name) => jobs.pluginOf(name),
    faults: () => faults.list(),
    isDegraded: () => faults.isDegraded,
    isWorking: () => jobs.isOpen,
    answerCache: () => answers.figures(),
    storeLoad: () => store.load(),
    replicas: () => store.replicas?.status() ?? [],
    readCounts: () => store.replicas && { ...store.replicas.counts },
    onAnswer: (listener) => http.observers.add(listener),
    deletedAbsentItems: (parents) =>
      deletedAbsentItems(
        store.db,
        ((slots.get("content") ?? []) as ContentKind[]).map(({ kind }) => kind),
        parents,
      ),
    onWait: (listener) => waits.add(listener),
    askPeers: async (topic) => worker?.peers.ask(topic) ?? [],
    onPeersAsk: (topic, answer) => worker?.peers.onAsk(topic, answer),
    isMigrated: () => isMigrated(store, withCore(plugins)),
    recordTraces(recorder) {
      tracing.recordBy(recorder);
      store.observe(tracing.observeStatement);
    },
    traced: (span, run) => tracing.run(span, run),
    traceHeaders: () => tracing.headers(),
    lostFiles: () => sweepFiles(files, (slots.get("file_claims") ?? []) as FileClaim[], { dryRun: true }),
  };
}
