/**
 * `plugin add ENTRY` takes a file or an npm package into the "plugins" of package.json: it shows what the plugin declares and what a
 * trial recorded, asks, and writes the entry with the accepted grants. Whether it runs in a process of its own is decided first, since a
 * plugin that is isolated is never imported into this one.
 */
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { BootError } from "../errors.ts";
import { inBootOrder } from "../runtime/boot_order.ts";
import type { CommandIo } from "../runtime/command.ts";
import { checkGrants } from "../runtime/grant_kinds.ts";
import { checkChoices, checkVariables } from "../runtime/operator_choices.ts";
import { pinnedAs } from "../runtime/pins.ts";
import { checkPluginKeys } from "../runtime/plugin_keys.ts";
import { wholeRecords } from "./grants.ts";
import { factsInWords, grantsInWords } from "./grants_text.ts";
import { type Choices, type ListEntry, loadEntries, readChoices, shippedPlugins } from "./load.ts";
import { changePackage, withValue } from "./package_file.ts";

/** How an entry is added. */
export interface AddOptions {
  /** In a process of its own; undefined to ask where the entry is a package and somebody can answer. */
  readonly isolate?: boolean | undefined;
  /** Without asking. */
  readonly yes?: boolean | undefined;
}

/** Adds an entry. Returns the exit code. Throws BootError for one that cannot be loaded, or does not fit the others. */
export async function addPlugin(io: CommandIo, entry: string, { isolate, yes = false }: AddOptions): Promise<number> {
  const choices = await readChoices();
  const listed: readonly ListEntry[] = choices.plugins.length > 0 ? choices.plugins : ["lectern/plugins"];
  if (listed.some((one) => (typeof one === "string" ? one : one.from) === entry))
    throw new BootError(`Cannot add "${entry}": it is in the plugins of package.json already`);
  const isIsolated =
    isolate ?? (isPackage(entry) && io.tty && !yes && (await isAnswered(isolationQuestion(entry), true)));
  const next: Choices = { ...choices, plugins: [...listed, entry], ...(isIsolated && isolating(choices, entry)) };
  const loaded = await loadEntries(io.env, next);
  const plugins = loaded.flatMap((one) => one.plugins);
  const added = loaded.at(-1)?.plugins ?? [];
  checkPluginKeys(plugins);
  checkGrants(plugins);
  checkVariables(plugins);
  checkChoices(plugins, next);
  inBootOrder(plugins, shippedPlugins());
  const recorded = await wholeRecords(plugins, added, next, io);
  const of = added.map((plugin) => ({ plugin, denied: [], recorded: recorded.get(plugin.name) ?? {} }));
  for (const shown of of) for (const line of [...grantsInWords(shown), ...factsInWords(shown)]) io.out(line);
  const names = added.map(({ name }) => `"${name}"`).join(", ");
  if (!yes && !(io.tty && (await isAnswered(`Add ${names} and accept this? [y/N] `, false)))) {
    io.err(`Nothing is added: answer "y", or add --yes`);
    return 1;
  }
  const grants = pinnedAs(
    choices.grants,
    of.map(({ plugin, recorded }) => [plugin, recorded]),
  );
  changePackage(resolve("package.json"), (text) => {
    const withEntry = withValue(text, ["lectern", "plugins"], next.plugins);
    const withIsolated = isIsolated ? withValue(withEntry, ["lectern", "isolated"], next.isolated) : withEntry;
    return withValue(withIsolated, ["lectern", "grants"], grants);
  });
  io.out(`Added to package.json: ${names}; a running server has it after a restart`);
  if (isPackage(entry) && !isIsolated)
    io.out(
      `It runs in the process of Lectern, which its code can use as a whole: "isolated": ["${entry}"] in package.json confines it`,
    );
  return 0;
}

/** Entries that are no paths are packages of npm. */
function isPackage(entry: string): boolean {
  return !/^\.{0,2}\//.test(entry) && !/\.[mc]?[jt]s$/.test(entry);
}

function isolationQuestion(entry: string): string {
  return `"${entry}" is a package. Run it in a process of its own, which the kernel confines? [Y/n] `;
}

function isolating({ isolated = [] }: Choices, entry: string): Pick<Choices, "isolated"> {
  return { isolated: Array.isArray(isolated) ? [...isolated, entry] : { ...isolated, [entry]: {} } };
}

/** Asks a question whose empty answer is `byDefault`. */
async function isAnswered(question: string, byDefault: boolean): Promise<boolean> {
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await input.question(question)).trim().toLowerCase();
    return answer === "" ? byDefault : answer.startsWith("y");
  } finally {
    input.close();
  }
}
