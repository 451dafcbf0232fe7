/**
 * Boot: names unique, providers before users, each plugin's migrations, then per plugin its settings, its context, its
 * `setup`, and whether it kept its promises. Any failure stops the start and names the plugin. When all have been set up,
 * registering closes; jobs and schedules start with `start()`. Stopping runs in reverse.
 */
import { type Db, migrate, migrationStatus, type Store } from "../../db/mod.ts";
import { ChildPool } from "../children/pool.ts";
import { baseUrlOf, bodyLimitOf, type Config } from "../config.ts";
import { BootError } from "../errors.ts";
import { Caches } from "../events/cache.ts";
import { EventBus } from "../events/event_bus.ts";
import { JobQueue } from "../events/job_queue.ts";
import type { FileStore } from "../files/file_store.ts";
import { trustedProxies } from "../http/client_address.ts";
import { appBelow, doubledIn, type PluginApp, type SiteApp } from "../http/plugin_app.ts";
import { limiterOf } from "../http/rate_limit.ts";
import type { RouteInfo } from "../http/routes.ts";
import { Gates } from "../http/server.ts";
import { createTexts } from "../i18n/catalogue.ts";
import { defaultInputLimits } from "../input/body_parsing.ts";
import { openSpool, SPOOL_LEFTOVER_MS } from "../input/upload_spool.ts";
import type { Log } from "../log.ts";
import { VisibilityRules } from "../resources/visibility.ts";
import { SYSTEM } from "../viewer.ts";
import { checkPermits, checkTables, compile } from "./boot_checks.ts";
import { inBootOrder } from "./boot_order.ts";
import { coreMigrations } from "./migrations.ts";
import { checkChoices, checkCommands, checkVariables, type PluginChoices } from "./operator_choices.ts";
import type { AnyContext, AnyPlugin, Grants } from "./plugin.ts";
import { type ContextParts, makeContext } from "./plugin_context.ts";
import { type BootedPlugin, runtimeInfo } from "./runtime_info.ts";
import { readSettings } from "./settings.ts";

/** What a runtime is made of. */
export interface RuntimeOptions extends PluginChoices {
  readonly config: Config;
  readonly store: Store;
  readonly files: FileStore;
  readonly log: Log;
  readonly plugins: readonly AnyPlugin[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A booted runtime. */
export interface Runtime {
  readonly gates: Gates;
  readonly bus: EventBus;
  readonly jobs: JobQueue;
  readonly children: ChildPool;
  readonly contexts: ReadonlyMap<string, AnyContext>;
  /** Plugins in boot order, with the milliseconds their migrations and setup took. */
  readonly booted: readonly BootedPlugin[];
  /** Starts jobs and schedules. */
  start(): Promise<void>;
  /** Stops in reverse order; the store is closed last. */
  stop(): Promise<void>;
}

/** Boots a runtime. Throws BootError naming the plugin and what is wrong; nothing listens yet when it returns. */
export async function boot(parts: RuntimeOptions): Promise<Runtime> {
  const { config, store, log } = parts;
  const plugins = inBootOrder(parts.plugins);
  checkVariables(parts.plugins);
  checkCommands(parts.plugins, []);
  checkChoices(plugins, parts);
  // Settings are judged before the first table is altered; each plugin reads them again as it is set up.
  for (const { name, settings } of plugins)
    if (settings) readSettings(name, settings, parts.env, parts.settings?.[name]);
  await migrate(store.db, "core", coreMigrations);
  const caches = new Caches();
  const stopCaches = await caches.listen(store);
  const jobs = new JobQueue(store, log, config.jobTimeoutMs);
  const bus = new EventBus({
    db: store.db,
    log,
    enqueue: (db, name, payload, options) => jobs.enqueue(db, name, payload, options),
  });
  const texts = createTexts();
  const spool = openSpool(`${config.dataDir}/spool`);
  await spool.sweep();
  const children = new ChildPool({
    children: config.children,
    timeoutMs: config.childSeconds * 1000,
    maxBytes: config.childMegabytes * 1024 * 1024,
    maxWaiting: config.childQueue,
    log,
  });
  const gates = new Gates({
    log,
    limiter: limiterOf(store.db, config)("api", config.requestsPerMinute),
    proxies: trustedProxies(config.proxies, parts.env.TRUSTED_PROXIES),
    inputLimits: { ...defaultInputLimits, maxBytes: bodyLimitOf(config), maxTextBytes: config.maxTextBytes },
    children,
    spool,
    pace: { timeoutMs: config.bodyTimeoutMs, minBytesPerSecond: config.bodyMinRate },
    texts,
    language: config.language,
    root: new URL(baseUrlOf(config)).pathname.replace(/\/+$/, ""),
  });
  const booted: BootedPlugin[] = [];
  const slots: ContextParts["slots"] = new Map();
  const shared: ContextParts = {
    config,
    log,
    jobs,
    bus,
    gates,
    children,
    caches,
    visibility: new VisibilityRules(),
    texts,
    baseUrl: baseUrlOf(config),
    files: parts.files,
    env: parts.env,
    store,
    contracts: new Map(),
    slots,
    runtime: runtimeInfo({
      booted,
      files: parts.files,
      claims: () => (slots.get("file_claims") ?? []) as never,
      routes: () => gates.routes(),
      hasHandlers: (name) => bus.hasHandlers(name),
    }),
    starts: [],
    stops: [],
    settings: parts.settings ?? {},
  };
  const contexts = new Map<string, AnyContext>();
  for (const plugin of plugins) {
    const started = performance.now();
    const migrated = await migratedOf(plugin, store.db, log);
    const denied = parts.denied?.[plugin.name] ?? [];
    contexts.set(plugin.name, await setUp(plugin, shared, denied));
    booted.push({ plugin, migrated, denied, ms: performance.now() - started });
  }
  compile(gates);
  checkPermits(plugins, gates);
  await checkTables(plugins, store.db);
  for (const name of bus.withoutPerformer(plugins.flatMap(({ events }) => events)))
    log.warn("Nobody performs an event that a plugin takes part in; is it spelled right?", { event: name });
  shared.slots.set(
    "permission",
    plugins.flatMap((plugin) => [...plugin.adds]),
  );
  bus.close();
  await bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  return {
    gates,
    bus,
    jobs,
    children,
    contexts,
    booted,
    async start() {
      store.limit({
        statementMs: config.databaseTimeoutMs,
        writeMs: config.writeTimeoutMs,
        waitMs: config.databaseWaitMs,
      });
      shared.stops.push(
        every(SPOOL_LEFTOVER_MS, async () => {
          await spool.sweep().catch((error: unknown) => log.warn("Cannot sweep files of requests", { error }));
        }),
      );
      await jobs.start();
      for (const start of shared.starts) await start();
    },
    async stop() {
      await jobs.stop();
      await bus.settle();
      for (const stop of shared.stops.reverse()) await stop();
      await children.stop();
      await stopCaches();
      await store.close();
    },
  };
}

/** Runs something now and then, without keeping the process alive for it. Answers what ends that. */
function every(ms: number, run: () => Promise<unknown>): () => void {
  const timer = setInterval(() => void run(), ms);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a plugin's steps, and says where its ledger knows more than it does: an older plugin over newer tables. */
async function migratedOf({ name, migrations }: AnyPlugin, db: Db, log: Log): Promise<readonly string[]> {
  const { pending, unknown } = await migrationStatus(db, name, migrations);
  if (unknown.length > 0)
    log.warn("The store holds steps of a plugin that it does not know; is it older than its tables?", {
      plugin: name,
      steps: unknown,
    });
  return pending.length > 0 ? migrate(db, name, migrations) : [];
}

async function setUp(plugin: AnyPlugin, shared: ContextParts, denied: readonly (keyof Grants)[]): Promise<AnyContext> {
  const apps = { app: appBelow("/api"), site: appBelow("") };
  const grants = Object.fromEntries(
    Object.entries(plugin.permissions).filter(([kind]) => !denied.includes(kind as keyof Grants)),
  );
  // What is denied reaches it by no way, and so no setting by its variable.
  const env = denied.includes("env") ? {} : shared.env;
  const context = makeContext(plugin, grants, apps, { ...shared, env });
  try {
    await plugin.setup(context);
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot set up the plugin "${plugin.name}": ${text}`, { cause });
  }
  const missing = plugin.provides.filter((name) => !shared.contracts.has(name));
  if (missing.length > 0)
    throw new BootError(`The plugin "${plugin.name}" promises "${missing.join('", "')}" and did not provide it`);
  mount(plugin, apps.app, shared.gates);
  mount(plugin, apps.site, shared.gates);
  return context;
}

function mount(plugin: AnyPlugin, app: PluginApp | SiteApp, gates: Gates): void {
  const who = `The plugin "${plugin.name}"${plugin.source === undefined ? "" : ` ("${plugin.source}")`}`;
  const taken = new Map(gates.routes().map((route) => [`${route.method} ${route.path}`, route]));
  const [doubled] = doubledIn(app);
  if (doubled !== undefined) throw new BootError(`${who} serves ${doubled} twice`);
  for (const { method, path, permit } of mounted(plugin, app, gates)) {
    if (taken.has(`${method} ${path}`))
      throw new BootError(`${who} serves ${method} ${path}, which another plugin serves already`);
    if (permit === undefined) throw new BootError(`${who} serves ${method} ${path} without saying what it permits`);
  }
}

function mounted(plugin: AnyPlugin, app: PluginApp | SiteApp, gates: Gates): readonly RouteInfo[] {
  try {
    return gates.mount(app);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot mount the routes of the plugin "${plugin.name}": ${text}`, { cause });
  }
}
