/**
 * Loads plugins from the lists that an operator names: arguments, the "lectern" block of package.json, or else the shipped list.
 * An invalid list (no file, no plugin, a package that is not installed, code that throws) stops the start with an error that
 * names it. Nothing is downloaded, and no plugin is set up before all lists are loaded.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BootError } from "../errors.ts";
import { type IsolatedChoice, isolatedEntries, type Limits } from "../isolated/isolation_choices.ts";
import { loadIsolated } from "../isolated/load_isolated.ts";
import { withoutPlugins } from "../runtime/left_out.ts";
import { checkedBlock } from "../runtime/operator_choices.ts";
import type { PinnedGrants } from "../runtime/pins.ts";
import type { AnyPlugin, Grants } from "../runtime/plugin.ts";
import { fileOfList, INSTALL_ROOT, isList, packageVersion, registerExports } from "./resolve.ts";

export { isList } from "./resolve.ts";

const SHIPPED = resolve(INSTALL_ROOT, "plugins/mod.ts");

/** A plugin list or a single plugin, by path or package name; an object leaves out some plugins of the list. */
export type ListEntry = string | { readonly from: string; readonly without?: readonly string[] };

/** The operator's choices in the "lectern" block of package.json. */
export interface Choices {
  readonly plugins: readonly ListEntry[];
  /** Settings by plugin name. */
  readonly settings: Readonly<Record<string, Record<string, unknown>>>;
  /** Kinds of grants taken away, by plugin name. */
  readonly denied: Readonly<Record<string, readonly (keyof Grants)[]>>;
  /** Entries of `plugins` that run in a process of their own, and its limits. */
  readonly isolated?: IsolatedChoice | undefined;
  /** Accepted grants by plugin name. */
  readonly grants?: PinnedGrants | undefined;
}

/** The keys of the block; every other one is misspelt. */
const KEYS: Readonly<Record<keyof Choices, "list" | "object" | "list or object">> = {
  plugins: "list",
  settings: "object",
  denied: "object",
  isolated: "list or object",
  grants: "object",
};

/** Reads the "lectern" block of the package.json in a folder; empty choices if there is none. Throws BootError for other keys. */
export async function readChoices(folder = process.cwd()): Promise<Choices> {
  const file = Bun.file(resolve(folder, "package.json"));
  const { lectern = {} } = (await file.exists()) ? ((await file.json()) as { lectern?: unknown }) : {};
  const block = checkedBlock<Choices>(lectern, KEYS);
  const { plugins = [], settings = {}, denied = {}, isolated, grants } = block;
  return { plugins, settings, denied, isolated, grants };
}

/** The plugin lists among the arguments (.ts, .js, .mjs), else those of package.json, else the shipped list. */
export function listsOf(args: readonly string[], choices: Choices): readonly ListEntry[] {
  const lists = args.filter(isList);
  if (lists.length > 0) return lists;
  return choices.plugins.length > 0 ? choices.plugins : [SHIPPED];
}

/** Loads plugins from their lists. `rest` are the arguments that are no lists. Throws BootError that names the list. */
export async function loadPlugins(
  args: readonly string[],
): Promise<{ plugins: AnyPlugin[]; rest: string[]; choices: Choices }> {
  const choices = await readChoices();
  registerExports();
  const lists = listsOf(args, choices);
  const isolated = isolatedEntries(choices.isolated, [...lists, ...choices.plugins].filter(isName));
  const load = (entry: ListEntry) => loadEntry(entry, isName(entry) ? isolated.get(entry) : undefined);
  const loaded = await Promise.all(lists.map(load));
  return { plugins: loaded.flat(), rest: args.filter((arg) => !isList(arg)), choices };
}

/** The entries of the choices in package.json, or the shipped list, each with its plugins. Throws BootError that names the list. */
export async function loadEntries(): Promise<{ entry: ListEntry; plugins: AnyPlugin[] }[]> {
  registerExports();
  const choices = await readChoices();
  const entries: readonly ListEntry[] = choices.plugins.length > 0 ? choices.plugins : ["lectern/plugins"];
  const isolated = isolatedEntries(choices.isolated, entries.filter(isName));
  return Promise.all(
    entries.map(async (entry) => ({
      entry,
      plugins: await loadEntry(entry, isName(entry) ? isolated.get(entry) : undefined),
    })),
  );
}

/** The plugins that ship with Lectern. */
export function shippedPlugins(): Promise<AnyPlugin[]> {
  registerExports();
  return loadList(SHIPPED);
}

/** The plugins that do not ship with Lectern. */
export async function thirdParty(plugins: readonly AnyPlugin[]): Promise<AnyPlugin[]> {
  const shipped = await shippedPlugins();
  return plugins.filter((plugin) => !shipped.includes(plugin));
}

/** Loads an entry of "plugins"; one that is isolated is not imported into this process. */
async function loadEntry(entry: ListEntry, limits: Limits | undefined): Promise<AnyPlugin[]> {
  if (typeof entry === "string") return limits ? isolatedPlugin(entry, limits) : loadList(entry);
  const { from, without = [] } = entryOf(entry);
  return withoutPlugins(await loadList(from), without, from);
}

/** Checks an entry of "plugins" that is no text. Throws BootError. */
function entryOf(entry: unknown): Exclude<ListEntry, string> {
  const wanted = 'wanted a path, a package, or {"from": "lectern/plugins", "without": ["mail"]}';
  const fail = (what: string) =>
    new BootError(`Cannot use the "lectern" block of package.json: ${what} in "plugins"; ${wanted}`);
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) throw fail(`found ${JSON.stringify(entry)}`);
  const odd = Object.keys(entry).find((key) => key !== "from" && key !== "without");
  if (odd !== undefined) throw fail(`found the key "${odd}"`);
  const { from, without = [] } = entry as { from?: unknown; without?: unknown };
  if (typeof from !== "string") throw fail('found an entry without a text "from"');
  if (!Array.isArray(without) || !without.every((name) => typeof name === "string"))
    throw fail('found a "without" that is no list of names');
  return { from, without };
}

async function isolatedPlugin(entry: string, limits: Limits): Promise<AnyPlugin[]> {
  const file = foundFile(entry);
  const place = { file, root: INSTALL_ROOT, operator: process.cwd() };
  return withVersions([(await loadIsolated({ entry, limits, ...place })).plugin], file);
}

function isName(entry: ListEntry): entry is string {
  return typeof entry === "string";
}

function foundFile(list: string): string {
  const file = fileOfList(list);
  if (file !== undefined) return file;
  throw new BootError(`Cannot load the plugins of "${list}": wanted a file, a folder with a plugin.ts or a package`);
}

async function loadList(list: string): Promise<AnyPlugin[]> {
  const file = foundFile(list);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (cause) {
    throw new BootError(`Cannot load the plugins of "${list}": ${reasonOf(cause)}`, { cause });
  }
  const plugins = Array.isArray(loaded.default) ? loaded.default : [loaded.default];
  for (const plugin of plugins) {
    if (!isPlugin(plugin))
      throw new BootError(`Cannot use "${list}": its default export is neither a plugin nor a list of plugins`);
    if (!Array.isArray(plugin.requires))
      throw new BootError(`Cannot use the plugin "${plugin.name}" of "${list}": wrap it in definePlugin`);
  }
  return file === SHIPPED ? (plugins as AnyPlugin[]) : withVersions(plugins as AnyPlugin[], file);
}

/** Plugins with the version of their package where they have none; shipped plugins, which a list may contain, stay the same. */
async function withVersions(plugins: readonly AnyPlugin[], file: string): Promise<AnyPlugin[]> {
  const version = packageVersion(file);
  if (version === undefined) return [...plugins];
  const shipped = await shippedPlugins();
  return plugins.map((plugin) => (shipped.includes(plugin) ? plugin : { version, ...plugin }));
}

function isPlugin(value: unknown): value is AnyPlugin {
  return (
    typeof value === "object" &&
    value !== null &&
    "setup" in value &&
    typeof value.setup === "function" &&
    "name" in value
  );
}

/** The message and position of an error: syntax errors have a position, thrown errors a stack. */
function reasonOf(cause: unknown): string {
  const first = (cause as { errors?: unknown[] }).errors?.[0] ?? cause;
  if (typeof first !== "object" || first === null || !("message" in first)) return String(first);
  const { message, position, stack } = first as {
    message: string;
    position?: { file: string; line: number } | null;
    stack?: string;
  };
  const thrown = /\bat [^\n]*?([^\s(]+:\d+):\d+/.exec(stack ?? "")?.[1];
  const place = position ? `${position.file}:${position.line}` : thrown;
  return place === undefined ? message : `${message} (${place})`;
}
