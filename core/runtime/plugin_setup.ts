/** Runs the setup and the start of a plugin: with a time limit, and with the place in its source in the error of one that throws. */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import { INSTALL_ROOT } from "../install_root.ts";
import { withinTime } from "../std/within_time.ts";

/** Frames of Lectern and of the packages that it uses, which are not the plugin's source. */
const OWN_FOLDERS = ["bundle", "core", "db", "node_modules"].map((name) => INSTALL_ROOT + sep + name + sep);
const LIBRARIES = Object.keys(packaged.dependencies).map((name) => `${sep}node_modules${sep}${name}${sep}`);
const VERBS = { setup: "set up", start: "start" } as const;
const FRAME = /^\s*at (?:.*? \()?(\S.*?):(\d+):\d+\)?$/;
/** Characters up to which a line of a stack is a frame; longer ones are of the message, which may quote what a user sent. */
const MAX_FRAME = 1_000;

/**
 * Runs the setup or the start of a plugin. Throws BootError that names the plugin where it takes longer than `limitMs`, and where it
 * throws, with the file and line of the plugin's source. A BootError of the plugin itself is thrown as it is.
 */
export async function runSetup(
  plugin: string,
  limitMs: number,
  run: () => Promise<void>,
  part: "setup" | "start" = "setup",
): Promise<void> {
  const late = `The ${part} of the plugin "${plugin}" did not end within ${limitMs} ms`;
  try {
    await withinTime(limitMs, run, () => new BootError(late));
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    const place = cause instanceof Error ? placeOf(cause) : undefined;
    const at = place === undefined ? "" : ` (${place})`;
    throw new BootError(`Cannot ${VERBS[part]} the plugin "${plugin}": ${text}${at}`, { cause });
  }
}

/** Where an error was thrown, as file:line: the innermost frame that is not Lectern's own; undefined if there is none. */
export function placeOf({ stack = "" }: Error): string | undefined {
  for (const line of stack.split("\n")) {
    const [, found = "", at] = (line.length <= MAX_FRAME && FRAME.exec(line)) || [];
    const file = found.startsWith("file://") ? fileURLToPath(found) : found;
    if (!file.startsWith(sep) || OWN_FOLDERS.some((folder) => file.startsWith(folder))) continue;
    if (LIBRARIES.some((folder) => file.includes(folder))) continue;
    const near = relative(process.cwd(), file);
    return `${near.startsWith("..") ? file : near}:${at}`;
  }
  return undefined;
}
