/**
 * Trials: plugins that do not ship are set up in a confined process, without store and network and before anything is changed, to know
 * what they register. All share one process, so one of them could spoil what is recorded of another: what counts in the end is the same
 * comparison at the boot. Isolated plugins run in a process of their own, which the trial cannot start; they are compared at the boot alone.
 */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ConfinedProcess } from "../children/confinement/confined_process.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import type { CommandIo } from "../runtime/command.ts";
import { kindsProblem } from "../runtime/grant_kinds.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import { isOperators, pinOf } from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { isObject, RECORDED_KINDS, type Recorded } from "../runtime/recorded.ts";
import { printable } from "../std/printable.ts";
import type { Choices } from "./load.ts";

/** The environment and the settings that plugins are set up with. */
export interface Given {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Choices["settings"];
}

/** What the process of a trial is sent. */
export interface TrialOrder {
  /** The files of lists with plugins that do not ship. */
  readonly lists: readonly string[];
  /** The plugins to set up. */
  readonly names: readonly string[];
  readonly given: Given;
  /** The same without what the operator set for plugins that do not ship; absent where that is nothing. */
  readonly byDefault?: Given | undefined;
  readonly denied: Choices["denied"];
}

/** What the process of a trial answers. */
export interface TrialResult {
  /** What plugins registered, by name. */
  readonly recorded: Readonly<Record<string, Recorded>>;
  /** The same with the settings' defaults. */
  readonly byDefault?: Readonly<Record<string, Recorded>>;
  /** Why the setup of plugins failed, by name: what they registered before is recorded. */
  readonly problems: Readonly<Record<string, string>>;
  /** Why further plugins were not set up. */
  readonly stopped?: string;
}

/** What is known of plugins after a trial. */
export interface Trial {
  readonly recorded: ReadonlyMap<string, Recorded>;
  /** What they register by default settings, where the operator gave others. */
  readonly byDefault: ReadonlyMap<string, Recorded>;
  /** Why what is recorded of a plugin may lack something; of each plugin without an entry it is whole. */
  readonly problems: ReadonlyMap<string, string>;
}

const MAIN = join(import.meta.dir, "trial_main.ts");
/** Milliseconds for all setups together: those that take longer are recorded at the boot. */
const LIMIT_MS = 30_000;
const LIMITS = { maxBytes: 2 ** 30, maxMessageBytes: 2 ** 22 };
const MAX_TEXT = 300;
/** Variables of Lectern that setups depend on, beside those of the plugins. */
const COMMON = ["APP_URL", "HOST", "PORT", "APP_NAME", "APP_LANG"];

/** Sets plugins up in a confined process. `others` are those that do not ship. Never rejects: what fails is a problem of each of them. */
export async function trialOf(
  plugins: readonly AnyPlugin[],
  others: readonly AnyPlugin[],
  { settings, denied }: Choices,
  { env }: Pick<CommandIo, "env">,
): Promise<Trial> {
  const tried = others.filter((plugin) => canTry(plugin, others));
  const names = plugins.filter((plugin) => tried.includes(plugin) || !others.includes(plugin)).map(({ name }) => name);
  const lists = [...new Set(tried.flatMap(({ listFile }) => listFile ?? []))];
  const variables = tried.flatMap(variablesOf);
  const common = { env: pick(env, COMMON), settings: without(settings, tried) };
  const given = { env: pick(env, [...COMMON, ...variables]), settings };
  const isChanged =
    Object.keys(given.env).length > Object.keys(common.env).length || tried.some(({ name }) => settings[name]);
  const order: TrialOrder = { lists, names, given, denied, ...(isChanged && { byDefault: common }) };
  const result = await answerTo(order, readable(lists)).catch((error: Error) => ({
    ...{ recorded: {}, problems: {} },
    stopped: error.message,
  }));
  return trialFrom(result, others);
}

/** The trial of the plugins that are pinned, before a start; undefined where there is none to compare. */
export async function trialOfPinned(
  plugins: readonly AnyPlugin[],
  others: readonly AnyPlugin[],
  choices: Choices,
  io: Pick<CommandIo, "env">,
): Promise<Trial | undefined> {
  const pinned = others.some((plugin) => pinOf(choices.grants, plugin.name) && canTry(plugin, others));
  return pinned ? trialOf(plugins, others, choices, io) : undefined;
}

/** Whether a plugin that does not ship can be set up in the process of a trial. The operator's own code needs no acceptance. */
function canTry(plugin: AnyPlugin, others: readonly AnyPlugin[]): boolean {
  return plugin.isolated === undefined && plugin.listFile !== undefined && !isOperators(plugin, others);
}

/** Files that the process may read. Nothing leaves it but names, which the operator is shown. */
function readable(lists: readonly string[]): string[] {
  // Of the npm package the libraries are beside it.
  const own = basename(dirname(INSTALL_ROOT)) === "node_modules" ? dirname(INSTALL_ROOT) : INSTALL_ROOT;
  const folders = [own, process.cwd(), ...lists.map((file) => packageFolder(realpathSync(file)))];
  return [...new Set(folders)];
}

/** The folder with the packages that a file can import, else its own. */
function packageFolder(file: string): string {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, "node_modules"))) return at;
  return dirname(file);
}

function answerTo(order: TrialOrder, files: readonly string[]): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const child = new ConfinedProcess(
    { main: MAIN, readable: files, listable: ["/"], unenforced: false, modules: {} },
    LIMITS,
    {
      receive: resolve,
      ended: (reason) => reject(new Error(reason)),
    },
  );
  child.keepAlive(true);
  const late = setTimeout(() => child.kill(`it did not end within ${LIMIT_MS} ms`), LIMIT_MS);
  const send = (enforced: Awaited<typeof child.enforcement>) => {
    if ("missing" in enforced) reject(new Error(`${enforced.missing}, so no process can be confined`));
    child.send(order);
  };
  child.enforcement.then(send).catch(reject);
  return promise.finally(() => {
    clearTimeout(late);
    child.kill("the trial is over");
  });
}

/** What the process answered, checked: it ran code that nobody has accepted. */
export function trialFrom(answer: unknown, others: readonly AnyPlugin[]): Trial {
  const { recorded, byDefault, problems, stopped }: Partial<Record<keyof TrialResult, unknown>> = Object(answer);
  const found = recordsOf(recorded);
  const said = isObject(problems) ? problems : {};
  const reasons = others.flatMap(({ name, isolated }): [string, string][] => {
    const own: unknown = Object.hasOwn(said, name) ? Reflect.get(said, name) : undefined;
    if (own !== undefined) return [[name, `its setup fails without store and network: ${shortText(own)}`]];
    if (found.has(name)) return [];
    return [[name, isolated === undefined ? shortText(stopped ?? "it was not set up") : "it is isolated"]];
  });
  return { recorded: found, byDefault: recordsOf(byDefault), problems: new Map(reasons) };
}

function recordsOf(given: unknown): Map<string, Recorded> {
  const entries = isObject(given) ? Object.entries(given) : [];
  return new Map(
    entries.filter(([, value]) => kindsProblem(value, RECORDED_KINDS) === undefined) as [string, Recorded][],
  );
}

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printable(text.replace(/\s+/g, " ")).slice(0, MAX_TEXT);
}

function pick(env: Given["env"], names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function without(settings: Choices["settings"], plugins: readonly AnyPlugin[]): Choices["settings"] {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !plugins.some((one) => one.name === name)));
}
