/** Checks of background jobs and schedules. */
import { Findings, type SelfCheck } from "lectern/contracts";
import { type CheckedParts, sql } from "lectern/core";
import type { Db } from "lectern/db";

/** What is due for longer is not worked on; jobs of a group may wait for each other. */
const OVERDUE = "15 minutes";

/** The queue as far as the checks ask it. */
type Names = Pick<CheckedParts["jobs"], "names" | "scheduleNames">;

/** Jobs are worked on, none failed for good, and each has a handler; each schedule belongs to a plugin. */
export function jobChecks(db: Db, jobs: Names): SelfCheck[] {
  return [
    {
      name: "core/dead_jobs",
      title: "No background job has failed in all of its tries",
      check: () =>
        byName(db, sql`dead`, "Read their errors by the command jobs list; jobs retry or jobs drop settles them."),
    },
    {
      name: "core/overdue_jobs",
      title: "Background jobs are worked on",
      check: () =>
        byName(
          db,
          sql`not dead and run_at < now() - ${OVERDUE}::interval and (leased_until is null or leased_until < now())
            and group_key = '' and name = any(${jobs.names()}::text[])`,
          "Check that a server runs and that its log has no errors of jobs.",
        ),
    },
    {
      name: "core/unhandled_jobs",
      title: "Every background job has a plugin that handles it",
      check: () =>
        byName(
          db,
          sql`not dead and not name = any(${jobs.names()}::text[])`,
          "Load the plugin again, or purge what it left by the command plugin.",
        ),
    },
    {
      name: "core/schedules",
      title: "Every stored schedule belongs to a plugin",
      async check() {
        const findings = new Findings();
        const { rows } = await sql<{ name: string }>`select name from schedules
          where not name = any(${jobs.scheduleNames()}::text[])`.execute(db);
        for (const { name } of rows) findings.add(name);
        return findings.as("warning");
      },
      async fix() {
        const { rows } = await sql`delete from schedules where not name = any(${jobs.scheduleNames()}::text[])
          returning 1`.execute(db);
        return rows.length;
      },
    },
  ];
}

async function byName(db: Db, where: ReturnType<typeof sql>, advice: string) {
  const findings = new Findings();
  const { rows } = await sql<{ name: string; n: number }>`select name, count(*)::float8 as n from jobs where ${where}
    group by name order by n desc, name`.execute(db);
  for (const { name, n } of rows) findings.add(`${name} (${n})`, n);
  return findings.as("warning", advice);
}
