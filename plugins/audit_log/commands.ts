import { parseArgs } from "node:util";
import { type Command, sql } from "lectern/core";
import { rows } from "lectern/db";

const USAGE = "prune --older-than DAYS";

/** The log is kept for ever unless whoever runs the house says otherwise (platform 6.1). */
export const auditCommand: Command = {
  summary: "removes rows of the audit log that are older than some days",
  usage: USAGE,
  store: true,
  async run([verb, ...args], io, context) {
    const days = verb === "prune" ? daysIn(args) : undefined;
    if (days === undefined || !context) {
      io.err(`Cannot run "audit ${verb ?? ""}": wanted ${USAGE}, a number of whole days`);
      return 2;
    }
    const gone = await rows(
      context.db as never,
      sql`delete from activities where created_at < now() - make_interval(days => ${days}::integer) returning id`,
    );
    io.out(`Removed ${gone.length} rows older than ${days} days`);
    return 0;
  },
};

function daysIn(args: string[]): number | undefined {
  try {
    const { values } = parseArgs({ args, options: { "older-than": { type: "string" } } });
    const text = values["older-than"] ?? "";
    return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}
