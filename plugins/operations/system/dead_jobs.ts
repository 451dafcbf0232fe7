/**
 * Jobs that failed in all of their attempts ("dead" jobs). Answers contain their names and last errors, but not their
 * payloads, which may contain confidential data.
 */
import { endpoint, type InputObject, type ListSpec, rules, type Static, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { deadJobAnswers, type deadJobSchema, type SystemContext } from "./contract.ts";
import { about } from "./docs.ts";

const LISTING: ListSpec = {
  table: "jobs",
  fields: { id: "integer", name: "code", attempts: "integer", run_at: "timestamp", created_at: "timestamp" },
  columns: sql`jobs.id, jobs.name, jobs.attempts, jobs.last_error, jobs.run_at, jobs.created_at`,
  where: sql<boolean>`jobs.dead`,
};
const idsRules = rules({ ids: ["array"], "ids.*": ["integer"] });
const PERMIT = "settings-manage";

/** Mounts the routes. */
export function mountDeadJobs({ app, db, list, visibilityRule, validate }: SystemContext): void {
  visibilityRule("jobs", () => true);
  const condition = async (input: InputObject, viewer: Viewer) => {
    const { ids } = await validate(idsRules, input, viewer);
    if (ids === undefined) return sql`jobs.dead`;
    return sql`jobs.dead and jobs.id::text = any(${Object.values(ids as object).map(String)}::text[])`;
  };
  app.get(
    "/system/jobs",
    ({ viewer, nestedQuery }) => list<Static<typeof deadJobSchema>>(LISTING, viewer, nestedQuery),
    {
      permit: PERMIT,
      response: deadJobAnswers.list,
      ...endpoint("system", "deadJobs", { about: about.deadJobs }),
    },
  );
  app.post(
    "/system/jobs/retry",
    async ({ viewer, input }) => {
      const retried = await rows(
        db,
        sql`update jobs set dead = false, attempts = 0, run_at = now(), leased_until = null
          where ${await condition(input, viewer)} and not exists (select from jobs as other
            where other.name = jobs.name and other.key = jobs.key and not other.dead and other.attempts = 0)
          returning id`,
      );
      return { retry_count: retried.length };
    },
    {
      permit: PERMIT,
      response: deadJobAnswers.retried,
      ...endpoint("system", "retryJobs", { about: about.retryJobs, rules: idsRules }),
    },
  );
  app.delete(
    "/system/jobs",
    async ({ viewer, input }) => {
      const deleted = await rows(db, sql`delete from jobs where ${await condition(input, viewer)} returning id`);
      return { delete_count: deleted.length };
    },
    {
      permit: PERMIT,
      response: deadJobAnswers.deleted,
      ...endpoint("system", "deleteJobs", { about: about.deleteJobs, rules: idsRules }),
    },
  );
}
