/**
 * Boot: checks plugins and choices, orders the plugins (providers before users), then migrates and sets up each of them. A
 * failure stops the boot and names the plugin. Jobs and schedules begin with `start()`; `stop()` runs in reverse order.
 */
import { type MigrationStatus, migrate, migrationStatuses, type Store } from "../../db/mod.ts";
import { type ChildPool, openChildPool } from "../children/pool.ts";
import { baseUrlOf, type Config } from "../config.ts";
import { AnswerCache } from "../events/answer_cache.ts";
import { Caches } from "../events/cache.ts";
import { EventBus } from "../events/event_bus.ts";
import { JobQueue } from "../events/job_queue.ts";
import { NoticeAge } from "../events/notice_age.ts";
import { PartGuard, PartLate, partLimits } from "../events/part_guard.ts";
import { Faults, isShipped } from "../faults.ts";
import { chosenStore, type NamedStore } from "../files/contributed_store.ts";
import type { FileStore } from "../files/file_store.ts";
import { heldFiles } from "../files/held_files.ts";
import { recordedFiles } from "../files/recorded_files.ts";
import { createAnswerJudge, type OnMismatch } from "../http/answer_judge.ts";
import { withContributedFields } from "../http/answer_types.ts";
import { createHttpServer } from "../http/create_server.ts";
import { CredentialFilter } from "../http/credentials.ts";
import { currentAddress, currentRequestId } from "../http/request_context.ts";
import { currentOwner } from "../http/request_turns.ts";
import type { HttpServer } from "../http/server.ts";
import { currentAwayReads, currentStoreSession } from "../http/store_session.ts";
import { beginWork, chargeWork } from "../http/work_budget.ts";
import { createTexts } from "../i18n/catalogue.ts";
import { openSpool, SPOOL_LEFTOVER_MS } from "../input/upload_spool.ts";
import type { Log } from "../log.ts";
import type { SlotName } from "../registry.ts";
import { sharedRows } from "../resources/shared_rows.ts";
import { VisibilityRules } from "../resources/visibility.ts";
import { deepFreeze } from "../std/freeze.ts";
import { Waits } from "../std/waits.ts";
import { Tracing } from "../tracing.ts";
import { GUEST, SYSTEM } from "../viewer.ts";
import { checkHandledEvents, checkTables } from "./boot_checks.ts";
import { lateAtBoot } from "./boot_listeners.ts";
import { BootWatch } from "./boot_watch.ts";
import { checkedPlugins } from "./composition_checks.ts";
import { checkPermitted, checkSlots } from "./known_names.ts";
import { missingTable, type ShippedPlugins } from "./left_out.ts";
import { runStarts, runStops, stopPart } from "./lifecycle_hooks.ts";
import { makeOwnContracts, makeRuntimeInfo, type ShownParts } from "./make_runtime_info.ts";
import { coreMigrations } from "./migrations.ts";
import { checkPermits, compileRoutes } from "./mount_plugin.ts";
import type { PluginChoices } from "./operator_choices.ts";
import type { AnyContext, AnyPlugin } from "./plugin.ts";
import type { ContextParts } from "./plugin_context.ts";
import { PluginRoles } from "./plugin_roles.ts";
import { migratePlugin, type SharedParts, setUp, syncSchema } from "./plugin_steps.ts";
import { addPluginTexts } from "./plugin_texts.ts";
import type { Recorded } from "./recorded.ts";
import { RunningServers } from "./running_servers.ts";
import type { BootedPlugin } from "./runtime_info.ts";
import { SchemaRoles } from "./schema_roles.ts";
import type { CheckedParts } from "./self_check.ts";
import type { Constants } from "./settings.ts";
import { declaredSlots } from "./slot_specs.ts";
import { checkStoreVersion, recordVersion } from "./store_version.ts";
import { foreignTable } from "./table_owners.ts";
import { recordPlugins, registrations } from "./versions.ts";
import { withCore } from "./with_core.ts";

/** What a runtime is booted from. */
export interface RuntimeOptions extends PluginChoices {
  readonly config: Config;
  readonly store: Store;
  /** The file store that was opened before, in use unless the operator chose one that a plugin contributes. */
  readonly files: NamedStore;
  /** What plugins use instead of the file store in use, where the store is a temporary one whose rows name none of its files. */
  readonly scratchFiles?: FileStore;
  readonly log: Log;
  readonly plugins: readonly AnyPlugin[];
  /** The plugins that ship with Lectern; errors about what is missing name those that are left out. */
  readonly shipped?: ShippedPlugins;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives each answer that its schema does not describe; without it answers are not checked. */
  readonly onAnswerMismatch?: OnMismatch;
  /** Milliseconds that cached values may be behind the store; a second by default. For tests, which may be halted for longer. */
  readonly maxNoticeAgeMs?: number | undefined;
  /** What pinned plugins registered at a trial, by name: compared with their pins before anything is changed. */
  readonly trials?: ReadonlyMap<string, Recorded> | undefined;
  /** Is shown what each `setup` registered, also where it failed: a trial, which migrates nothing. */
  readonly onSetUp?: (plugin: string, recorded: Recorded) => void;
  /** Other values of constants among the settings of plugins, by plugin (`readSettings`). For tests, which make limits small. */
  readonly constants?: Constants | undefined;
}

/** A booted runtime. */
export interface Runtime {
  readonly http: HttpServer;
  readonly bus: EventBus;
  readonly jobs: JobQueue;
  readonly children: ChildPool;
  /** The file store in use. */
  readonly files: FileStore;
  readonly contexts: ReadonlyMap<string, AnyContext>;
  /** Plugins in boot order. */
  readonly booted: readonly BootedPlugin[];
  /** How the grants of each plugin are enforced. */
  readonly roles: Pick<PluginRoles, "enforcementOf">;
  /** Starts jobs and schedules. */
  start(): Promise<void>;
  /** Stops jobs, notifications, plugins and child processes, then closes the store. */
  stop(): Promise<void>;
}

/** Boots a runtime; nothing listens yet when it resolves. Throws BootError naming the plugin and the cause. */
export async function boot(parts: RuntimeOptions): Promise<Runtime> {
  const { config, store, log, shipped = [] } = parts;
  const plugins = checkedPlugins(parts);
  await checkStoreVersion(store.db, plugins);
  const statuses = await migrationStatuses(store.db, withCore(plugins));
  const statusOf = (name: string) => statuses.get(name) as MigrationStatus;
  if (statusOf("core").pending.length > 0 && !parts.onSetUp) await migrate(store.db, "core", coreMigrations);
  const faults = new Faults(log, config.partTimeoutMs);
  const notices = new NoticeAge(parts.maxNoticeAgeMs);
  const visibility = new VisibilityRules();
  const answers = new AnswerCache({
    ...{ maxBytes: config.answerCacheBytes, log, faults, notices },
    rows: sharedRows(visibility, store.db),
  });
  const caches = new Caches(answers, notices);
  const stopCaches = await caches.listen(store);
  const tracing = new Tracing();
  const waits = new Waits(store);
  const jobs = new JobQueue(store, log, config.jobTimeoutMs, tracing);
  const guard = new PartGuard(faults, partLimits(config));
  const thirdParty = new Set(
    plugins.filter((plugin) => !(parts.shipped ?? plugins).includes(plugin)).map(({ name }) => name),
  );
  const watch = new BootWatch(config, log);
  const bus = new EventBus({
    ...{ db: store.db, log, jobs, guard, bootLimits: watch.limits },
    request: () => ({ address: currentAddress(), requestId: currentRequestId() }),
    isShipped: (name) => !thirdParty.has(name),
    callAs: (...call) => http.callAs(...call),
  });
  const texts = createTexts(config.language);
  addPluginTexts(plugins, texts, { shipped: parts.shipped ?? plugins, log });
  const spool = openSpool(`${config.dataDir}/spool`);
  await spool.sweep();
  const children = openChildPool(config, log, { begin: beginWork, charge: chargeWork });
  const http = createHttpServer(config, parts.env, store.db, {
    ...{ log, children, spool, texts, tracing },
    readsReplicas: store.replicas !== undefined,
  });
  store.replicas?.sessionBy(currentStoreSession, currentAwayReads);
  const booted: BootedPlugin[] = [];
  const slots: ContextParts["slots"] = new Map();
  const slotSpecs = declaredSlots(plugins, shipped);
  const schemes = () => (slots.get("credential_scheme") ?? []).filter(isShipped);
  const content = () => slots.get("content") ?? [];
  const contentTables = () => content().map(({ table }) => table);
  const partTables = () => (slots.get("searched_parts") ?? []).map(({ table }) => table);
  const servers = new RunningServers({ db: store.db, log, leaseSeconds: config.serverLeaseSeconds });
  const roles = new PluginRoles({
    ...{ store, log, mode: config.pluginRoles, thirdParty, visibility, contentTables, partTables, servers, guard },
  });
  await roles.begin(plugins, parts.denied);
  const schemaRoles = new SchemaRoles({ store, mode: config.pluginRoles, thirdParty, denied: parts.denied });
  await schemaRoles.adopt(plugins);
  const contributed = () => slots.get("response_fields") ?? [];
  const chosen = chosenStore(parts.files, config.filesStore, parts.scratchFiles);
  const held = heldFiles(recordedFiles(chosen.files, store.db), store.db, log);
  const shown: ShownParts = {
    ...{ store, http, bus, jobs, faults, answers, tracing, waits, slots, plugins, booted },
    worker: config.worker,
    files: chosen.files,
  };
  const shared: SharedParts = {
    ...parts,
    files: held.files,
    jobs,
    bus,
    http,
    tracing,
    children,
    answers,
    caches,
    visibility,
    texts,
    baseUrl: baseUrlOf(config),
    contracts: new Map(Object.entries(makeOwnContracts(shown))),
    slots,
    slotSpecs,
    faults,
    ships: ({ name }) => !thirdParty.has(name),
    credentials: new CredentialFilter(schemes, (request) => http.routePath(request)),

    guard,
    watch,
    readSlots: new Set(),
    judge:
      parts.onAnswerMismatch &&
      createAnswerJudge(parts.onAnswerMismatch, (schema) => withContributedFields(schema, contributed())),
    runtime: makeRuntimeInfo(shown),
    starts: [],
    stops: [{ plugin: "lectern", run: () => held.stop() }],
  };
  const contexts = new Map<string, AnyContext>();
  const registered = registrations(jobs, content);
  const records: Parameters<typeof recordPlugins>[1][number][] = [];
  for (const plugin of plugins) {
    const started = performance.now();
    const status = statusOf(plugin.name);
    const migrated = await migratePlugin(plugin, store.db, { status, log, schemaRoles, watch }).catch(
      (error: unknown) => {
        throw missingTable(foreignTable(error, plugin, plugins), plugins, shipped);
      },
    );
    const denied = parts.denied?.[plugin.name] ?? [];
    const tables = await roles.prepare(plugin, denied, status.pending.length > 0);
    const { context, recorded } = await setUp(plugin, tables, shared, denied);
    contexts.set(plugin.name, context);
    records.push({ plugin, registered: registered() });
    booted.push(deepFreeze({ plugin, migrated, denied, recorded, ms: performance.now() - started }));
  }
  const slot = <N extends SlotName>(name: N) => slots.get(name) ?? [];
  chosen.settle(slot("file_store"));
  compileRoutes(http);
  checkPermits(plugins, http, shipped);
  await checkTables(plugins, store.db, shipped);
  visibility.tryGiven(GUEST);
  checkSlots(slots, { specs: slotSpecs, read: shared.readSlots }, log);
  checkPermitted(slots, plugins, shipped);
  for (const plugin of plugins) await syncSchema(plugin, store.db, contexts.get(plugin.name), { schemaRoles, watch });
  await roles.complete();
  if (roles.hasChanged) await schemaRoles.join();
  checkHandledEvents(bus, plugins, { shipped, log });
  shared.slots.set(
    "permission",
    plugins.flatMap((plugin) => [...plugin.permissions]),
  );
  const contributions = { claims: () => slot("file_claims"), kinds: () => slot("content") };
  const { replicas } = store;
  const checked: CheckedParts = {
    ...contributions,
    replicas,
    thirdParty,
    denied: parts.denied,
    config,
    store,
    db: store.db,
    files: held.files,
    jobs,
    roles,
    servers,
    plugins,
    env: parts.env,
  };
  const ofParts = plugins.flatMap((plugin) => (shared.ships(plugin) ? [...(plugin.checks?.(checked) ?? [])] : []));
  shared.slots.set("self_check", [...ofParts, ...slot("self_check")]);
  bus.close();
  await bus
    .perform("app_boot", SYSTEM, {}, async () => ({}))
    .catch((error: unknown) => {
      throw error instanceof PartLate ? lateAtBoot(error) : error;
    })
    .finally(() => watch.end());
  await recordPlugins(store.db, records, log);
  await recordVersion(store.db);
  await servers.keep(() => roles.refresh());
  return {
    http,
    bus,
    jobs,
    children,
    files: parts.scratchFiles ? chosen.inUse() : held.files,
    contexts,
    booted,
    roles,
    async start() {
      const { databaseTimeoutMs: statementMs, writeTimeoutMs: writeMs, databaseWaitMs: waitMs } = config;
      visibility.close();
      await answers.begin(store);
      store.limit({ statementMs, writeMs, waitMs, ownerOf: currentOwner });
      await store.replicas?.start();
      const failed = (error: unknown) => log.warn("Cannot sweep files of requests", { error });
      const sweeps = setInterval(() => void spool.sweep().catch(failed), SPOOL_LEFTOVER_MS).unref();
      shared.stops.push({ plugin: "lectern", run: () => clearInterval(sweeps) });
      await jobs.start();
      servers.compareFiles(chosen.files);
      await runStarts(shared.starts, config.setupTimeoutMs);
    },
    async stop() {
      const { stopWorkTimeoutMs: limitMs } = config;
      const late = (what: string) => (error: unknown) => log.error(`${what} did not end before the stop`, { error });
      await stopPart(limitMs, () => jobs.stop(), late("Jobs or schedules"));
      await stopPart(limitMs, () => bus.settle(), late("Handlers of events"));
      await runStops(shared.stops, limitMs, log);
      waits.stop();
      await servers.end();
      await children.stop();
      await stopCaches();
      await store.close();
    },
  };
}
