/**
 * The context of a plugin, created from the services of the runtime and restricted to the plugin's grants: what it uses is its
 * own (settings, log, files) or goes through the runtime (events, rows, jobs, routes). It has no state of its own.
 */
import { Type } from "@sinclair/typebox";
import type { Kysely } from "kysely";
import type { TableName, Tables } from "../../db/mod.ts";
import type { Children } from "../children/pool.ts";
import { BootError } from "../errors.ts";
import type { Caches } from "../events/cache.ts";
import type { EventBus } from "../events/event_bus.ts";
import type { JobQueue } from "../events/job_queue.ts";
import { ScopedTransaction } from "../events/scoped_transaction.ts";
import { below, refusedFiles } from "../files/file_store.ts";
import { outgoingFetch } from "../http/outbound_fetch.ts";
import type { PluginApp, SiteApp } from "../http/plugin_app.ts";
import { limiterOf } from "../http/rate_limit.ts";
import { checkScope, withOldMembers } from "../http/renamed_members.ts";
import { currentLanguage } from "../http/request_context.ts";
import type { HttpServer } from "../http/server.ts";
import { slowReads } from "../http/store_errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import { listRows } from "../resources/listing.ts";
import type { VisibilityRules } from "../resources/visibility.ts";
import { validate } from "../validation/validate.ts";
import type { RuntimeOptions } from "./boot.ts";
import { stoppingBoot } from "./boot_listeners.ts";
import type { AnyContext, AnyPlugin, Grants } from "./plugin.ts";
import type { PluginDb } from "./plugin_roles.ts";
import { checkMoments, checkSlot } from "./renamed.ts";
import type { RuntimeInfo } from "./runtime_info.ts";
import { readSettings } from "./settings.ts";

/** The services that all contexts share. */
export interface ContextParts extends RuntimeOptions {
  readonly jobs: JobQueue;
  readonly bus: EventBus;
  readonly http: HttpServer;
  readonly children: Children;
  readonly caches: Caches;
  readonly visibility: VisibilityRules;
  readonly texts: Texts;
  readonly baseUrl: string;
  readonly contracts: Map<string, unknown>;
  readonly slots: Map<string, unknown[]>;
  readonly starts: (() => void | Promise<void>)[];
  readonly stops: (() => void | Promise<void>)[];
  readonly runtime: RuntimeInfo;
}

/** Creates the context of a plugin. Throws BootError for invalid settings. */
export function makeContext(
  plugin: AnyPlugin,
  grants: Grants,
  apps: { readonly app: PluginApp; readonly site: SiteApp },
  tables: PluginDb,
  parts: ContextParts,
): AnyContext {
  const { bus, jobs, visibility, http, config, texts } = parts;
  const limits = {
    defaultCount: config.defaultCount,
    maxCount: config.maxCount,
    timeoutMs: config.listingTimeoutMs,
  };
  const withSlowPool = slowReads(parts.log.with({ plugin: plugin.name }));
  const own = new ScopedTransaction((tx) => tables.within(tx));
  const { db } = tables;
  const visible = Object.assign(
    (table: TableName, viewer: Parameters<VisibilityRules["where"]>[1], over = db) => {
      tables.needRead(table);
      return visibility.visible(over, table, viewer);
    },
    { where: (...args: Parameters<VisibilityRules["where"]>) => visibility.where(...args) },
  );
  return withOldMembers<AnyContext>(plugin.name, {
    ...apps,
    db: db as unknown as Kysely<Pick<Tables, TableName>>,
    queryWithDeadline: (query) => tables.queryWithDeadline(query),
    withSlowPool,
    settings: readSettings(plugin.name, plugin.settings ?? Type.Object({}), parts.env, parts.settings?.[plugin.name]),
    contracts: contractsOf(plugin, parts.contracts),
    fetch: outgoingFetch({ hosts: grants.net ?? [], allowPrivate: config.allowPrivateHosts }),
    files: grants.files ? below(parts.files, plugin.name) : refusedFiles(plugin.name),
    env: Object.fromEntries((grants.env ?? []).map((name) => [name, parts.env[name]])),
    log: parts.log.with({ plugin: plugin.name }),
    baseUrl: parts.baseUrl,
    texts,
    language: config.language,
    perform: (name, viewer, draft, action) => bus.perform(name, viewer, draft, own.action(action)),
    on(name, handlers) {
      checkMoments(plugin.name, `"${name}"`, handlers);
      const guarded = name === "app_boot" ? stoppingBoot(handlers, (cause) => failed(plugin, cause)) : handlers;
      bus.on(name, own.handlers(guarded));
    },
    onAny(handlers) {
      checkMoments(plugin.name, "every event", handlers);
      bus.onAny(own.handlers(handlers));
    },
    auth: (authenticate) => http.auth(authenticate),
    routeScope(prefix, spec) {
      checkScope(plugin.name, prefix, spec);
      http.routeScope(prefix, spec);
    },
    callAs: (viewer, method, path, options) => http.callAs(viewer, method, path, options),
    limiter: (name, limit, windowMs) => limiterOf(parts.store.db, config)(`${plugin.name}:${name}`, limit, windowMs),
    visibilityRule: (table, rule, reads) => visibility.add(table, rule, reads),
    visible: visible as AnyContext["visible"],
    async list(spec, viewer, query) {
      tables.needRead(spec.table);
      return listRows({ db: tables.unchecked, visibility, limits, withSlowPool }, spec, viewer, query);
    },
    validate: (rules, input, viewer, lookups = {}) =>
      validate(rules, input, { texts, lookups, language: viewer.language ?? currentLanguage() ?? config.language }),
    provide: (name, service) => provide(plugin, parts.contracts, name, own.scoped(service)),
    contribute(name, contribution) {
      checkSlot(plugin.name, name);
      parts.slots.set(name, [...(parts.slots.get(name) ?? []), own.scoped(contribution)]);
    },
    slot(name) {
      checkSlot(plugin.name, name);
      return (parts.slots.get(name) ?? []) as never;
    },
    job: (name, run, options) => jobs.handle(name, run as (payload: unknown) => Promise<void>, options),
    enqueue: (name, payload, options) => jobs.enqueue(parts.store.db, name, payload, options),
    every: (name, intervalMs, run) => jobs.schedule(`${plugin.name}:${name}`, intervalMs, run),
    cached: (name, load) => parts.caches.make(`${plugin.name}:${name}`, load),
    children: parts.children,
    runtime: parts.runtime,
    onStart: (run) => void parts.starts.push(run),
    onStop: (run) => void parts.stops.push(run),
  });
}

function failed({ name }: AnyPlugin, cause: unknown): BootError {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new BootError(`The plugin "${name}" stopped the boot: its handler of "app_boot" failed: ${text}`, { cause });
}

function provide(plugin: AnyPlugin, contracts: Map<string, unknown>, name: string, service: unknown): void {
  if (!(plugin.provides as readonly string[]).includes(name)) {
    throw new BootError(`The plugin "${plugin.name}" provides "${name}" without naming it in "provides"`);
  }
  contracts.set(name, service);
}

/** The contracts of `requires` and `uses`, and no others. */
function contractsOf(plugin: AnyPlugin, contracts: ReadonlyMap<string, unknown>): AnyContext["contracts"] {
  const own: Record<string, unknown> = {};
  for (const name of [...plugin.requires, ...plugin.uses.filter((each) => !plugin.requires.includes(each))])
    Object.defineProperty(own, name, { enumerable: true, get: () => contracts.get(name) });
  return own as AnyContext["contracts"];
}
