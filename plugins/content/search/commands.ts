import { type Command, type CommandIo, runSubcommand } from "lectern/cli";
import type { AnyContext } from "lectern/core";
import { searchedKinds } from "./changes.ts";
import { chosenEngine, SHIPPED } from "./engine.ts";

const USAGE = "reindex";

/** The command `search`: indexes all items again, such as after the engine has lost its data. */
export const searchCommand: Command = {
  summary: "indexes all items for the search again",
  usage: USAGE,
  store: true,
  run: runSubcommand("search", USAGE, { reindex }),
};

async function reindex(context: AnyContext, _args: string[], io: CommandIo): Promise<void> {
  const { jobs, settings, slot } = context;
  const engine = chosenEngine(slot("search_engine"), (settings as { engine: string }).engine);
  const kinds = searchedKinds(slot("content"), slot("searchable")).map(({ kind }) => kind.kind);
  for (const kind of kinds) {
    if (engine) await jobs.enqueue("search_engine_fill", { kind, after: 0 }, { key: kind });
    else await jobs.enqueue("search_index", { kind, after: 0, all: true }, { key: `${kind} all` });
  }
  io.out(`Queued for "${engine?.name ?? SHIPPED}": ${kinds.join(", ")}. A running server works on it.`);
}
