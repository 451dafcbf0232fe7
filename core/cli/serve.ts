/**
 * The command `serve`: one process, or a parent of several that serve one address (`cli/supervisor.ts`). A start whose store is
 * lost before it is finished is repeated, and a signal that arrives meanwhile closes the store, so that no embedded PostgreSQL is left
 * behind. What happens from the open port on is in `workers/listen.ts`.
 */
import { parseArgs } from "node:util";
import { ConnectionLost, codeOf, type Store, StoreError, StoreUnavailable } from "../../db/mod.ts";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { startLine } from "../log.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { StopSignals } from "../std/stop_signals.ts";
import { serve, surviveStrayErrors } from "../workers/listen.ts";
import { openWorker } from "../workers/worker.ts";
import { pinHint } from "./grants.ts";
import { shortGrants } from "./grants_text.ts";
import { isList, readChoices, removedVariables, thirdParty } from "./load.ts";
import { logOf, type OpenRuntime, openRuntime, readConfig } from "./open.ts";
import { refuseRemovedVariables } from "./removed_variables.ts";
import { superviseWorkers } from "./supervisor.ts";

/** The arguments of `serve`. */
export const SERVE_USAGE = "[--workers NUMBER] [plugin list …]";

/** How often a start is begun whose store is lost before it is finished. */
const MAX_STARTS = 20;
/** SQLSTATEs of a server that shuts down or starts up. */
const SERVER_GOING = /^57P0[1-3]$/;

/** The option by which `dev` has answers compared with their schemas. */
export const CHECK_ANSWERS = "--check-answers";

/** The options of a parent, those with which it starts a worker, and that of `dev`. */
const OPTIONS = {
  workers: { type: "string" },
  worker: { type: "string" },
  "worker-folder": { type: "string" },
  "check-answers": { type: "boolean" },
} as const;

/** The options that no usage shows: those with which a parent starts a worker, and that of `dev`. */
export const HIDDEN_OPTIONS: readonly string[] = ["--worker", "--worker-folder", CHECK_ANSWERS];

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
  // Before workers are started, which would each fail.
  refuseRemovedVariables(io.env, plugins, await removedVariables());
  const { worker: number, "worker-folder": folder, "check-answers": checkAnswers = false } = values;
  const config = { ...readConfig(io, plugins), checkAnswers };
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

type Config = ReturnType<typeof readConfig>;

/** Serves in this process. A start whose store is lost before it is finished is repeated: an embedded store is started again by then. */
async function serveAlone(plugins: readonly AnyPlugin[], io: CommandIo, config: Config): Promise<number> {
  const signals = new StopSignals();
  const log = logOf(config);
  let isShown = false;
  for (let start = 1; ; start++)
    try {
      const opened = await openUnlessStopped(plugins, io, { config, signals });
      if (!opened) return 0;
      if (!isShown) {
        await showThirdParty(plugins, io, config);
        surviveStrayErrors(log);
      }
      isShown = true;
      const { runtime, store } = opened;
      return await serve(runtime, config, { log, io, signals, closeStore: () => store.close() });
    } catch (error) {
      if (!signals.isReceived && start < MAX_STARTS && isStoreAway(error)) {
        log.warn("The store was lost before the start was finished; starting again", { cause: String(error) });
        continue;
      }
      if (error instanceof BootError || error instanceof StoreError || !log.writes("error")) throw error;
      // One line of the log, where the process would print a stack among them.
      log.error("The server ended by an error", { error });
      return 1;
    }
}

/** Boots the runtime; undefined where a signal arrives before that is done, and the store is closed. */
async function openUnlessStopped(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  { config, signals }: { readonly config: Config; readonly signals: StopSignals },
): Promise<(OpenRuntime & { readonly store: Store }) | undefined> {
  const store = Promise.withResolvers<Store>();
  const opening = openRuntime(plugins, io, config, "complete", store.resolve);
  // No deadline: a signal ends the boot.
  const opened = await Promise.race([opening, signals.first.then(() => undefined)]);
  if (opened) return { ...opened, store: await store.promise };
  const failed = opening.then(
    () => undefined,
    () => undefined,
  );
  // No deadline: a boot that failed has opened no store. What it still asks of one fails then.
  await (await Promise.race([store.promise, failed]))?.close();
  return undefined;
}

async function showThirdParty(plugins: readonly AnyPlugin[], io: CommandIo, { worker }: Config): Promise<void> {
  if (worker !== undefined && worker.number !== 1) return;
  const say = (line: string) => io.out(startLine(line, io.tty));
  const choices = await readChoices();
  const others = thirdParty(plugins);
  for (const plugin of others)
    say(
      `Third-party plugin, and what it may touch: ${shortGrants({ plugin, denied: choices.denied[plugin.name] ?? [], recorded: {} })}`,
    );
  const hint = pinHint(others, choices);
  if (hint !== undefined) say(hint);
}

/** Whether an error, or what caused it, is that of a store which stopped. */
function isStoreAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof ConnectionLost || at instanceof StoreUnavailable || SERVER_GOING.test(codeOf(at))) return true;
  return false;
}
