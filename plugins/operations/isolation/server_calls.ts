/**
 * The calls of an isolated plugin to the server, each checked, and done through the plugin's own context: its grants, hosts and
 * files are those of any plugin. A call names the call of the server within which it is made; its viewer and transaction are
 * looked up here.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type AnyContext,
  type EventName,
  type EventTransaction,
  type JobName,
  type Viewer,
  withinTime,
} from "lectern/core";
import { type Db, withSlowPool } from "lectern/db";
import type { SentCall } from "./channel.ts";
import { callContract, contractCallSchema } from "./contract_calls.ts";
import type { LogLimit } from "./log_limit.ts";
import { plainOf } from "./plain.ts";
import { runQuery, runSchemaChange, runVisible } from "./statements.ts";
import { checkPlain } from "./values.ts";
import { type CallOptions, referenceSchema, viewerOf } from "./viewers.ts";

/** What a call of the server to the plugin gives the calls made within it. */
export interface CallScope {
  /** The viewers that the process was sent: the first is that of the request or the event. */
  readonly viewers?: Viewer[];
  readonly tx?: EventTransaction;
  /** The store of a migration. */
  readonly schema?: Db;
  /** Runs a function in the asynchronous context of the call: its request, of which events record the address. */
  readonly inContext?: <Result>(run: () => Result) => Result;
}

/** What the calls of one plugin are answered with. */
export interface CallParts {
  readonly plugin: string;
  /** The context; undefined before `setup`. */
  readonly context: AnyContext | undefined;
  /** Events that the plugin declares to perform. */
  readonly events: readonly string[];
  /** Jobs that it has registered. */
  readonly jobs: ReadonlySet<string>;
  readonly lines: LogLimit;
  readonly limits: { readonly timeoutMs: number; readonly messageBytes: number };
  scopeOf(call: number): CallScope | undefined;
  /** Runs the plugin's action of an event within its transaction. */
  runAction(action: number, draft: unknown, tx: EventTransaction): Promise<unknown>;
}

const MAX_LISTED = 10_000;
/** Characters of a line of the log. */
const MAX_LOGGED = 10_000;
/** Fields of a line of the log that the server writes itself. */
const LINE_FIELDS: ReadonlySet<string> = new Set(["time", "level", "message", "requestId", "plugin"]);
/** Characters of a path with its query. */
const MAX_PATH = 8_000;
const text = Type.String();
const httpMethod = Type.String({ pattern: "^[A-Z]{1,10}$" });
const SHAPES = {
  query: Type.Object({
    tree: Type.Unknown(),
    visible: Type.Optional(text),
    viewer: Type.Optional(referenceSchema),
    inTransaction: Type.Optional(Type.Boolean()),
  }),
  perform: Type.Object({
    name: text,
    draft: Type.Unknown(),
    action: Type.Integer(),
    viewer: Type.Optional(referenceSchema),
  }),
  call: Type.Object({
    viewer: referenceSchema,
    method: httpMethod,
    path: Type.String({ pattern: "^/", maxLength: MAX_PATH }),
    options: Type.Object({
      input: Type.Optional(Type.Record(text, Type.Unknown())),
      headers: Type.Optional(Type.Record(text, text)),
      address: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    inTransaction: Type.Optional(Type.Boolean()),
  }),
  contract: contractCallSchema,
  slot: Type.Object({ name: text }),
  enqueue: Type.Object({
    name: text,
    payload: Type.Unknown(),
    options: Type.Object({
      delayMs: Type.Optional(Type.Number({ minimum: 0 })),
      key: Type.Optional(Type.String({ maxLength: 500 })),
    }),
  }),
  fetch: Type.Object({
    url: text,
    method: httpMethod,
    headers: Type.Record(text, text),
    body: Type.Optional(Type.Uint8Array()),
  }),
  files_put: Type.Object({ key: text, bytes: Type.Uint8Array() }),
  files_get: Type.Object({ key: text }),
  files_remove: Type.Object({ key: text }),
  files_list: Type.Object({ prefix: text }),
  log: Type.Object({
    level: Type.Union((["debug", "info", "warn", "error"] as const).map((level) => Type.Literal(level))),
    message: Type.String({ maxLength: MAX_LOGGED }),
    fields: Type.Record(text, Type.Unknown()),
  }),
} as const;

type Name = keyof typeof SHAPES;
type Answer<N extends Name> = (
  value: Static<(typeof SHAPES)[N]>,
  parts: CallParts & { readonly context: AnyContext },
  scope: CallScope,
) => unknown;

const ANSWERS: { readonly [N in Name]: Answer<N> } = {
  query({ tree, visible, viewer: reference, inTransaction }, { plugin, context, limits }, { viewers, tx }) {
    const maxBytes = limits.messageBytes / 2;
    // The statement pool would let the requests of others wait behind slow statements of the plugin.
    const slow = { key: `isolated ${plugin}`, limitMs: limits.timeoutMs };
    if (visible !== undefined) {
      const viewer = viewerOf(reference ?? 0, viewers);
      const how = { table: visible, viewer, where: context.visible.where, maxBytes };
      return withSlowPool(slow, () => runVisible(context.db, tree, how));
    }
    if (!inTransaction) return withSlowPool(slow, () => runQuery(context.db, tree, maxBytes));
    if (!tx) throw new Error("The transaction has ended");
    return runQuery(tx.db, tree, maxBytes);
  },
  async perform({ name, draft, action, viewer = 0 }, { plugin, context, events, runAction }, { viewers, tx }) {
    const owner = context.runtime.plugins().find((each) => each.plugin.name !== plugin && performs(each.plugin, name));
    if (owner) throw new Error(`The event "${name}" is one of the plugin "${owner.plugin.name}"`);
    if (!events.includes(name)) throw new Error(`The plugin does not declare the event "${name}" in "events"`);
    const act = (final: unknown, over: EventTransaction) => runAction(action, final, over);
    // The names and types of its events are the plugin's own.
    if (tx && viewer === 0) return plainOf(await tx.perform(name as EventName, draft as never, act as never));
    const as = viewerOf(viewer, viewers);
    return plainOf(await context.perform(name as EventName, as, draft as never, act as never));
  },
  async call({ viewer, method, path, options, inTransaction = false }, { context, limits }, { viewers, tx }) {
    if (inTransaction && !tx) throw new Error("The transaction has ended");
    checkPlain(options.input, "the input of callAs");
    const as = viewerOf(viewer, viewers);
    const calling = tx && inTransaction ? tx : context;
    return withinTime(
      limits.timeoutMs,
      // What is read of a body has been checked as plain data.
      async (late) => sentAnswer(await calling.callAs(as, method, path, options as CallOptions), limits, late),
      `${method} ${path} did not answer within ${limits.timeoutMs} ms`,
    );
  },
  contract: (value, { context, limits: { timeoutMs } }, { viewers }) =>
    callContract(value, context.contracts, { sent: viewers, timeoutMs }),
  slot: ({ name }, { context }) => plainOf(context.slot(name as Parameters<AnyContext["slot"]>[0])),
  async enqueue({ name, payload, options }, { context, jobs }, { tx }) {
    if (!jobs.has(name)) throw new Error(`The plugin has registered no job "${name}"`);
    await (tx ?? context.jobs).enqueue(name as JobName, payload as never, options);
  },
  async fetch({ url, method, headers, body }, { context, limits }) {
    const signal = AbortSignal.timeout(limits.timeoutMs);
    return sentAnswer(await context.fetch(url, { method, headers, signal, ...(body && { body }) }), limits, signal);
  },
  files_put: ({ key, bytes }, { context }) => context.files.put(key, bytes),
  async files_get({ key }, { context, limits }) {
    const found = await context.files.get(key);
    if (!found) return null;
    if (found.size > limits.messageBytes / 2) throw new Error(`The file "${key}" is too large for an isolated plugin`);
    return { modified: found.modified.toISOString(), bytes: await found.bytes() };
  },
  files_remove: ({ key }, { context }) => context.files.remove(key),
  async files_list({ prefix }, { context }) {
    const found: object[] = [];
    for await (const { key, size, modified } of context.files.list(prefix)) {
      found.push({ key, size, modified: modified.toISOString() });
      if (found.length >= MAX_LISTED) break;
    }
    return found;
  },
  log({ level, message, fields }, { plugin, context, lines }) {
    if (!lines.take()) return;
    if (JSON.stringify(fields).length > MAX_LOGGED)
      throw new Error(`A line of the log has at most ${MAX_LOGGED} characters`);
    const own = Object.entries(fields).filter(([field]) => !LINE_FIELDS.has(field));
    context.log[level](message, { ...Object.fromEntries(own), plugin });
  },
};

/** Answers a call. Throws for calls that do not exist, have a wrong form, or exceed what the plugin may do. */
export async function answerCall({ name, value, within }: SentCall, parts: CallParts): Promise<unknown> {
  const scope = within === undefined ? {} : parts.scopeOf(within);
  if (!scope) throw new Error(`The call that "${name}" belongs to has ended`);
  if (!Object.hasOwn(SHAPES, name)) throw new Error(`There is no call "${name}"`);
  const shape = SHAPES[name as Name];
  const first = Value.Errors(shape, value).First();
  if (first) throw new Error(`Cannot answer "${name}": "${first.path.slice(1)}": ${first.message}`);
  if (scope.schema) {
    if (name !== "query") throw new Error(`A migration of an isolated plugin cannot call "${name}"`);
    return runSchemaChange(scope.schema, parts.plugin, (value as { tree: unknown }).tree);
  }
  const { context } = parts;
  const { inContext = (run) => run() } = scope;
  if (!context) throw new Error(`"${name}" cannot be called before setup`);
  // Its shape has been checked above.
  return inContext(() => (ANSWERS[name as Name] as Answer<Name>)(value as never, { ...parts, context }, scope));
}

function performs({ events }: { readonly events: readonly string[] }, name: string): boolean {
  return events.includes(name);
}

/** An answer as it is sent. Throws where its body is longer than half a message; `late` ends one that does not end. */
async function sentAnswer(
  response: Response,
  { messageBytes }: CallParts["limits"],
  late: AbortSignal,
): Promise<{ readonly status: number; readonly headers: [string, string][]; readonly body: Uint8Array }> {
  const { status, headers } = response;
  // Base64 takes four bytes for three.
  const body = await boundedBody(response, messageBytes / 2, late);
  return { status, headers: [...(headers as Iterable<[string, string]>)], body };
}

async function boundedBody({ body }: Response, maxBytes: number, late: AbortSignal): Promise<Uint8Array> {
  const reader = body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});
  late.addEventListener("abort", cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let found = await reader?.read(); found && !found.done; found = await reader?.read()) {
    length += found.value.length;
    if (length > maxBytes) {
      cancel();
      throw new Error("The answer is too large for an isolated plugin");
    }
    chunks.push(found.value);
  }
  late.throwIfAborted();
  return Buffer.concat(chunks);
}
