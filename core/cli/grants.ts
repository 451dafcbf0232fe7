/**
 * The command `grants`: shows the grants of plugins and what they register, and accepts both of plugins that do not ship, by writing
 * them to `lectern.grants` in package.json (`runtime/pins.ts`). What they register is found out by a trial (`trial.ts`); the store's
 * server is asked whether it enforces their tables.
 */
import { resolve } from "node:path";
import { BootError } from "../errors.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import type { CommandIo } from "../runtime/command.ts";
import { checkGrants } from "../runtime/grant_kinds.ts";
import { checkChoices, checkVariables } from "../runtime/operator_choices.ts";
import { beyondPin, checkPinShape, declaredGrants, gonePins, isOperators, pinnedAs, pinOf } from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { checkPluginKeys } from "../runtime/plugin_keys.ts";
import { programName } from "../runtime/program_name.ts";
import { beyondRecorded, type Recorded } from "../runtime/recorded.ts";
import { versionLines } from "../runtime/versions.ts";
import { closestMatch } from "../std/closest_match.ts";
import { printable } from "../std/printable.ts";
import { enforcementNote, factsInWords, grantsInWords, grantsLines } from "./grants_text.ts";
import { type Asked, type KnownEnforcement, knownEnforcement } from "./known_enforcement.ts";
import { type Choices, readChoices, shippedPlugins, thirdParty } from "./load.ts";
import { withLook } from "./look.ts";
import { writeLecternKey } from "./package_file.ts";
import { type Trial, trialOf } from "./trial.ts";

/** The words after the command's name. */
export const GRANTS_USAGE = "[NAME …] [--json] | accept [NAME …]";

/** Runs `grants`. Returns the exit code. */
export async function grantsCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const choices = await readChoices();
  checkPluginKeys(plugins);
  checkGrants(plugins);
  checkVariables(plugins);
  checkChoices(plugins, choices);
  if (choices.grants) checkPinShape(choices.grants);
  const [first, ...names] = args;
  if (first === "accept") return accept(plugins, choices, io, names);
  const options = args.filter((arg) => arg.startsWith("-"));
  const other = options.find((option) => option !== "--json");
  if (other !== undefined) {
    io.err(`Cannot run "grants" with "${other}": wanted ${GRANTS_USAGE}`);
    return 2;
  }
  const wanted = named(
    plugins,
    args.filter((arg) => !arg.startsWith("-")),
  );
  const others = thirdParty(plugins);
  const asked: Asked = { choices, others, plugins: wanted ?? inBootOrder(plugins, shippedPlugins()) };
  const trial = await trialOf(plugins, others, choices, io);
  const shown: Shown = { ...asked, trial, enforcementOf: await knownEnforcement(asked, io) };
  if (options.length > 0) io.out(jsonOf(shown));
  else for (const line of [...linesOf(shown, wanted !== undefined), ...versionLines(shown.plugins)]) io.out(line);
  if (wanted === undefined && options.length === 0)
    for (const name of gonePins(choices.grants, plugins))
      io.out(`The grants of "${name}" are accepted in package.json, and no such plugin is loaded`);
  return 0;
}

/** What `serve` says once about third-party plugins whose grants are not pinned; undefined if all are. */
export function pinHint(others: readonly AnyPlugin[], { grants }: Choices): string | undefined {
  const open = others
    .filter((plugin) => !isOperators(plugin, others) && !pinOf(grants, plugin.name))
    .map(({ name }) => name);
  if (open.length === 0) return undefined;
  return `To be asked before an upgrade of ${open.map((name) => `"${name}"`).join(", ")} gets more: ${programName()} grants accept`;
}

interface Shown extends Asked {
  readonly trial: Trial;
  enforcementOf(plugin: AnyPlugin): KnownEnforcement;
}

function linesOf({ plugins, others, choices, trial, enforcementOf }: Shown, inWords: boolean): string[] {
  return plugins.flatMap((plugin) => {
    const of = { plugin, denied: choices.denied[plugin.name] ?? [], recorded: trial.recorded.get(plugin.name) ?? {} };
    const enforcement = enforcementOf(plugin);
    const note = inWords ? enforcementNote(enforcement) : "";
    const lines = inWords ? grantsInWords(of) : grantsLines(of, enforcement);
    const indent = inWords ? "  " : " ".repeat(17);
    return [
      ...lines,
      ...(note === "" ? [] : [note]),
      ...[...trialLines(plugin, trial), ...pinLines(plugin, others, choices, of.recorded)].map((line) => indent + line),
    ];
  });
}

/** What is not known of what a plugin registers, and what depends on the settings that the operator gave. */
function trialLines({ name }: AnyPlugin, { recorded, byDefault, problems }: Trial): string[] {
  const problem = problems.get(name);
  const [own = {}, plain] = [recorded.get(name), byDefault.get(name)];
  const more = plain ? beyondRecorded(own, plain) : [];
  const less = plain ? beyondRecorded(plain, own) : [];
  return [
    ...(problem === undefined ? [] : [`what it registers is not known as a whole: ${problem}`]),
    ...(more.length === 0 ? [] : ["by the settings that are given:", ...more.map((line) => `  ${printable(line)}`)]),
    ...(less.length === 0 ? [] : ["by default settings alone:", ...less.map((line) => `  ${printable(line)}`)]),
  ];
}

/** The state of a plugin's pin as text: of pinned plugins, and of third-party ones. */
function pinLines(
  plugin: AnyPlugin,
  others: readonly AnyPlugin[],
  { grants, denied }: Choices,
  recorded: Recorded,
): string[] {
  const pinned = pinOf(grants, plugin.name);
  if (!pinned) return others.includes(plugin) && !isOperators(plugin, others) ? ["not accepted in package.json"] : [];
  const more = beyondPin(plugin, pinned, recorded, denied[plugin.name]);
  return more.length === 0
    ? ["accepted in package.json"]
    : ["more than accepted in package.json:", ...more.map((line) => `  ${printable(line)}`)];
}

function jsonOf({ plugins, others, choices: { denied, grants }, trial, enforcementOf }: Shown): string {
  const entries = plugins.map((plugin) => {
    const recorded = trial.recorded.get(plugin.name) ?? {};
    const pinned = pinOf(grants, plugin.name);
    const state = pinned ? { accepted: pinned, beyond: beyondPin(plugin, pinned, recorded, denied[plugin.name]) } : {};
    const facts = {
      ships: !others.includes(plugin),
      grants: { ...declaredGrants(plugin), ...recorded },
      denied: denied[plugin.name] ?? [],
    };
    const { isWanted, isUnknown, reason } = enforcementOf(plugin);
    const tables = isWanted ? { enforced: isUnknown ? null : reason === undefined, notEnforced: reason } : {};
    const problem = trial.problems.get(plugin.name);
    return [plugin.name, { ...facts, ...tables, ...state, ...(problem !== undefined && { notRecorded: problem }) }];
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

async function accept(
  plugins: readonly AnyPlugin[],
  choices: Choices,
  io: CommandIo,
  names: readonly string[],
): Promise<number> {
  const others = thirdParty(plugins);
  const chosen = named(plugins, names) ?? others.filter((plugin) => !isOperators(plugin, others));
  if (chosen.length === 0) {
    io.err("There is nothing to accept: all plugins ship with Lectern");
    return 1;
  }
  const recorded = await wholeRecords(plugins, chosen, choices, io);
  const of = (plugin: AnyPlugin) => ({ plugin, denied: [], recorded: recorded.get(plugin.name) ?? {} });
  const pins = pinnedAs(
    choices.grants,
    chosen.map((plugin) => [plugin, of(plugin).recorded]),
  );
  writeLecternKey(resolve("package.json"), "grants", pins);
  for (const plugin of chosen)
    for (const line of [...grantsInWords(of(plugin)), ...factsInWords(of(plugin))]) io.out(line);
  io.out(`Accepted in package.json: ${chosen.map(({ name }) => name).join(", ")}`);
  return 0;
}

/**
 * What plugins register as a whole: by a trial, and where that does not tell all, as for isolated plugins, by a boot over a temporary
 * store, as `plan` shows it.
 */
export async function wholeRecords(
  plugins: readonly AnyPlugin[],
  chosen: readonly AnyPlugin[],
  choices: Choices,
  io: CommandIo,
): Promise<ReadonlyMap<string, Recorded>> {
  const trial = await trialOf(plugins, thirdParty(plugins), choices, io);
  const unknown = ({ name }: AnyPlugin) => (trial.recorded.has(name) ? [] : "it was not set up");
  const [problem] = chosen.flatMap((plugin) => trial.problems.get(plugin.name) ?? unknown(plugin));
  if (problem === undefined) return trial.recorded;
  io.err(`Set up over a temporary store, since a trial does not tell all: ${problem}`);
  return withLook(plugins, io, { isStart: false }, async ({ runtime }) => {
    return new Map(runtime.booted.map(({ plugin, recorded }) => [plugin.name, recorded]));
  });
}

/** Plugins by their names; undefined without names. Throws BootError for an unknown one. */
function named(plugins: readonly AnyPlugin[], names: readonly string[]): AnyPlugin[] | undefined {
  if (names.length === 0) return undefined;
  return names.map((name) => {
    const found = plugins.find((plugin) => plugin.name === name);
    if (found) return found;
    const near = closestMatch(
      name,
      plugins.map((plugin) => plugin.name),
    );
    throw new BootError(`There is no plugin "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`);
  });
}
