import { parseArgs } from "node:util";
import type { Command } from "lectern/cli";
import type { Db } from "lectern/db";
import { correctCounters, recount } from "./recount.ts";

/** Proves that the numbers are true, beside a running server. */
export const verifyCommand: Command = {
  summary: "recounts the numbers of hosts and names any counter that differs; works beside a running server",
  usage: "[--inventories] [--repair]",
  store: true,
  looks: (args) => !args.includes("--repair"),
  async run(args, io, context) {
    const wish = wishOf(args);
    if (!wish || !context) {
      io.err(`Cannot run "verify ${args.join(" ")}": wanted ${verifyCommand.usage}`);
      return 2;
    }
    const db = context.db as unknown as Db;
    const differences = await recount(db, wish);
    for (const { counter, stored, counted } of differences) io.out(`${counter}: stored ${stored}, counted ${counted}`);
    if (differences.length === 0) {
      io.out("Every counter equals a recount");
      return 0;
    }
    io.out(`${differences.length} counters differ`);
    if (!wish.repair) return 1;
    const anew = differences.flatMap(({ inventoryOf }) => inventoryOf ?? []);
    await correctCounters(db, anew);
    io.out("Every counter was set to what was counted; hosts whose packages differed are asked for them anew");
    if (anew.length === 0) return 0;
    io.out(`${anew.length} inventories were not mended: they differ until their hosts report again`);
    return 1;
  },
};

function wishOf(args: string[]): { inventories: boolean; repair: boolean } | undefined {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args, options: { inventories: flag, repair: flag } }).values;
  } catch {
    return undefined;
  }
}
