/**
 * An isolated plugin as the runtime sees it: data that its process has sent, and a `setup` that registers on the context what the
 * plugin's own `setup` registered in the process. Every handler is a call to the process. The module of the plugin is never
 * imported here.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type TSchema, Type } from "@sinclair/typebox";
import {
  type AnyContext,
  type AnyPlugin,
  attended,
  BootError,
  definePlugin,
  type EventName,
  type EventTransaction,
  type JobName,
  type PermissionName,
  type Viewer,
} from "lectern/core";
import type { Db, TableName } from "lectern/db";
import type { SentCall } from "./channel.ts";
import type { SentTransaction } from "./child_context.ts";
import type { IsolatedHost } from "./isolated_host.ts";
import { LogLimit, MAX_LINES_PER_MINUTE } from "./log_limit.ts";
import { plainOf, returnedDraft } from "./plain.ts";
import { checkedManifest, checkedRegistrations, type Manifest, type Registrations } from "./registrations.ts";
import { type RouteContext, responseOf, sentRequest } from "./route_answers.ts";
import { answerCall, type CallScope } from "./server_calls.ts";
import { checkContribution, checkedFound, functionsOf, sentVisit } from "./slots.ts";
import { sentViewer } from "./viewers.ts";

const BYTES_PER_MB = 2 ** 20;

/** A name of a slot that this plugin knows at run time alone. */
type SlotName = Parameters<AnyContext["contribute"]>[0];

const NOTHING: Registrations = { routes: [], events: [], jobs: [], schedules: [], contributions: [] };

/** The scope of a call to the process, with the viewer that it gives it. */
type CallStart = Omit<CallScope, "viewers"> & { readonly viewer?: Viewer };

/** The plugin of one host. */
export class IsolatedPlugin {
  readonly #entry: string;
  readonly #limits: { readonly timeoutMs: number; readonly messageMb: number };
  readonly #scopes = new Map<number, CallScope>();
  readonly #lines = new LogLimit((dropped) =>
    this.#context?.log.warn("Lines of an isolated plugin were dropped", { dropped, perMinute: MAX_LINES_PER_MINUTE }),
  );
  #manifest: Manifest | undefined;
  #registrations: Registrations | undefined;
  #context: AnyContext | undefined;
  #host: IsolatedHost | undefined;

  constructor(entry: string, limits: { readonly timeoutMs: number; readonly messageMb: number }) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** Takes what a process says of the plugin. Throws BootError where it is malformed, or differs from what the first one said. */
  started(value: unknown): void {
    const manifest = checkedManifest(this.#entry, value);
    if (this.#manifest && !Bun.deepEquals(this.#manifest, manifest))
      throw new BootError(`The isolated plugin "${this.#entry}" has changed since the start of the server`);
    this.#manifest = manifest;
  }

  /** Answers a call of the process. */
  async answer(call: SentCall): Promise<unknown> {
    const { timeoutMs, messageMb } = this.#limits;
    return answerCall(call, {
      plugin: this.#manifest?.name ?? this.#entry,
      context: this.#context,
      events: this.#manifest?.events ?? [],
      jobs: new Set(this.#registrations?.jobs.map(({ name }) => name)),
      lines: this.#lines,
      limits: { timeoutMs, messageBytes: messageMb * BYTES_PER_MB },
      scopeOf: (number) => this.#scopes.get(number),
      runAction: (action, draft, tx) => this.#call("action", action, [plainOf(draft)], { tx, viewer: tx.viewer }),
    });
  }

  /** The plugin for the runtime, once its process has sent its data. */
  pluginOf(host: IsolatedHost, source: string): AnyPlugin {
    this.#host = host;
    const manifest = this.#manifest;
    if (!manifest) throw new Error(`The isolated plugin "${this.#entry}" has not sent its data`);
    const { name, grants, settings, migrations, events, permissions, before, after, requires, uses, version, lectern } =
      manifest;
    return {
      ...definePlugin({
        name,
        // Names of tables, events and permissions are checked at boot, as those of any plugin.
        grants: grants as AnyPlugin["grants"],
        settings: Type.Object(
          Object.fromEntries(Object.entries(settings).map(([field, spec]) => [field, settingOf(spec)])),
        ),
        migrations: Object.fromEntries(
          migrations.map((step) => [
            step,
            (db: Db) => this.#callScoped("migrate", { step }, { schema: db }).then(() => {}),
          ]),
        ),
        events: events as EventName[],
        permissions: permissions as PermissionName[],
        before,
        after,
        requires: requires as AnyPlugin["requires"],
        uses: uses as AnyPlugin["requires"],
        ...(version !== undefined && { version }),
        ...(lectern !== undefined && { lectern }),
        optionalTables: manifest.optionalTables as TableName[],
        setup: (context) => this.#setUp(context as AnyContext),
      }),
      source,
      isolated: { entry: this.#entry, how: isolationOf(host) },
    };
  }

  async #setUp(context: AnyContext): Promise<void> {
    const { settings, baseUrl, language } = context;
    const contracts = () =>
      Object.fromEntries(Object.entries(context.contracts).map(([name, service]) => [name, service !== undefined]));
    this.#context = context;
    this.#registrations = undefined;
    await this.#host?.attach({
      setUp: async (call) => {
        const found = checkedRegistrations(
          this.#entry,
          await call("setup", { settings, baseUrl, language, contracts: contracts() }),
        );
        if (this.#registrations && !Bun.deepEquals(this.#registrations, found))
          throw new Error(`The isolated plugin "${this.#entry}" registers something else than at its first start`);
        this.#registrations = found;
      },
      ended: (reason) => context.log.error("The process of an isolated plugin has ended", { reason }),
    });
    context.onStop(async () => {
      await this.#host?.stop();
      this.#lines.end();
    });
    this.#register(context, this.#registrations ?? NOTHING);
  }

  #register(context: AnyContext, { routes, events, jobs, schedules, contributions }: Registrations): void {
    for (const [index, { place, method, path, ...options }] of routes.entries()) {
      const handler = async ({
        viewer,
        params,
        query,
        nestedQuery,
        input,
        body,
        address,
        requestId,
        request,
      }: RouteContext & { readonly viewer: Viewer }) => {
        const sent = sentRequest({ params, query, nestedQuery, input, body, address, requestId, request });
        return responseOf(await this.#call("route", index, [sent, sentViewer(viewer)], { viewer }));
      };
      // The path and the permit are known at run time alone, so Elysia's types of them cannot apply.
      const routes = place === "app" ? context.app : context.app.site;
      const app = routes as unknown as Record<string, (path: string, run: unknown, options: object) => void>;
      app[method]?.(path, handler, options);
    }
    for (const [index, { name, moments }] of events.entries())
      context.on(name as EventName, this.#handlers(index, moments) as never);
    for (const [index, { name, ...options }] of jobs.entries())
      context.jobs.handle(
        name as JobName,
        async (payload, { id, attempt }) => void (await this.#call("job", index, [payload, { id, attempt }])),
        options,
      );
    for (const [index, contribution] of contributions.entries())
      context.contribute(contribution.slot as SlotName, this.#contribution(index, contribution) as never);
    for (const [index, { name, intervalMs }] of schedules.entries())
      context.jobs.every(name, intervalMs, async () => void (await this.#call("schedule", index, [])));
  }

  #contribution(index: number, { slot, data, functions }: Registrations["contributions"][number]): object {
    checkContribution(slot, data);
    const own = functions.filter((member) => functionsOf(slot).includes(member));
    const calls = own.map((member) => [
      member,
      async (visit?: unknown) => {
        const { viewer, params } = sentVisit(visit);
        const args = viewer ? [member, plainOf({ viewer: sentViewer(viewer), params })] : [member];
        return checkedFound(slot, await this.#call("slot", index, args, viewer ? { viewer } : {}));
      },
    ]);
    return { ...data, ...Object.fromEntries(calls) };
  }

  #handlers(index: number, moments: Registrations["events"][number]["moments"]): object {
    const event = (moment: string, args: readonly unknown[], scope: CallStart) =>
      this.#call("event", index, [moment, ...args.map((arg) => plainOf(arg))], scope);
    const within = (tx: EventTransaction): CallStart => ({ tx, viewer: tx.viewer });
    const all = {
      beforeTransaction: async (draft: unknown, viewer: Viewer) =>
        void (await event("beforeTransaction", [draft, sentViewer(viewer)], { viewer })),
      filter: async (draft: unknown, tx: EventTransaction) => {
        const returned = (await event("filter", [draft], within(tx))) ?? undefined;
        return returned === undefined ? undefined : returnedDraft(draft, returned);
      },
      veto: async (draft: unknown, tx: EventTransaction) => {
        const reason = (await event("veto", [draft], within(tx))) ?? undefined;
        return reason === undefined ? undefined : String(reason);
      },
      inTransaction: async (result: unknown, tx: EventTransaction, record: object) =>
        void (await event("inTransaction", [result, recordOf(record)], within(tx))),
      notify: async (result: unknown, record: { readonly viewer: Viewer }) =>
        void (await event("notify", [result, recordOf(record)], { viewer: record.viewer })),
    };
    return Object.fromEntries(moments.map((moment) => [moment, all[moment]]));
  }

  #call(name: string, index: number, args: readonly unknown[], scope: CallStart = {}): Promise<unknown> {
    const { tx } = scope;
    return this.#callScoped(name, { index, args, ...(tx && { tx: sentTransaction(tx) }) }, scope);
  }

  async #callScoped(name: string, value: unknown, { viewer, ...scope }: CallStart): Promise<unknown> {
    let number: number | undefined;
    try {
      // It has a limit of its own, `timeoutMs`, past which the process is killed.
      return await attended(async () =>
        this.#host?.call(name, value, (call) => {
          number = call;
          this.#scopes.set(call, {
            ...scope,
            viewers: viewer ? [viewer] : [],
            inContext: AsyncLocalStorage.snapshot(),
          });
        }),
      );
    } finally {
      if (number !== undefined) this.#scopes.delete(number);
    }
  }
}

/** How the process is confined, for `plan` and `grants`. */
function isolationOf({ enforcement }: IsolatedHost): string {
  if (!enforcement) return "isolated";
  if ("missing" in enforcement) return `isolated, not enforced: ${enforcement.missing}`;
  const network = enforcement.network === "namespace" ? "network namespace" : "no sockets";
  return `isolated (Landlock ABI ${enforcement.landlock}, seccomp, ${network})`;
}

function settingOf({ type, ...options }: Manifest["settings"][string]): TSchema {
  if (type === "string") return Type.String(options);
  if (type === "boolean") return Type.Boolean(options);
  return type === "integer" ? Type.Integer(options) : Type.Number(options);
}

function sentTransaction({ viewer, at, address, requestId }: EventTransaction): SentTransaction {
  return {
    viewer: sentViewer(viewer),
    at,
    ...(address !== undefined && { address }),
    ...(requestId !== undefined && { requestId }),
  };
}

/** A record of an event as it is sent: the viewer as in other places. */
function recordOf(record: object): object {
  const { viewer, ...rest } = record as { viewer?: Viewer };
  return { ...rest, ...(viewer && { viewer: sentViewer(viewer) }) };
}
