/**
 * Routes of jobs that failed in all of their attempts ("dead" jobs). Answers contain their names and last errors, but not their
 * payloads, which may contain confidential data.
 */
import { endpoint, type InputObject, type ListSpec, rules, type Static, sql, type Viewer } from "lectern/core";
import { refs } from "lectern/db";
import { deadJobAnswers, type deadJobSchema, type SystemContext } from "./contract.ts";
import { type DeadJobIds, dropJobs, retryJobs } from "./dead_job_rows.ts";
import { about } from "./docs.ts";

/** The columns of a dead job. */
type DeadJobRow = Omit<Static<typeof deadJobSchema>, "plugin">;

const LISTING: ListSpec = {
  table: "jobs",
  fields: { id: "integer", name: "code", attempts: "integer", run_at: "timestamp", created_at: "timestamp" },
  columns: refs("jobs.id", "jobs.name", "jobs.attempts", "jobs.last_error", "jobs.run_at", "jobs.created_at"),
  where: sql<boolean>`${refs("jobs.dead")}`,
};
const idsRules = rules({ ids: ["array"], "ids.*": ["integer"] });
const PERMIT = "settings-manage";

/** Mounts the routes. */
export function mountDeadJobs({ app, contracts, db, list, visibilityRule, validate }: SystemContext): void {
  visibilityRule("jobs", () => true);
  const idsIn = async (input: InputObject, viewer: Viewer): Promise<DeadJobIds> => {
    const { ids } = await validate(idsRules, input, viewer);
    return ids === undefined ? undefined : Object.values(ids).map(String);
  };
  app.get(
    "/system/jobs",
    async ({ viewer, nestedQuery }) => {
      const { data, total } = await list<DeadJobRow>(LISTING, viewer, nestedQuery);
      return { data: data.map((job) => ({ ...job, plugin: contracts.upkeep.pluginOfJob(job.name) ?? null })), total };
    },
    {
      permit: PERMIT,
      response: deadJobAnswers.list,
      ...endpoint("system", "deadJobs", { about: about.deadJobs }),
    },
  );
  app.post(
    "/system/jobs/retry",
    async ({ viewer, input }) => ({ retry_count: await retryJobs(db, await idsIn(input, viewer)) }),
    {
      permit: PERMIT,
      response: deadJobAnswers.retried,
      ...endpoint("system", "retryJobs", { about: about.retryJobs, rules: idsRules }),
    },
  );
  app.delete(
    "/system/jobs",
    async ({ viewer, input }) => ({ delete_count: await dropJobs(db, await idsIn(input, viewer)) }),
    {
      permit: PERMIT,
      response: deadJobAnswers.deleted,
      ...endpoint("system", "deleteJobs", { about: about.deleteJobs, rules: idsRules }),
    },
  );
}
