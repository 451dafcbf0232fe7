/**
 * `--env-file FILE`, for every command: the settings of a file, such as that of a service of systemd, so that a command finds the store
 * of the server. Bun itself reads `.env` of the current folder.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { messageOf } from "../../db/mod.ts";
import { BootError } from "../errors.ts";

const OPTION = "--env-file";

/**
 * The arguments without the option; the variables of its file are set where the environment has none of that name. Throws BootError
 * where the file cannot be read.
 */
export function withEnvFile(args: readonly string[], env: Record<string, string | undefined> = process.env): string[] {
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...rest, ...args.slice(at)];
    if (arg !== OPTION && !arg.startsWith(`${OPTION}=`)) {
      rest.push(arg);
      continue;
    }
    const file = arg === OPTION ? args[++at] : arg.slice(OPTION.length + 1);
    for (const [name, value] of Object.entries(read(file))) env[name] ??= value;
  }
  return rest;
}

function read(file: string | undefined): Record<string, string | undefined> {
  if (file === undefined || file === "")
    throw new BootError(`Cannot use ${OPTION}: wanted the path of a file after it`);
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new BootError(`Cannot read the settings in "${resolve(file)}": ${messageOf(cause)}`, { cause });
  }
}
