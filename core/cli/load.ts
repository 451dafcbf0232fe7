/**
 * Loads plugins from the lists that an operator names: arguments, the "lectern" block of package.json, or else the shipped list.
 * An invalid list (no file, no plugin, a package that is not installed, code that throws) stops the start with an error that
 * names it. Nothing is downloaded, and no plugin is set up before all lists are loaded.
 */
import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { BootError } from "../errors.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import type { Kind } from "../runtime/grant_kinds.ts";
import { type ShippedPlugins, withoutPlugins } from "../runtime/left_out.ts";
import { checkedBlock } from "../runtime/operator_choices.ts";
import type { PinnedGrants } from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { declaredOnce } from "../runtime/read_once.ts";
import { type AwaitedEntry, isAwaited, type Listed, withExtensions } from "./extend_plugins.ts";
import { type IsolatedChoice, isolatedEntries } from "./isolated_choice.ts";
import { fileOfList, isList, packageVersion, registerExports, runningFile } from "./resolve.ts";

export { isList } from "./resolve.ts";

const SHIPPED_FOLDER = resolve(INSTALL_ROOT, "plugins") + sep;
const SHIPPED = `${SHIPPED_FOLDER}mod.ts`;
/** The file of each plugin that ships, in its folder. */
const SHIPPED_FILE = `${sep}plugin.ts`;

/** A plugin list or a single plugin, by path or package name; an object leaves out some plugins of the list. */
export type ListEntry = string | { readonly from: string; readonly without?: readonly string[] };

/** The operator's choices in the "lectern" block of package.json. */
export interface Choices {
  readonly plugins: readonly ListEntry[];
  /** Settings by plugin name. */
  readonly settings: Readonly<Record<string, Record<string, unknown>>>;
  /** Kinds of grants taken away, by plugin name. */
  readonly denied: Readonly<Record<string, readonly Kind[]>>;
  /** Entries of `plugins` that a plugin loads into processes of their own, with what that is told of each. */
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

/**
 * Loads plugins from their lists; `withExtensions` loads the isolated ones. `rest` are the arguments that are no lists. Throws
 * BootError that names the list.
 */
export async function loadPlugins(
  args: readonly string[],
): Promise<{ plugins: Listed[]; rest: string[]; choices: Choices }> {
  const choices = await readChoices();
  registerExports();
  const lists = listsOf(args, choices);
  const loaded = await Promise.all(lists.map(loaderOf(choices, [...lists, ...choices.plugins])));
  return { plugins: loaded.flat(), rest: args.filter((arg) => !isList(arg)), choices };
}

/** The entries of `given`, or of the choices in package.json, or the shipped list, each with its plugins. Throws BootError that names the list. */
export async function loadEntries(
  env: Readonly<Record<string, string | undefined>>,
  given?: Choices,
): Promise<{ entry: ListEntry; plugins: AnyPlugin[] }[]> {
  registerExports();
  const choices = given ?? (await readChoices());
  const entries: readonly ListEntry[] = choices.plugins.length > 0 ? choices.plugins : ["lectern/plugins"];
  const load = loaderOf(choices, entries);
  const listed = await Promise.all(entries.map(load));
  // What plugins add is of no entry, so that nothing is asked of them where no entry is isolated.
  const isolates = listed.flat().some(isAwaited);
  const all = isolates ? await withExtensions(listed.flat(), { env, settings: choices.settings }) : [];
  const loaded = (one: Listed) =>
    isAwaited(one) ? all.filter(({ isolated }) => isolated?.entry === one.entry) : [one];
  return entries.map((entry, at) => ({ entry, plugins: listed[at]?.flatMap(loaded) ?? [] }));
}

/**
 * The plugins that ship with Lectern. Their list is imported when somebody walks through it: its modules cost a start 0.2 s and 20 MB,
 * which one without them is spared. While no module of theirs is there, no plugin is one of them.
 */
export function shippedPlugins(): ShippedPlugins {
  registerExports();
  return {
    includes: (plugin) => isShippedLoaded() && shippedList().includes(plugin),
    [Symbol.iterator]: () => shippedList()[Symbol.iterator](),
  };
}

/** The list itself; imported by `require`, which is done when it returns. */
function shippedList(): readonly AnyPlugin[] {
  try {
    return checkedPlugins(SHIPPED, require(runningFile(SHIPPED)) as { default?: unknown });
  } catch (cause) {
    throw cause instanceof BootError ? cause : unloadable(SHIPPED, cause);
  }
}

/** Whether a module of a plugin that ships has been imported, by its list or alone. */
function isShippedLoaded(): boolean {
  const running = runningFile(SHIPPED);
  return Object.keys(require.cache).some(
    (file) => file === running || (file.startsWith(SHIPPED_FOLDER) && file.endsWith(SHIPPED_FILE)),
  );
}

/** Environment variables that are gone, by name, with what stands for each (`cli/removed_variables.ts`). */
export async function removedVariables(): Promise<Readonly<Record<string, string>>> {
  // The export of a module of the source.
  const { removedVariables: removed } = (await import(pathToFileURL(`${SHIPPED_FOLDER}removed_variables.ts`).href)) as {
    readonly removedVariables: Readonly<Record<string, string>>;
  };
  return removed;
}

/** The plugins that do not ship with Lectern. */
export function thirdParty(plugins: readonly AnyPlugin[]): AnyPlugin[] {
  const shipped = shippedPlugins();
  return plugins.filter((plugin) => !shipped.includes(plugin));
}

/**
 * Loads entries of "plugins"; one that is isolated is not imported into this process, by whatever name the list has its file.
 * `known` are the entries that "isolated" may name.
 */
function loaderOf({ isolated }: Choices, known: readonly ListEntry[]): (entry: ListEntry) => Promise<Listed[]> {
  const chosen = isolatedEntries(
    isolated,
    known.filter((entry) => typeof entry === "string"),
  );
  const isolatedFiles = new Map([...chosen].map(([entry, options]) => [realFileOf(entry), options]));
  return async (entry) => {
    const { from, without = [] } = typeof entry === "string" ? { from: entry } : entryOf(entry);
    const options = chosen.size === 0 ? undefined : isolatedFiles.get(realFileOf(from));
    if (!options) return withoutPlugins(await loadList(from), without, from);
    if (without.length === 0) return [awaited(from, options)];
    throw new BootError(`Cannot leave out "${without[0]}" of "${from}": an isolated entry holds exactly one plugin`);
  };
}

function realFileOf(list: string): string {
  return realpathSync(foundFile(list));
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

function awaited(entry: string, options: AwaitedEntry["options"]): AwaitedEntry {
  const file = foundFile(entry);
  return { entry, file, options, version: packageVersion(file) };
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
    loaded = (await import(pathToFileURL(runningFile(file)).href)) as { default?: unknown };
  } catch (cause) {
    throw unloadable(list, cause);
  }
  const plugins = checkedPlugins(list, loaded);
  return file === SHIPPED ? plugins : withOrigin(plugins, file);
}

function unloadable(list: string, cause: unknown): BootError {
  return new BootError(`Cannot load the plugins of "${list}": ${reasonOf(cause)}`, { cause });
}

/** What a module of a list exports. Throws BootError for what is no plugin. */
function checkedPlugins(list: string, loaded: { readonly default?: unknown }): AnyPlugin[] {
  const plugins = Array.isArray(loaded.default) ? loaded.default : [loaded.default];
  for (const plugin of plugins) {
    if (!isPlugin(plugin))
      throw new BootError(`Cannot use "${list}": its default export is neither a plugin nor a list of plugins`);
    if (!Array.isArray(plugin.requires))
      throw new BootError(`Cannot use the plugin "${plugin.name}" of "${list}": wrap it in definePlugin`);
  }
  return plugins as AnyPlugin[];
}

/**
 * Plugins with the file of their list, and the version of their package where they have none. Shipped plugins, which a list may
 * contain, stay the same. What only Lectern says of a plugin is left out where the plugin says it of itself.
 */
function withOrigin(plugins: readonly AnyPlugin[], file: string): AnyPlugin[] {
  const version = packageVersion(file);
  const shipped = shippedPlugins();
  return plugins.map((plugin) => {
    if (shipped.includes(plugin)) return plugin;
    const { addedBy: _added, isolated: _isolated, ...own } = plugin;
    return declaredOnce({ ...(version !== undefined && { version }), ...own, listFile: file });
  });
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
