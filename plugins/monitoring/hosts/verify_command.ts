import { parseArgs } from "node:util";
import type { Command } from "lectern/cli";
import { overAll } from "lectern/db";
import { correctCounters, recount } from "./recount.ts";

/** Compares the counters with a recount; can run beside a running server. */
export const verifyCommand: Command = {
  summary: "recounts the numbers of hosts and lists counters that differ; can run beside a running server",
  usage: "[--inventories] [--repair]",
  store: true,
  looks: (args) => !args.includes("--repair"),
  async run(args, io, context) {
    const options = optionsOf(args);
    if (!options || !context) {
      io.err(`Cannot run "verify ${args.join(" ")}": expected ${verifyCommand.usage}`);
      return 2;
    }
    const db = overAll(context.db);
    const differences = await recount(db, options);
    for (const { counter, stored, counted } of differences) io.out(`${counter}: stored ${stored}, counted ${counted}`);
    if (differences.length === 0) {
      io.out("Every counter equals a recount");
      return 0;
    }
    io.out(`${differences.length} counters differ`);
    if (!options.repair) return 1;
    const unrepaired = differences.flatMap(({ inventoryOf }) => inventoryOf ?? []);
    await correctCounters(db, unrepaired);
    io.out("Every counter was set to its recount; hosts whose packages differed are asked to report them again");
    if (unrepaired.length === 0) return 0;
    io.out(`${unrepaired.length} inventories cannot be repaired: they differ until their hosts report again`);
    return 1;
  },
};

function optionsOf(args: string[]): { inventories: boolean; repair: boolean } | undefined {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args, options: { inventories: flag, repair: flag } }).values;
  } catch {
    return undefined;
  }
}
