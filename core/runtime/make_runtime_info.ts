import { isMigrated, type Store } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import type { AnswerCache } from "../events/answer_cache.ts";
import type { EventBus } from "../events/event_bus.ts";
import type { JobQueue } from "../events/job_queue.ts";
import type { Faults } from "../faults.ts";
import type { FileStore } from "../files/file_store.ts";
import { sweepFiles } from "../files/orphan_sweep.ts";
import type { HttpServer } from "../http/server.ts";
import type { Waits } from "../std/waits.ts";
import type { Tracing } from "../tracing.ts";
import { deletedAbsentItems } from "./absent_kinds.ts";
import type { OwnContracts } from "./own_contracts.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { ContextParts } from "./plugin_context.ts";
import type { BootedPlugin, RuntimeInfo } from "./runtime_info.ts";
import { withCore } from "./with_core.ts";

/** The parts of a runtime that its plugins are shown, by `context.runtime` and the contracts of the runtime. */
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
export function makeRuntimeInfo({ http, bus, faults, booted }: ShownParts): RuntimeInfo {
  return {
    version: packaged.version,
    plugins: () => [...booted],
    routes: () => [...http.routes()],
    serves: (method, path) => http.serves(method, path),
    hasHandlers: (name) => bus.hasHandlers(name),
    faults: () => faults.list(),
  };
}

/** The services of the contracts of the runtime, which read the present state too. */
export function makeOwnContracts(parts: ShownParts): OwnContracts {
  const { store, http, jobs, faults, answers, tracing, waits, slots, plugins, worker, files } = parts;
  return {
    telemetry: {
      isWorking: () => jobs.isOpen,
      isDegraded: () => faults.isDegraded,
      isMigrated: () => isMigrated(store, withCore(plugins)),
      storeLoad: () => store.load(),
      answerCache: () => answers.figures(),
      replicas: () => store.replicas?.status() ?? [],
      readCounts: () => store.replicas && { ...store.replicas.counts },
      onAnswer: (listener) => http.observers.add(listener),
      onWait: (listener) => waits.add(listener),
    },
    peers: {
      ask: async (topic) => worker?.peers.ask(topic) ?? [],
      onAsk: (topic, answer) => worker?.peers.onAsk(topic, answer),
    },
    traces: {
      record(recorder) {
        tracing.recordBy(recorder);
        store.observe(tracing.observeStatement);
      },
      run: (span, run) => tracing.run(span, run),
      headers: () => tracing.headers(),
    },
    upkeep: {
      pluginOfJob: (name) => jobs.pluginOf(name),
      lostFiles: () => sweepFiles(files, slots.get("file_claims") ?? [], { dryRun: true }),
      deletedAbsentItems: (parents) =>
        deletedAbsentItems(
          store.db,
          (slots.get("content") ?? []).map(({ kind }) => kind),
          parents,
        ),
    },
  };
}
