import { parseArgs } from "node:util";
import type { Command } from "lectern/cli";
import { MAX_DAYS, prune } from "./prune.ts";

const USAGE = "prune --older-than DAYS";

/** The command `audit`: deletes old rows, which are otherwise kept forever (platform 6.1). */
export const auditCommand: Command = {
  summary: "removes rows of the audit log that are older than a number of days",
  usage: USAGE,
  store: true,
  async run([verb, ...args], io, context) {
    const days = verb === "prune" ? daysIn(args) : undefined;
    if (days === undefined || !context) {
      io.err(`Cannot run "audit ${verb ?? ""}": wanted ${USAGE}, a number of whole days`);
      return 2;
    }
    const gone = await prune(context.db, days);
    io.out(`Removed ${gone} ${gone === 1 ? "row" : "rows"} older than ${days} ${days === 1 ? "day" : "days"}`);
    return 0;
  },
};

function daysIn(args: string[]): number | undefined {
  try {
    const { values } = parseArgs({ args, options: { "older-than": { type: "string" } } });
    const text = values["older-than"] ?? "";
    return /^\d{1,7}$/.test(text) && Number(text) <= MAX_DAYS ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
