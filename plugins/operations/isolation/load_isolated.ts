/** Loads a plugin isolated: finds what its process may read, starts that, and makes the plugin for the runtime. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type AnyPlugin, BootError } from "lectern/core";
import { IsolatedHost } from "./isolated_host.ts";
import { IsolatedPlugin } from "./isolated_plugin.ts";
import type { Limits } from "./limits.ts";

/** What to load. */
export interface IsolatedSource {
  /** The entry of "plugins". */
  readonly entry: string;
  /** The file of the plugin. */
  readonly file: string;
  readonly limits: Limits;
  /** The operator's folder, which the plugin must not be able to read. */
  readonly operator: string;
}

/** A loaded plugin, and the host of its process. */
export interface LoadedIsolated {
  readonly plugin: AnyPlugin;
  readonly host: IsolatedHost;
}

/** Starts the process of a plugin. Throws BootError that names the entry. */
export async function loadIsolated({ entry, file, limits, operator }: IsolatedSource): Promise<LoadedIsolated> {
  const path = realpathSync(file);
  const plugin = new IsolatedPlugin(entry, limits);
  const host = new IsolatedHost({
    entry,
    limits,
    load: { file: path, calls: limits.calls },
    readable: [import.meta.dir, folderOf(entry, path, operator)],
    started: (manifest) => plugin.started(manifest),
    answer: (call) => plugin.answer(call),
  });
  try {
    await host.start();
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : cause;
    throw new BootError(`Cannot load the isolated plugin "${entry}": ${String(reason)}`, { cause });
  }
  return { plugin: plugin.pluginOf(host, path), host };
}

/** The folder of a plugin: that of its package, else that of its file. Throws BootError for one that holds the operator's. */
function folderOf(entry: string, file: string, operator: string): string {
  let folder = dirname(file);
  for (let at = folder; at !== dirname(at) && at.includes(`${sep}node_modules${sep}`); at = dirname(at))
    if (existsSync(join(at, "package.json"))) {
      folder = at;
      break;
    }
  if (`${realpathSync(operator)}${sep}`.startsWith(`${folder}${sep}`))
    throw new BootError(
      `Cannot isolate "${entry}": put it into a folder of its own, as it may read the folder it is in`,
    );
  return folder;
}
