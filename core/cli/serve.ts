/** The command `serve`: one process, or a parent of several that serve one address. */
import { parseArgs } from "node:util";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { serve } from "../http/listen.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { superviseWorkers } from "../workers/supervisor.ts";
import { openWorker } from "../workers/worker.ts";
import type { CommandIo } from "./command.ts";
import { pinHint } from "./grants.ts";
import { shortGrants } from "./grants_text.ts";
import { isList, readChoices, thirdParty } from "./load.ts";
import { logOf, openRuntime, readConfig } from "./open.ts";

/** The arguments of `serve`. */
export const SERVE_USAGE = "[--workers NUMBER] [plugin list …]";

/** The options of a parent, and those with which it starts a worker. */
const OPTIONS = {
  workers: { type: "string" },
  worker: { type: "string" },
  "worker-folder": { type: "string" },
} as const;

/** The options with which a parent starts a worker. */
export const WORKER_OPTIONS: readonly string[] = ["--worker", "--worker-folder"];

/** Serves until a signal. Returns the exit code. Throws BootError. */
export async function serveCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const values = parsed(args);
  if (!values) {
    io.err(`Cannot run "serve" with "${args.join(" ")}": wanted ${SERVE_USAGE}; settings are variables`);
    return 2;
  }
  const config = readConfig(io);
  const { worker: number, "worker-folder": folder } = values;
  const count = values.workers === undefined ? config.workers : workersOf(values.workers);
  if (number !== undefined && folder !== undefined)
    return serveAlone(plugins, io, { ...config, worker: openWorker(Number(number), folder) });
  if (count === 1) return serveAlone(plugins, io, config);
  const lists = process.argv.slice(2).filter(isList);
  return superviseWorkers({ count, lists, config, io, log: logOf(config) });
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    return undefined;
  }
}

/** Throws BootError. */
function workersOf(text: string): number {
  const { minimum, maximum } = configSchema.properties.workers;
  const count = Number(text);
  if (Number.isInteger(count) && count >= (minimum ?? 1) && count <= (maximum ?? count)) return count;
  throw new BootError(`Cannot serve with --workers ${text}: wanted a number from ${minimum} to ${maximum}`);
}

async function serveAlone(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  config: ReturnType<typeof readConfig>,
): Promise<number> {
  const choices = await readChoices();
  const others = await thirdParty(plugins);
  const { runtime } = await openRuntime(plugins, io, config);
  if (config.worker === undefined || config.worker.number === 1) {
    for (const plugin of others)
      io.out(`Third-party plugin, and what it may touch: ${shortGrants(plugin, choices.denied[plugin.name] ?? [])}`);
    const hint = pinHint(others, choices);
    if (hint !== undefined) io.out(hint);
  }
  return serve(runtime, config, logOf(config), io);
}
