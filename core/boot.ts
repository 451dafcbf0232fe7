/**
 * Boot: names unique, providers before users, each plugin's migrations, then per plugin its settings, its context, its
 * `setup`, and whether it kept its promises. Any failure stops the start and names the plugin. When all have been set up,
 * registering closes; jobs and schedules start with `start()`. Stopping runs in reverse.
 */

import { type Db, migrate, type Store, standing } from "../db/mod.ts";
import { trustedProxies } from "./address.ts";
import { checkPermits, checkTables, compile } from "./boot_checks.ts";
import { Bus } from "./bus.ts";
import { Caches } from "./cache.ts";
import { checkChoices, checkCommands, checkVariables, type PluginChoices } from "./choices.ts";
import { baseUrlOf, bodyLimitOf, type Config } from "./config.ts";
import { type ContextParts, makeContext } from "./context.ts";
import { BootError } from "./errors.ts";
import type { FileStore } from "./files.ts";
import { type BootedPlugin, factsOf } from "./house_facts.ts";
import { Gates } from "./http.ts";
import { defaultInputLimits } from "./input.ts";
import { JobQueue } from "./jobs.ts";
import { limiterOf } from "./limit.ts";
import type { Log } from "./log.ts";
import { coreMigrations } from "./migrations.ts";
import { inBootOrder } from "./order.ts";
import type { AnyContext, AnyPlugin, Grants } from "./plugin.ts";
import { appBelow, doubledIn, type PluginApp, type SiteApp } from "./plugin_app.ts";
import type { RouteInfo } from "./routes.ts";
import { readSettings } from "./settings.ts";
import { Sight } from "./sight.ts";
import { openSpool, SPOOL_LEFTOVER_MS } from "./spool.ts";
import { createTexts } from "./texts.ts";
import { SYSTEM } from "./viewer.ts";

/** What a house is made of. */
export interface HouseParts extends PluginChoices {
  readonly config: Config;
  readonly store: Store;
  readonly files: FileStore;
  readonly log: Log;
  readonly plugins: readonly AnyPlugin[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A booted house. */
export interface House {
  readonly gates: Gates;
  readonly bus: Bus;
  readonly jobs: JobQueue;
  readonly contexts: ReadonlyMap<string, AnyContext>;
  /** Plugins in boot order, with the milliseconds their migrations and setup took. */
  readonly booted: readonly BootedPlugin[];
  /** Starts jobs and schedules. */
  start(): Promise<void>;
  /** Stops in reverse order; the store is closed last. */
  stop(): Promise<void>;
}

/** Boots a house. Throws BootError naming the plugin and what is wrong; nothing listens yet when it returns. */
export async function boot(parts: HouseParts): Promise<House> {
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
  const jobs = new JobQueue(store, log);
  const bus = new Bus({
    db: store.db,
    log,
    enqueue: (db, name, payload, options) => jobs.enqueue(db, name, payload, options),
  });
  const texts = createTexts();
  const spool = openSpool(`${config.dataDir}/spool`);
  await spool.sweep();
  const gates = new Gates({
    log,
    limiter: limiterOf(store.db, config)("api", config.requestsPerMinute),
    proxies: trustedProxies(config.proxies, parts.env.TRUSTED_PROXIES),
    inputLimits: { ...defaultInputLimits, maxBytes: bodyLimitOf(config) },
    spool,
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
    caches,
    sight: new Sight(),
    texts,
    baseUrl: baseUrlOf(config),
    files: parts.files,
    env: parts.env,
    store,
    contracts: new Map(),
    slots,
    facts: factsOf(booted, parts.files, () => (slots.get("file_claims") ?? []) as never),
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
  for (const name of bus.unheard(plugins.flatMap(({ events }) => events)))
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
    contexts,
    booted,
    async start() {
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
  const { pending, unknown } = await standing(db, name, migrations);
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
