import { type Command, type CommandIo, runSubcommand } from "lectern/cli";
import type { AnyContext } from "lectern/core";
import { overAll } from "lectern/db";
import { searchedKinds } from "./changes.ts";
import { chosenEngine, SHIPPED } from "./engine.ts";
import { progressOf } from "./progress.ts";

const USAGE = "reindex | status";

/** The command `search`: indexes all items again, such as after the engine has lost its data, and says how many are indexed. */
export const searchCommand: Command = {
  summary: "indexes all items for the search again, and says how many are indexed",
  usage: USAGE,
  store: true,
  run: runSubcommand("search", USAGE, { reindex, status }),
};

/** The engine in use, undefined for the shipped one, and the kinds that are searched. */
function searched({ settings, slot }: AnyContext) {
  const engine = chosenEngine(slot("search_engine"), (settings as { engine: string }).engine);
  return { engine, kinds: searchedKinds(slot("content"), slot("searchable")) };
}

async function reindex(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const { jobs } = context;
  const { engine, kinds } = searched(context);
  const names = kinds.map(({ kind }) => kind.kind);
  for (const kind of names) {
    if (engine) await jobs.enqueue("search_engine_fill", { kind, after: 0 }, { key: kind });
    else await jobs.enqueue("search_index", { kind, after: 0, all: true }, { key: `${kind} all` });
  }
  io.out(
    `Queued for "${engine?.name ?? SHIPPED}": ${names.join(", ")}. A running server works on it; "search status" says how far it is.`,
  );
}

async function status(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const { engine, kinds } = searched(context);
  for (const one of kinds) {
    const { kind, indexed, isAgain, items } = await progressOf(one, overAll(context.db), engine?.name);
    io.out(`${kind}: ${indexed} of ${items} indexed${isAgain ? " again" : ""}`);
  }
}
