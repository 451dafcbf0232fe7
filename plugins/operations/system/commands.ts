/** The command `jobs`: lists, retries and drops jobs that failed in all of their attempts. Payloads are not printed. */
import { parseArgs } from "node:util";
import { type Command, runSubcommand, type Subcommand } from "lectern/cli";
import { ApiError, notFound } from "lectern/core";
import type { SystemContext } from "./contract.ts";
import { type DeadJobIds, dropJobs, retryJobs } from "./dead_job_rows.ts";

const USAGE = "list | retry ID…|--all | drop ID…|--all";
/** Rows that `list` prints; the number of all follows. */
const LISTED = 200;

/** The command `jobs`. */
export const jobsCommand: Command = {
  summary: "lists failed jobs, tries them again or drops them",
  usage: USAGE,
  store: true,
  looks: ([verb]) => verb === "list",
  run: runSubcommand("jobs", USAGE, {
    list,
    retry: changing(retryJobs, "Queued again"),
    drop: changing(dropJobs, "Dropped"),
  }),
};

async function list(...[context, args, io]: Parameters<Subcommand>): Promise<void> {
  parseArgs({ args, options: {} });
  const db: SystemContext["db"] = context.db;
  const dead = db.selectFrom("jobs").where(({ ref }) => ref("dead"));
  const jobs = await dead
    .select(["id", "name", "attempts", "last_error", "run_at", "created_at"])
    .orderBy("id")
    .limit(LISTED)
    .execute();
  for (const { id, name, attempts, last_error, run_at, created_at } of jobs) {
    const plugin = context.contracts.upkeep.pluginOfJob(name) ?? "no plugin handles it";
    io.out(`${id}  ${name} (${plugin})  ${attempts} ${attempts === 1 ? "try" : "tries"}, ${created_at} to ${run_at}`);
    io.out(`    ${printable(last_error ?? "")}`);
  }
  const all = await dead.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  io.out(
    all.count > jobs.length ? `${all.count} failed jobs; the first ${jobs.length} are listed` : counted(all.count),
  );
}

function changing(change: (db: SystemContext["db"], ids: DeadJobIds) => Promise<number>, done: string): Subcommand {
  return async (context, args, io) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { all: { type: "boolean" } } });
    if (positionals.length > 0 === (values.all === true))
      throw new ApiError(422, "Name failed jobs by their ids, or all of them by --all.");
    const odd = positionals.find((id) => !/^\d{1,10}$/.test(id));
    if (odd !== undefined) throw new ApiError(422, `"${odd}" is no id of a job.`);
    const count = await change(context.db, values.all ? undefined : positionals.map((id) => String(Number(id))));
    if (count === 0 && positionals.length > 0) throw notFound("Job");
    io.out(`${done}: ${counted(count)}`);
  };
}

function counted(count: number): string {
  return `${count} failed ${count === 1 ? "job" : "jobs"}`;
}

/** A text of one line without control characters, which could move the cursor of a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
