/**
 * The command `grants`: shows the grants of plugins, and accepts those of plugins that do not ship, by writing them to
 * `lectern.grants` in package.json (`runtime/pins.ts`). Nothing boots; the store's server is asked whether it enforces them.
 */
import { resolve } from "node:path";
import { BootError } from "../errors.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import type { CommandIo } from "../runtime/command.ts";
import { checkChoices, checkVariables } from "../runtime/operator_choices.ts";
import {
  beyondPin,
  checkPinShape,
  declaredGrants,
  gonePins,
  isOperators,
  PINS_VERSION,
  pinFor,
  pinOf,
} from "../runtime/pins.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { checkPluginKeys } from "../runtime/plugin_keys.ts";
import { checkGrants } from "../runtime/powers.ts";
import { programName } from "../runtime/program_name.ts";
import { versionLines } from "../runtime/versions.ts";
import { closestMatch } from "../std/closest_match.ts";
import { enforcementNote, grantsInWords, grantsLines } from "./grants_text.ts";
import { type Asked, type KnownEnforcement, knownEnforcement } from "./known_enforcement.ts";
import { type Choices, readChoices, shippedPlugins, thirdParty } from "./load.ts";
import { writeLecternKey } from "./package_file.ts";

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
  const asked: Asked = {
    choices,
    others: await thirdParty(plugins),
    plugins: wanted ?? inBootOrder(plugins, await shippedPlugins()),
  };
  const shown: Shown = { ...asked, enforcementOf: await knownEnforcement(asked, io) };
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
  enforcementOf(plugin: AnyPlugin): KnownEnforcement;
}

function linesOf({ plugins, others, choices, enforcementOf }: Shown, inWords: boolean): string[] {
  return plugins.flatMap((plugin) => {
    const denied = choices.denied[plugin.name] ?? [];
    const enforcement = enforcementOf(plugin);
    const note = inWords ? enforcementNote(enforcement) : "";
    const lines = inWords ? grantsInWords(plugin, denied) : grantsLines(plugin, denied, enforcement);
    const indent = inWords ? "  " : " ".repeat(17);
    return [
      ...lines,
      ...(note === "" ? [] : [note]),
      ...pinLines(plugin, others, choices).map((line) => indent + line),
    ];
  });
}

/** The state of a plugin's pin as text: of pinned plugins, and of third-party ones. */
function pinLines(plugin: AnyPlugin, others: readonly AnyPlugin[], { grants, denied }: Choices): string[] {
  const pinned = pinOf(grants, plugin.name);
  if (!pinned) return others.includes(plugin) && !isOperators(plugin, others) ? ["not accepted in package.json"] : [];
  const more = beyondPin(plugin, pinned, denied[plugin.name]);
  return more.length === 0
    ? ["accepted in package.json"]
    : ["more than accepted in package.json:", ...more.map((line) => `  ${line}`)];
}

function jsonOf({ plugins, others, choices: { denied, grants }, enforcementOf }: Shown): string {
  const entries = plugins.map((plugin) => {
    const pinned = pinOf(grants, plugin.name);
    const state = pinned ? { accepted: pinned, beyond: beyondPin(plugin, pinned, denied[plugin.name]) } : {};
    const facts = {
      ships: !others.includes(plugin),
      grants: declaredGrants(plugin),
      denied: denied[plugin.name] ?? [],
    };
    const { isWanted, isUnknown, reason } = enforcementOf(plugin);
    const tables = isWanted ? { enforced: isUnknown ? null : reason === undefined, notEnforced: reason } : {};
    return [plugin.name, { ...facts, ...tables, ...state }];
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

async function accept(
  plugins: readonly AnyPlugin[],
  { grants }: Choices,
  io: CommandIo,
  names: readonly string[],
): Promise<number> {
  const others = await thirdParty(plugins);
  const chosen = named(plugins, names) ?? others.filter((plugin) => !isOperators(plugin, others));
  if (chosen.length === 0) {
    io.err("There is nothing to accept: all plugins ship with Lectern");
    return 1;
  }
  const accepted = Object.fromEntries(chosen.map((plugin) => [plugin.name, pinFor(plugin)]));
  const all = Object.entries({ ...grants?.plugins, ...accepted }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeLecternKey(resolve("package.json"), "grants", { version: PINS_VERSION, plugins: Object.fromEntries(all) });
  for (const plugin of chosen) for (const line of grantsInWords(plugin, [])) io.out(line);
  io.out(`Accepted in package.json: ${chosen.map(({ name }) => name).join(", ")}`);
  return 0;
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
