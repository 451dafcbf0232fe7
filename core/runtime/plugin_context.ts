/**
 * The context of a plugin, created from the services of the runtime and restricted to the plugin's grants: what it uses is its
 * own (settings, log, files) or goes through the runtime (events, rows, jobs, routes). It has no state of its own.
 */
import { Type } from "@sinclair/typebox";
import type { Kysely } from "kysely";
import type { TableName, Tables } from "../../db/mod.ts";
import type { Children } from "../children/pool.ts";
import { ApiError, BootError } from "../errors.ts";
import type { AnswerCache } from "../events/answer_cache.ts";
import type { Caches } from "../events/cache.ts";
import type { AnyHandlers, EventBus, Handlers } from "../events/event_bus.ts";
import type { JobHandler, JobQueue } from "../events/job_queue.ts";
import type { Part, PartGuard } from "../events/part_guard.ts";
import { attended } from "../events/transaction_watch.ts";
import { type Faults, type PartName, withOrigin } from "../faults.ts";
import { below, type FileStore, refusedFiles } from "../files/file_store.ts";
import type { CredentialFilter } from "../http/credentials.ts";
import { withCallSpans } from "../http/http_spans.ts";
import { outgoingFetch } from "../http/outbound_fetch.ts";
import { limiterOf } from "../http/rate_limit.ts";
import { currentLanguage } from "../http/request_context.ts";
import type { Authenticate } from "../http/route_scope.ts";
import type { HttpServer } from "../http/server.ts";
import type { Texts } from "../i18n/catalogue.ts";
import type { EventName, SlotName, Slots } from "../registry.ts";
import type { ContentKind } from "../resources/content.ts";
import { Listings } from "../resources/listing.ts";
import { slowReads } from "../resources/slow_reads.ts";
import type { VisibilityRules } from "../resources/visibility.ts";
import { deepFreeze, plainCopy } from "../std/freeze.ts";
import { whenReady } from "../std/when_ready.ts";
import type { Tracing } from "../tracing.ts";
import { validate } from "../validation/validate.ts";
import { actingWith, type Caller, type CallerFacts, contractFor, withConditions, writingFunctions } from "./acting.ts";
import type { RuntimeOptions } from "./boot.ts";
import { stoppingBoot } from "./boot_listeners.ts";
import type { BootWatch } from "./boot_watch.ts";
import { checkNewKind } from "./content_kinds.ts";
import { crossingOf } from "./crossing.ts";
import { fencedAnswers, fencedContribution, fencedRule, fencedService, notedFenced, servedApart } from "./given_sql.ts";
import { givenValue, givingValues, withFunctions } from "./given_values.ts";
import { grantedHosts } from "./granted_hosts.ts";
import { checkMoments } from "./known_names.ts";
import type { LifecycleHook } from "./lifecycle_hooks.ts";
import { limitedScope } from "./limited_scope.ts";
import type { AnyContext, AnyPlugin, Grants, PluginApps } from "./plugin.ts";
import { contractsOf, ownContractFor, provide } from "./plugin_contracts.ts";
import { folderOf } from "./plugin_folder.ts";
import type { PluginDb } from "./plugin_roles.ts";
import type { PowerChecks } from "./power_checks.ts";
import type { Call } from "./read_members.ts";
import type { RuntimeInfo } from "./runtime_info.ts";
import { ScopedTransaction } from "./scoped_transaction.ts";
import { readSettings } from "./settings.ts";
import { slotLimit, slotReader } from "./slot_reader.ts";
import { contributionProblem, type DeclaredSlots } from "./slot_specs.ts";
import { isViewer } from "./whole_values.ts";

/** Contributions by slot; plugins have slots of their own, whose types are not known here. */
export interface ContributedSlots extends Iterable<readonly [string, readonly unknown[]]> {
  get<N extends SlotName>(name: N): Slots[N][] | undefined;
  get(name: string): unknown[] | undefined;
  set(name: string, contributions: readonly unknown[]): unknown;
}

/** The services that all contexts share. */
export interface ContextParts extends Omit<RuntimeOptions, "files"> {
  readonly files: FileStore;
  readonly jobs: JobQueue;
  readonly bus: EventBus;
  readonly http: HttpServer;
  readonly tracing: Tracing;
  readonly children: Children;
  readonly answers: AnswerCache;
  readonly caches: Caches;
  readonly visibility: VisibilityRules;
  readonly texts: Texts;
  readonly baseUrl: string;
  readonly contracts: Map<string, unknown>;
  readonly slots: ContributedSlots;
  readonly slotSpecs: DeclaredSlots;
  readonly faults: Faults;
  /** Whether a plugin ships with Lectern. */
  readonly ships: (plugin: AnyPlugin) => boolean;
  /** Takes credentials from the requests that other plugins see. */
  readonly credentials: CredentialFilter;
  readonly guard: PartGuard;
  readonly watch: BootWatch;
  /** Slots that plugins have read. */
  readonly readSlots: Set<string>;
  readonly starts: LifecycleHook[];
  readonly stops: LifecycleHook[];
  readonly runtime: RuntimeInfo;
}

/** Creates the context of a plugin. Throws BootError for invalid settings. */
export function makeContext(
  plugin: AnyPlugin,
  grants: Grants,
  powers: PowerChecks,
  app: PluginApps,
  tables: PluginDb,
  parts: ContextParts,
): AnyContext {
  const { bus, jobs, visibility, http, config, texts } = parts;
  const limits = {
    defaultCount: config.defaultCount,
    maxCount: config.maxCount,
    timeoutMs: config.listingTimeoutMs,
  };
  const slowly = slowReads(parts.log.with({ plugin: plugin.name }));
  const withSlowPool: typeof slowly = (task, run) => attended(() => slowly(task, run));
  const listings = new Listings({ db: tables.unchecked, visibility, limits, withSlowPool });
  const { guard, watch } = parts;
  const passed: Part = { plugin: plugin.name, place: CALLBACK, limitMs: guard.limits.callMs / 2 };
  const crossing = parts.ships(plugin)
    ? undefined
    : crossingOf(plugin.name, parts.credentials, (arg, map, running) =>
        withFunctions(arg, (callback) => map(guard.passed(passed, callback, running))),
      );
  const { db, given } = tables;
  const as = actingWith(powers, given?.plugin);
  const checks = {
    plugin: plugin.name,
    guard,
    as,
    enqueue: (name: string) => powers.enqueue(name),
    perform: (name: string) => powers.perform(name),
    callsRoute: (method: string, path: string) => powers.callsRoute(method, path),
    value: <V>(value: V, place: string) => (given ? givenValue(value, { plugin: plugin.name, place }) : value),
  };
  const recognising = (authenticate: Authenticate, place: string): Authenticate => {
    if (!given) return authenticate;
    const recognise = givingValues(authenticate as Call, { plugin: plugin.name, place });
    const part = { plugin: plugin.name, place };
    return (...args) => whenReady(recognise(...args), (found) => recognised(guard, part, found));
  };
  const own = new ScopedTransaction((tx) => tables.within(tx), checks, crossing);
  const caller: Caller = { name: plugin.name, folder: folderOf(plugin), powers, as, crossing };
  const visible = Object.assign(
    (table: TableName, viewer: Parameters<VisibilityRules["where"]>[1], over = db) => {
      tables.needRead(table);
      return as(viewer, () => visibility.visible(over, table, viewer));
    },
    {
      where: (...[table, viewer]: Parameters<VisibilityRules["where"]>) => {
        // Shipped plugins, such as the search, also put conditions into what contributors of tables read.
        if (crossing) tables.needRead(table);
        return as(viewer, () => visibility.where(table, viewer));
      },
    },
  );
  const schema = plugin.settings ?? Type.Object({});
  const settings = readSettings(
    plugin.name,
    schema,
    parts.env,
    parts.settings?.[plugin.name],
    parts.constants?.[plugin.name],
  );
  for (const name of new Set([...plugin.requires, ...plugin.uses]))
    powers.writes(name, writingFunctions(parts.contracts.get(name)));
  const on = <E extends EventName>(name: E, handlers: Handlers<E>) => {
    checkMoments(plugin.name, `"${name}"`, handlers);
    powers.on(name, handlers);
    const guarded = name === "app_boot" ? stoppingBoot(handlers, { plugin: plugin.name, watch }) : handlers;
    bus.on(name, own.handlers(guarded), plugin.name);
  };
  const listening = { plugin: plugin.name, faults: parts.faults };
  const contributionsOf = slotReader(parts, caller, given);
  const partOf = (place: string) => ({ plugin: plugin.name, place, limitMs: guard.limits.callMs });
  return {
    app,
    // A cast, since comparing two Kysely types takes a third of the whole type check.
    db: db as unknown as Kysely<Pick<Tables, TableName>>,
    pools: { slow: withSlowPool, poll: (query) => tables.queryWithDeadline(query) },
    settings,
    contracts: contractsOf(plugin, parts.contracts, (name, service) => {
      const own = ownContractFor(name, service, listening);
      if (own) return own;
      const called = contractFor(name, service, caller);
      return given ? servedApart(name, service, called, given) : called;
    }),
    fetch: withCallSpans(
      parts.tracing,
      plugin.name,
      outgoingFetch({
        hosts: grantedHosts(plugin, grants.net ?? [], settings),
        allowPrivate: config.allowPrivateHosts,
      }),
    ),
    files: grants.files ? attendedFiles(below(parts.files, plugin.name)) : refusedFiles(plugin.name),
    log: parts.log.with({ plugin: plugin.name }),
    baseUrl: parts.baseUrl,
    texts: { ...texts },
    get language() {
      return texts.language();
    },
    perform: async (name, viewer, draft, action) => {
      powers.perform(name);
      const final = checks.value(draft, `the draft of "${name}"`);
      return as(viewer, () => bus.perform(name, viewer, final, own.action(name, action), plugin.name));
    },
    on: Object.assign(on, {
      any(handlers: AnyHandlers) {
        checkMoments(plugin.name, "every event", handlers, ["inTransaction", "notify"]);
        powers.onAny();
        bus.onAny(own.handlers(handlers), plugin.name);
      },
    }),
    auth(authenticate) {
      powers.auth();
      http.auth(guard.guarded(partOf("auth"), recognising(authenticate, "auth")));
    },
    routeScope(prefix, spec) {
      powers.routeScope(prefix, spec);
      const limited = crossing ? limitedScope(guard, partOf, prefix, spec) : spec;
      const { authenticate } = limited;
      const part = partOf(`authenticate of ${prefix}`);
      const guarded = authenticate
        ? { ...limited, authenticate: guard.guarded(part, recognising(authenticate, part.place)) }
        : limited;
      // The filter knows the scope itself, so it is the last to make one.
      const scope = crossing ? parts.credentials.scopeOf(plugin.name, guarded) : guarded;
      http.routeScope(prefix, scope, crossing ? plugin.name : undefined);
    },
    callAs: async (viewer, method, path, options) => {
      powers.callsRoute(method, path);
      const sent = checks.value(options, "an input of callAs");
      return as(viewer, () => http.callAs(viewer, method, path, sent));
    },
    limiter(name, ...given) {
      const place = `an argument of the limiter "${name}"`;
      const limiter = limiterOf(parts.store.db, config)(`${plugin.name}:${name}`, ...checks.value(given, place));
      return crossing ? { take: (...args) => limiter.take(...checks.value(args, place)) } : limiter;
    },
    visibilityRule(table, rule, reads) {
      powers.record("visibilityRules", table, `adds a visibility rule for "${table}"`);
      const own = checks.value(reads, `the reads of a rule for "${table}"`);
      if (given) visibility.addGiven(table, fencedRule(given, table, rule, own), own);
      else visibility.add(table, rule, reads);
    },
    visible: visible as AnyContext["visible"],
    async list(spec, viewer, query) {
      tables.needRead(spec.table);
      return as(viewer, () => listings.list(spec, viewer, query));
    },
    validate: (rules, input, viewer, lookups = {}) =>
      validate(rules, input, { texts, lookups, language: viewer.language ?? currentLanguage() ?? texts.language() }),
    provide(name, service, needed, membersFor) {
      const offered = <Offered>(members: Offered) =>
        own.scoped(
          given ? fencedService(members, given, `contract ${name}`) : members,
          `contract ${name}`,
          guard.limits.callMs,
        );
      const whole = given ? notedFenced(offered(service)) : offered(service);
      const members = membersFor && ((facts: CallerFacts) => offered(membersFor(facts)));
      provide(plugin, parts.contracts, name, withConditions(deepFreeze(whole), needed, members));
    },
    contribute(name, contribution) {
      powers.record("slots", name, `contributes to the slot "${name}"`);
      const problem = contributionProblem(parts.slotSpecs.get(name), contribution);
      if (problem !== undefined)
        throw new BootError(`A contribution of the plugin "${plugin.name}" to the slot "${name}" ${problem}`);
      const isOperators = plugin.addedBy !== undefined && plugin.listFile === undefined;
      const origin = { plugin: plugin.name, slot: name, faults: parts.faults, isOperators, ships: !crossing };
      const kinds = parts.slots.get("content") ?? [];
      const fenced = given ? fencedContribution(name, contribution, { given, db, kinds }) : contribution;
      const scoped = own.scoped(fenced, `slot ${name}`, slotLimit(parts.slotSpecs.get(name), guard.limits));
      if (name === "content") checkNewKind(plugin.name, scoped as ContentKind, kinds);
      parts.slots.set(name, [...(parts.slots.get(name) ?? []), withOrigin(deepFreeze(scoped), origin)]);
    },
    slot(name) {
      powers.readSlot(name);
      parts.readSlots.add(name);
      return contributionsOf(name) as never;
    },
    jobs: {
      handle(name, run, options) {
        powers.record("jobs", name, `handles the job "${name}"`);
        const own = checks.value(options, `the options of the job "${name}"`);
        jobs.handle(name, run as JobHandler, own, plugin.name);
      },
      async enqueue(name, payload, options) {
        powers.enqueue(name);
        await jobs.enqueue(parts.store.db, name, payload, checks.value(options, `the options of the job "${name}"`));
      },
      every(name, intervalMs, run, options) {
        powers.record("schedules", name, `adds the schedule "${name}"`);
        const interval = checks.value(intervalMs, `the interval of "${name}"`);
        const counted = async () => {
          try {
            await run();
          } catch (error) {
            parts.faults.count(plugin.name, `schedule ${name}`, error);
            throw error;
          }
        };
        jobs.schedule(plugin.name, name, interval, counted, options);
      },
    },
    cache: {
      values: (name, load, options) => parts.caches.make(`${plugin.name}:${name}`, load, options),
      answers: (name, source) =>
        parts.answers.add(`${plugin.name}:${name}`, given ? fencedAnswers(given, source) : source),
      derived: (name, source) =>
        parts.answers.addDerived(`${plugin.name}:${name}`, given ? fencedAnswers(given, source) : source),
    },
    children: { run: (input, options) => attended(() => parts.children.run(input, options)) },
    runtime: {
      ...parts.runtime,
      routes: () => (crossing ? plainCopy(parts.runtime.routes()) : parts.runtime.routes()),
    },
    onStart: (run) => void parts.starts.push({ plugin: plugin.name, run }),
    onStop: (run) => void parts.stops.push({ plugin: plugin.name, run }),
  };
}

/** The place of functions that a plugin passes to those of others, as faults name it. */
const CALLBACK = "a function passed to another plugin";

/** What an authenticator of a plugin that does not ship returned; a refusal, and a fault, for what says neither who the user is nor why not. */
function recognised(guard: PartGuard, part: PartName, found: unknown): Awaited<ReturnType<Authenticate>> {
  if (found === undefined || found instanceof ApiError || isViewer(found)) return found;
  const what = found instanceof Error ? `the error "${found.message}"` : "something else";
  return guard.wrong(part, `It returned ${what}, wanted a viewer, an ApiError or undefined`);
}

/** A file store whose transfers are no silence of the transaction that waits for them. */
function attendedFiles(files: FileStore): FileStore {
  return {
    ...files,
    put: (key, content) => attended(() => files.put(key, content)),
    get: (key) => attended(() => files.get(key)),
    remove: (key) => attended(() => files.remove(key)),
  };
}
