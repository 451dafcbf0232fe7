/**
 * `plugin list` shows the installed plugins and those that left data; `plugin add` takes one into package.json (`add_plugin.ts`);
 * `plugin remove NAME` takes one out of it, and with `--purge` deletes its data too. Everything that could prevent it is checked before
 * anything changes.
 */
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { type Db, dropPluginRole, hasStore, migrate, openStore } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import type { CommandIo } from "../runtime/command.ts";
import { coreMigrations } from "../runtime/migrations.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { closestMatch } from "../std/closest_match.ts";
import { addPlugin } from "./add_plugin.ts";
import { loadEntries, shippedPlugins } from "./load.ts";
import { openRuntime, readConfig, storeOptions } from "./open.ts";
import { entriesWithout, type LoadedEntry, removeFromPackage } from "./plugin_choices.ts";
import { type Leftovers, leftoversOf, purgePlugin, reasonsToKeep } from "./purge_plugin.ts";

/** The forms of the command. */
export const PLUGIN_USAGE = "list | add FILE|PACKAGE [--isolate] [--yes] | remove NAME [--purge [--yes]]";

/** What the command works with. */
interface Setting {
  readonly loaded: readonly LoadedEntry[];
  readonly installed: readonly AnyPlugin[];
  readonly shipped: readonly AnyPlugin[];
}

/** Runs the command. Returns the exit code. Throws BootError for what cannot be removed. */
export async function pluginCommand(io: CommandIo, args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args;
  const parsed = optionsOf(rest);
  const [name, ...more] = parsed?.positionals ?? [];
  const { purge = false, yes = false, isolate } = parsed?.values ?? {};
  const isList = verb === "list" && rest.length === 0;
  const isOne = name !== undefined && more.length === 0;
  if (verb === "add" && isOne && !purge) return addPlugin(io, name, { isolate, yes });
  const isRemove = verb === "remove" && isOne && (purge || !yes) && isolate === undefined;
  if (!isList && !isRemove) {
    io.err(`Usage: plugin ${PLUGIN_USAGE.replaceAll(" | ", " | plugin ")}`);
    return 2;
  }
  const loaded = await loadEntries(io.env);
  const shipped = [...shippedPlugins()];
  const setting = { loaded, shipped, installed: loaded.flatMap(({ plugins }) => plugins) };
  return isRemove ? remove(io, setting, name, { purge, yes }) : list(io, setting);
}

function optionsOf(args: readonly string[]) {
  try {
    const options = { purge: { type: "boolean" }, yes: { type: "boolean" }, isolate: { type: "boolean" } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    return undefined;
  }
}

async function list(io: CommandIo, { installed, shipped }: Setting): Promise<number> {
  const found = await withStore(io, (db) => leftoversOf(db, [...installed, ...shipped]));
  for (const plugin of installed) {
    const origin = shipped.includes(plugin) ? "ships with Lectern" : "installed";
    io.out(lineOf(plugin.name, plugin.version, origin));
  }
  for (const each of found ?? []) {
    if (installed.some(({ name }) => name === each.name)) continue;
    io.out(lineOf(each.name, each.version, `left over: ${heldBy(each)}`));
  }
  return 0;
}

function lineOf(name: string, version: string | undefined, state: string): string {
  return `${name.padEnd(20)} ${(version ?? "-").padEnd(10)} ${state}`;
}

/** What a plugin left, in words. */
function heldBy({ tables, likelyTables, objects, hasLedger, jobs, kinds, permissions }: Leftovers): string {
  const named = (what: string, names: readonly string[]) => (names.length > 0 ? [`${what} ${names.join(", ")}`] : []);
  const kindNames = kinds.map(({ kind }) => kind);
  const parts = [
    ...named("tables", tables),
    ...named("by its grants, though not recorded, tables", likelyTables),
    ...named(
      "of the schema",
      objects.map(({ type, identity }) => `${type} ${identity}`),
    ),
    ...named("items of the kinds", kindNames),
    ...named("jobs", jobs),
    ...named("permissions in roles", permissions),
    ...(hasLedger ? ["its ledger"] : []),
  ];
  return [...parts, "its files"].join("; ");
}

async function remove(
  io: CommandIo,
  setting: Setting,
  name: string,
  { purge, yes }: { readonly purge: boolean; readonly yes: boolean },
): Promise<number> {
  const { installed, shipped, loaded } = setting;
  const target = installed.find((plugin) => plugin.name === name);
  const others = installed.filter((plugin) => plugin !== target);
  const left = await withStore(io, async (db) => {
    const all = await leftoversOf(db, [...new Set([...installed, ...shipped])]);
    const own = all.find((each) => each.name === name);
    const reasons = purge && own ? await reasonsToKeep(db, [...own.tables, ...own.likelyTables], others) : [];
    return { all, own, reasons };
  });
  const own = left?.own;
  if (!target && !own) throw unknownPlugin(name, [...installed, ...(left?.all ?? [])]);
  if (purge && shipped.some((plugin) => plugin.name === name))
    throw new BootError(`Cannot purge "${name}": it ships with Lectern, whose data is never dropped`);
  if (target) checkOthers(name, others, shipped);
  const [reason] = left?.reasons ?? [];
  if (reason !== undefined) throw new BootError(`Cannot purge "${name}": ${reason}`);
  if (purge && own && !(yes || (await isConfirmed(io, own)))) {
    io.err(`Nothing is removed: type the name "${name}", or add --yes`);
    return 1;
  }
  if (target) {
    removeFromPackage(resolve("package.json"), name, entriesWithout(loaded, name));
    io.out(`"${name}" is no longer in the plugins of package.json; a running server has it until it restarts`);
  }
  if (!own) return 0;
  const isRoleGone = await withStore(io, (db) => dropPluginRole(db, name).catch(() => false));
  if (isRoleGone === false)
    io.err(
      `The database role of "${name}" stays without rights: another database of the server uses it, or the account may not drop it`,
    );
  if (!purge) {
    const isShipped = shipped.some((plugin) => plugin.name === name);
    io.out(`It leaves ${heldBy(own)}. ${isShipped ? backAgain(name) : `"plugin remove ${name} --purge" deletes that`}`);
    return 0;
  }
  await purgeOver(io, others, own);
  io.out(`Deleted: ${heldBy(own)}`);
  return 0;
}

/** How a shipped plugin, whose data is never dropped, gets it back. */
function backAgain(name: string): string {
  return `Take "${name}" out of "without" in package.json to have it again`;
}

async function purgeOver(io: CommandIo, others: readonly AnyPlugin[], own: Leftovers): Promise<void> {
  const { runtime } = await openRuntime(others, { ...io, env: { LOG_LEVEL: "warn", ...io.env } });
  try {
    await withStore(io, (db) => purgePlugin(runtime, db, own));
  } finally {
    await runtime.stop();
  }
}

function unknownPlugin(name: string, known: readonly { readonly name: string }[]): BootError {
  const near = closestMatch(
    name,
    known.map((each) => each.name),
  );
  return new BootError(
    `Cannot remove "${name}": no such plugin is installed or has left data${near === undefined ? "" : `; did you mean "${near}"?`}`,
  );
}

/** Checks that the other plugins do without this one. Throws BootError that names who does not. */
function checkOthers(name: string, others: readonly AnyPlugin[], shipped: readonly AnyPlugin[]): void {
  try {
    inBootOrder(others, shipped);
  } catch (cause) {
    if (!(cause instanceof BootError)) throw cause;
    throw new BootError(`Cannot remove "${name}": ${cause.message}`, { cause });
  }
}

async function isConfirmed(io: CommandIo, own: Leftovers): Promise<boolean> {
  io.out(`This deletes, and nothing brings it back: ${heldBy(own)}`);
  if (!io.tty) return false;
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await input.question(`Type "${own.name}" to go on: `)) === own.name;
  } finally {
    input.close();
  }
}

/** Runs work over the store; undefined where there is none yet. The record of plugins is created where an older version left none. */
async function withStore<T>(io: CommandIo, work: (db: Db) => Promise<T>): Promise<T | undefined> {
  const shipped = [...shippedPlugins()];
  const options = storeOptions(readConfig(io, shipped), shipped, io);
  if (!(await hasStore(options))) return undefined;
  const store = await openStore(options);
  try {
    await migrate(store.db, "core", coreMigrations);
    return await work(store.db);
  } finally {
    await store.close();
  }
}
