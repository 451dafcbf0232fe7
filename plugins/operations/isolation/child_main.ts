/**
 * The module of an isolated process, which is confined when it is loaded: it answers the calls of the server to one plugin, and ends
 * with its input.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type AnyPlugin, MessageReader, messageBytes } from "lectern/core";
import type { SentCall } from "./channel.ts";
import { ChildChannel } from "./child_channel.ts";
import type { ChildContext, Facts } from "./child_context.ts";

/** What the server sends to load a plugin. */
export interface LoadOrder {
  /** The file of the plugin. */
  readonly file: string;
  /** Calls to the server that may wait for an answer at a time. */
  readonly calls: number;
}

const STDOUT = 1;
/** The server limits what it sends itself. */
const MAX_BYTES = 2 ** 30;
const UNSUPPORTED = ["provides", "commands", "extend"] as const;

let plugin: AnyPlugin | undefined;
let context: ChildContext | undefined;

async function load({ file, calls }: LoadOrder): Promise<object> {
  channel.limit(calls);
  const loaded = (await import(pathToFileURL(file).href)) as { default?: AnyPlugin };
  plugin = loaded.default;
  if (!plugin || Array.isArray(plugin) || typeof plugin.setup !== "function")
    throw new Error("its default export is no plugin; an isolated entry holds exactly one");
  const { name, grants, settings, migrations, events, permissions, before, after, requires, uses } = plugin;
  const { optionalTables, version, lectern } = plugin;
  const { adds } = plugin as { readonly adds?: unknown };
  for (const member of UNSUPPORTED)
    if (Object.keys(plugin[member] ?? {}).length > 0 || typeof plugin[member] === "function")
      throw new Error(`isolated plugins cannot have "${member}"`);
  return {
    name,
    grants,
    settings: settings?.properties ?? {},
    migrations: Object.keys(migrations),
    events,
    permissions,
    before,
    after,
    requires,
    uses,
    optionalTables,
    // The server says what it is called now.
    ...(adds !== undefined && { adds }),
    ...(version !== undefined && { version }),
    ...(lectern !== undefined && { lectern }),
  };
}

async function setUp(facts: Facts): Promise<object> {
  const { ChildContext } = await import("./child_context.ts");
  context = new ChildContext(channel);
  await plugin?.setup(context.contextOf(facts) as never);
  return context.registrations;
}

async function migrate({ step }: { readonly step: string }, within: number): Promise<void> {
  const { remoteStore } = await import("./child_store.ts");
  await plugin?.migrations[step]?.(remoteStore(channel, { within }));
}

async function answer(call: SentCall): Promise<unknown> {
  if (call.name === "ping") return true;
  if (call.name === "load") return load(call.value as LoadOrder);
  if (call.name === "setup") return setUp(call.value as Facts);
  if (call.name === "migrate") return migrate(call.value as { step: string }, call.call);
  if (!context) throw new Error("The plugin is not set up");
  return context.run(call);
}

function send(message: unknown): void {
  const bytes = messageBytes(message);
  for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
}

const { console: terminal } = globalThis;
// Standard output is for messages: what the plugin prints goes to standard error.
Object.assign(terminal, { log: terminal.error, info: terminal.error });
const channel = new ChildChannel(send, answer, Number.POSITIVE_INFINITY);
const reader = new MessageReader(MAX_BYTES);
for await (const chunk of Bun.stdin.stream()) for (const message of reader.push(chunk)) channel.receive(message);
process.exit(0);
